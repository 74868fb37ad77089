"""Observations as text for the operator, the dry run and the journal."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bt_exec_skills.door.perception.ground_truth_estimator import OracleEstimator, oracle_detector
from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation, Touch
from bt_exec_skills.door.perception.pipeline import DoorPerception
from bt_exec_skills.perception.contracts import Detection, View

Scenes = Callable[..., DoorObservation]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "door open 0.9 · handle yes · material no"),
        ("ko", "문 열림 0.9 · 손잡이 보임 · 자재 안 보임"),
    ],
)
def test_observation_is_described_in_one_line(scene: Scenes, language: str, line: str) -> None:
    assert scene(state="open", labels=("door", "door-handle")).describe(language) == line


@pytest.mark.parametrize(
    ("doubts", "word"),
    [
        ((), "no"),
        (("",), "yes"),
        (("unconfirmed",), "unsure"),
        (("outside",), "outside"),
        (("outside", ""), "yes"),
    ],
)
def test_doubtful_detection_is_not_described_as_seen(doubts: tuple[Any, ...], word: str) -> None:
    found = tuple(Detection("material", (1, 2, 3, 4), 0.9, doubt=doubt) for doubt in doubts)
    told = DoorObservation(0.0, found, DoorEstimate("open", 0.9)).describe("en")
    assert told == f"door open 0.9 · handle no · material {word}"


def test_camera_fault_is_reported(scene: Scenes) -> None:
    told = scene(state="uncertain", labels=(), fault="dark").describe("en")
    assert told == "door uncertain 0.9 · handle no · material no · camera: dark"


def test_labels_are_unique(scene: Scenes) -> None:
    assert scene(labels=("material", "door", "material")).labels() == ("material", "door")


def test_uncertain_detection_establishes_no_fact(scene: Scenes) -> None:
    assert scene(state="ajar").facts() == {"door": "ajar", "material": "behind_door"}
    assert scene(state="closed").facts() == {"door": "closed"}
    assert scene(state="uncertain").facts() == {}


def test_record_is_plain_data(scene: Scenes) -> None:
    record = scene(t=1.5, labels=("door",)).record()
    assert json.loads(json.dumps(record)) == record
    assert record == {
        "t": 1.5,
        "detections": [{"type": "door", "bbox": [10, 20, 30, 40], "score": 0.9}],
        "door": {"state": "closed", "confidence": 0.9, "evidence": ["primary:test"]},
        "fault": None,
    }


class Still:
    """Camera with a single picture."""

    def __init__(self, frame: np.ndarray) -> None:
        self.frame = frame

    def capture(self) -> float:
        return 3.0

    def view(self, capture: float) -> View:
        return View(capture, self.frame)

    def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(("shape", "fault"), [((4, 4, 3), "dark"), ((0, 0, 3), "missing")])
def test_dark_or_tiny_picture_is_a_fault(shape: tuple, fault: str) -> None:
    frame = np.zeros(shape, np.uint8)
    sight = DoorPerception(Still(frame), oracle_detector(), OracleEstimator())
    scene = sight.interpret(sight.capture())
    assert (scene.fault, scene.t) == (fault, 3.0)
    assert scene.door.state == "uncertain"


def test_oracle_requires_a_simulated_camera() -> None:
    from bt_exec.failure import UsageError

    frame = np.full((4, 4, 3), 90, np.uint8)
    sight = DoorPerception(Still(frame), oracle_detector(), OracleEstimator())
    with pytest.raises(UsageError, match="the oracle needs a simulated camera"):
        sight.interpret(sight.capture())


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
    assert touch.tactile_state() is None
    robot.held["left"] = "material"
    assert touch.tactile_state() == "held"
    robot.held.clear()
    robot.within = not within  # the position of an empty hand is no evidence
    assert touch.tactile_state() == lost
    robot.held["right"] = "material"
    assert touch.tactile_state() == "held"


def test_held_handle_is_not_material() -> None:
    robot = hands(within=False)
    robot.held["right"] = "door-handle"
    assert Touch(robot).tactile_state() is None


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
def test_material_location_combines_vision_and_touch(
    touched: Any, detections: Any, material: str | None
) -> None:
    facts = DoorObservation(0.0, detections, OPEN, touched=touched).facts()
    assert facts.get("material") == material
    assert facts["door"] == "open"
