"""Comparisons and the pause, in a mission."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.declarations.built_in import CONDITIONS, SKILLS
from bt_exec.failure import RegistrationError
from bt_exec.observation import ObservationBuffer, World
from bt_exec.pack import Catalogue, Pack
from bt_exec.skill import Verdict, condition
from bt_exec.testing import FakeClock

IS, ONE_OF, AT_LEAST, AT_MOST = CONDITIONS


@pytest.mark.parametrize(
    ("asked", "args", "holds"),
    [
        (IS, {"value": "open", "equals": "open"}, True),
        (IS, {"value": "open", "equals": "shut"}, False),
        (IS, {"value": 1, "equals": 1.0}, True),
        (IS, {"value": 1, "equals": True}, False),
        (ONE_OF, {"value": "a", "options": ["b", "a"]}, True),
        (ONE_OF, {"value": "a", "options": []}, False),
        (AT_LEAST, {"value": 3, "limit": 3}, True),
        (AT_LEAST, {"value": 2.9, "limit": 3}, False),
        (AT_MOST, {"value": 3, "limit": 3}, True),
        (AT_MOST, {"value": 3.1, "limit": 3}, False),
    ],
)
def test_comparison_holds_for_the_expected_values(
    asked: Any, args: dict[str, Any], holds: bool
) -> None:
    assert asked(**asked.validate(args)).holds is holds


def test_pause_is_measured_on_the_clock_of_the_mission() -> None:
    clock = FakeClock()
    steps = SKILLS[0](world=World(ObservationBuffer(lambda: clock.time), 0.0), seconds=0.5)
    progress = []
    for step in steps:
        progress.append(step.progress)
        clock.step(0.2)
    assert progress == pytest.approx([0.0, 0.4, 0.8])


def test_skill_or_condition_named_like_a_built_in_is_refused() -> None:
    @condition(name="is")
    def own() -> Verdict:
        """Return a verdict."""
        return Verdict.yes()

    with pytest.raises(RegistrationError, match="'is' is built in"):
        Catalogue([Pack("mine", conditions=(own,))])
