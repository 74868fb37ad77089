"""Misbehaving parts: each is named, its robot is stopped, and the journal records the end."""

from __future__ import annotations

import pytest

from bt_exec.events import Finished
from tests.bt_exec.mission.misbehaving_ground import Case, Ground
from tests.bt_exec.mission.misbehaving_hooks import (
    CAMERAS,
    COMPILERS,
    HOOKS,
    LISTENERS,
    ROBOTS,
    WORLDS,
)
from tests.bt_exec.mission.misbehaving_skills import CONDITIONS, SKILLS

pytestmark = pytest.mark.sampled

CASES = [*SKILLS, *CONDITIONS, *ROBOTS, *CAMERAS, *WORLDS, *HOOKS, *LISTENERS, *COMPILERS]
TICKS = 60  # two plans of two attempts of 1 s, or of one of 2 s, and the ticks between


@pytest.mark.parametrize("bad", CASES, ids=lambda one: one.name)
def test_misbehaving_part_is_reported_and_its_robot_stopped_and_the_end_recorded(
    bad: Case, tmp_path, caplog
):
    ground = Ground(bad, tmp_path)
    outcome = ground.run()
    assert outcome.reason_code in bad.codes
    assert (outcome.status == "satisfied") == (outcome.reason_code == "OK")
    assert bad.culprit in f"{outcome.reason_code} {ground.said(outcome)} {caplog.text}"
    assert "EXECUTIVE_CRASHED" not in ground.said(outcome)
    assert ground.robot.moving != bad.stops
    assert outcome.ticks <= TICKS
    assert isinstance(ground.events[-1], Finished)
    assert [end.outcome.reason_code for end in ground.ends()] == [outcome.reason_code]
    assert ground.recorder.problem == ""


def test_corpus_is_large_and_has_unique_names():
    assert len(CASES) >= 90
    assert len({bad.name for bad in CASES}) == len(CASES)
