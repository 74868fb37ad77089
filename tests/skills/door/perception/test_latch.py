"""Latch contact of a closed door, combined with vision."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec_skills.door.perception.ground_truth_estimator import OracleEstimator, oracle_detector
from bt_exec_skills.door.perception.observation import DoorEstimate
from bt_exec_skills.door.perception.pipeline import DoorPerception, Felt
from bt_exec_skills.door.perception.state_estimator import with_latch_contact
from bt_exec_skills.door.sim.camera import SimCamera
from bt_exec_skills.door.sim.layout import WorldOptions
from bt_exec_skills.door.sim.world import DoorWorld

LOW, HIGH = ("closed", "ajar"), ("ajar", "open")


def seen(state: Any, between: Any = ()) -> DoorEstimate:
    return DoorEstimate(state, 0.6, ("primary:eyes",), between=between)


@pytest.mark.parametrize(
    ("eyes", "latched", "state", "between"),
    [
        (seen("closed"), True, "closed", ()),
        (seen("closed"), False, "ajar", ()),
        (seen("uncertain", LOW), True, "closed", ()),
        (seen("uncertain", LOW), False, "ajar", ()),
        (seen("ajar"), False, "ajar", ()),
        (seen("open"), False, "open", ()),
        (seen("uncertain", HIGH), False, "uncertain", HIGH),
        (seen("ajar"), True, "uncertain", LOW),  # one of the two is wrong
        (seen("uncertain", HIGH), True, "uncertain", LOW),
        (seen("open"), True, "uncertain", ()),
        (seen("uncertain"), True, "uncertain", ()),  # it cannot replace vision
        (seen("uncertain"), False, "uncertain", ()),
    ],
)
def test_vision_and_latch_contact_are_combined(
    eyes: DoorEstimate, latched: bool, state: str, between: Any
) -> None:
    found = with_latch_contact(eyes, latched=latched)
    assert (found.state, found.between) == (state, between)
    if found.state != eyes.state:
        assert found.evidence == ("primary:eyes", f"proxy:{'' if latched else 'not_'}latched")


@pytest.mark.parametrize(
    ("felt", "state", "clear"),
    [
        (Felt(latched=False, arms_away=True), "open", True),
        (Felt(latched=False, arms_away=False), "open", False),
        (Felt(latched=True, arms_away=True), "uncertain", True),
        (None, "open", True),
    ],
)
def test_observation_contains_the_contact_at_its_capture_time(
    felt: Felt | None, state: str, clear: bool
) -> None:
    feelings = [felt, None]
    world = DoorWorld(WorldOptions(door=1.4))
    feel = None if felt is None else lambda: feelings.pop(0)
    camera = SimCamera(world, renderer="raycast")
    eyes = DoorPerception(camera, oracle_detector(), OracleEstimator(), feel=feel)  # type: ignore[arg-type]
    scene = eyes.interpret(eyes.capture())
    camera.close()
    assert (scene.door.state, scene.inside_clear) == (state, clear)
