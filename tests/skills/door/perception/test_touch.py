"""Tactile state of the material."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation
from bt_exec_skills.door.perception.touch import Touch
from bt_exec_skills.perception.contracts import Detection

OPEN = DoorEstimate("open", 0.9)
MATERIAL = Detection("material", (10, 10, 20, 20), 0.9)


def hands(within: bool) -> Any:
    robot = SimpleNamespace(held={}, within=within)
    robot.holding = lambda arm: robot.held.get(arm)
    robot.in_doorway = lambda arm: robot.within
    return robot


@pytest.mark.parametrize(("within", "lost"), [(True, "lost"), (False, "in_front")])
def test_lost_material_is_at_its_last_held_position(within: bool, lost: str) -> None:
    robot = hands(within)
    touch = Touch(robot)
    assert touch.feel() is None
    robot.held["left"] = "material"
    assert touch.feel() == "held"
    robot.held.clear()
    robot.within = not within  # the position of an empty hand is no evidence
    assert touch.feel() == lost
    robot.held["right"] = "material"
    assert touch.feel() == "held"


def test_held_handle_is_not_material() -> None:
    robot = hands(within=False)
    robot.held["right"] = "door-handle"
    assert Touch(robot).feel() is None


@pytest.mark.parametrize(
    ("touched", "detections", "material"),
    [
        (None, (), None),
        (None, (MATERIAL,), "behind_door"),
        ("lost", (MATERIAL,), "behind_door"),  # vision has priority over memory
        ("lost", (), "lost"),
        ("in_front", (), "in_front"),
        ("held", (MATERIAL,), "held"),  # the visible material is the held one
    ],
)
def test_vision_and_touch_locate_the_material(
    touched: Any, detections: Any, material: str | None
) -> None:
    facts = DoorObservation(0.0, detections, OPEN, touched=touched).facts()
    assert facts.get("material") == material
    assert facts["door"] == "open"
