"""Skills on a scripted robot: success, failure messages, short camera faults.

Failure codes are tested in `test_skills`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from bt_exec.failure import Failed
from bt_exec.observation import ObservationBuffer, World
from bt_exec_skills.door.perception.observation import DoorObservation
from bt_exec_skills.door.robot import CLOSED_RAD, OPEN_RAD
from tests.skills.door.skills.test_skills import ARGS, FULL, LOST, OPEN, SKILLS

TAKEN = {"held": {"left": None, "right": "material"}}
WORKS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    # skill, robot, effect of its motion, the motion
    ("open_door", {}, {"door_angle_rad": 1.2}, "pull_open"),
    ("open_door", {}, {"door_angle_rad": OPEN_RAD}, "pull_open"),
    ("open_door", {"held": {"left": "material", "right": None}}, OPEN, "pull_open"),
    ("close_door", OPEN, {"door_angle_rad": 0.0}, "push_shut"),
    ("close_door", OPEN, {"door_angle_rad": CLOSED_RAD}, "push_shut"),
    ("close_door", {**FULL, **OPEN}, {"door_angle_rad": 0.0}, "push_shut"),
    ("move_arm", {}, {}, "reach"),
    ("grasp", {}, TAKEN, "close_gripper"),
    ("release", FULL, LOST, "open_gripper"),
    ("return_arm", {"at_home": False}, {"at_home": True}, "return_arm"),
    ("return_home", {"at_home": False}, {"at_home": True}, "go_home"),
    ("return_home", FULL, {}, "go_home"),
]


@pytest.mark.parametrize(("name", "robot", "after", "motion"), WORKS)
def test_skill_succeeds_in_the_expected_world(
    play: Any, scripted: Any, name: str, robot: Any, after: Any, motion: str
) -> None:
    body = scripted(**robot, after=after)
    assert play(SKILLS[name], body, **ARGS[name]) == "OK"
    assert [name for name, _ in body.motions] == [motion]
    assert body.motions[0][1].stops == 1


def test_every_skill_has_a_test_case_for_success() -> None:
    assert {name for name, *_ in WORKS} == {*SKILLS}


TOLD: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    # skill, robot, message, evidence
    (
        "open_door",
        {"after": {"door_angle_rad": 0.4}},
        f"the door is at 0.40 rad, open is {OPEN_RAD:.2f}",
        {"angle_deg": 23},
    ),
    (
        "close_door",
        {**OPEN, "after": {"door_angle_rad": 0.4}},
        f"the door is at 0.40 rad, closed is {CLOSED_RAD:.2f}",
        {"angle_deg": 23},
    ),
    ("open_door", FULL, "the right hand holds the material", {"held": "material"}),
    ("move_arm", FULL, "the right hand holds the material", {"held": "material"}),
    ("grasp", FULL, "the right hand holds the material", {"held": "material"}),
    (
        "close_door",
        {**FULL, **OPEN, "after": {**LOST, "door_angle_rad": 0.0}},
        "the material was lost while the door was pushed",
        {"held": "material"},
    ),
    ("grasp", {}, "the right hand came back without the material", {}),
    ("move_arm", {"placed": False}, "the right hand is not in front of the material", {}),
    ("release", {}, "the right hand holds nothing", {}),
    ("release", FULL, "the right hand still holds the material", {"held": "material"}),
    ("return_home", {"at_home": False}, "the arms did not come to rest at home", {}),
    ("grasp", {"reason": "STUCK: it is jammed"}, "it is jammed", {"angle_deg": 0}),
    ("grasp", {"reason": "STUCK", "door_angle_rad": 1.2}, "STUCK", {"angle_deg": 69}),
]


@pytest.mark.parametrize(("name", "robot", "message", "evidence"), TOLD)
def test_failure_contains_the_observation(
    play: Any, scripted: Any, name: str, robot: Any, message: str, evidence: Any
) -> None:
    body = scripted(**robot)
    assert play(SKILLS[name], body, **ARGS[name]) != "OK"
    assert (body.failed.message, body.failed.evidence) == (message, evidence)
    assert body.failed.retryable


@pytest.mark.parametrize("short", [0.001, 0.3])
def test_skill_fails_if_the_door_stops_just_before_the_limit(
    play: Any, scripted: Any, short: float
) -> None:
    body = scripted(after={"door_angle_rad": OPEN_RAD - short})
    assert play(SKILLS["open_door"], body, **ARGS["open_door"]) == "DOOR_STUCK"
    body = scripted(**OPEN, after={"door_angle_rad": CLOSED_RAD + short})
    assert play(SKILLS["close_door"], body, **ARGS["close_door"]) == "DOOR_STUCK"
    assert body.failed.evidence["angle_deg"] == round(math.degrees(CLOSED_RAD + short))


@pytest.mark.parametrize(
    ("labels", "seen"),
    [
        (("door", "door-handle"), "door, door-handle"),
        ((), "nothing"),
        (("person",), "person"),
    ],
)
def test_missing_label_is_reported_with_visible_ones(
    play: Any, scripted: Any, scene: Any, labels: tuple[str, ...], seen: str
) -> None:
    body = scripted()
    found = play(SKILLS["grasp"], body, lambda t: scene(t=t, labels=labels), **ARGS["grasp"])
    assert found == "LABEL_NOT_DETECTED"
    assert body.failed.message == f"material is not detected now ({seen})"
    assert body.failed.evidence == {"label": "material"}
    assert body.motions == []


def test_missing_label_is_not_listed_as_visible_after_one_detection(
    scripted: Any, scene: Any
) -> None:
    """Three pictures without it decide before a second one with it."""
    labels = [("door",), ("door",), ("door",), ("door", "material")]
    sight: ObservationBuffer[DoorObservation] = ObservationBuffer(lambda: 1.0)
    for number, seen in enumerate(labels):
        sight.add(scene(t=number / 10, labels=seen))
    skill, body = SKILLS["grasp"], scripted()
    steps = skill(**skill.injected_arguments(body, World(sight, 0.0)), **ARGS["grasp"])
    with pytest.raises(Failed, match=r"material is not detected now \(door\)$"):
        list(steps)
    assert body.motions == []


MOVES = [(name, robot, after) for name, robot, after, _ in WORKS]


def blinking(
    scene: Callable[..., DoorObservation], body: Any, blinks: int, pictures: int = 2
) -> Callable[[float], DoorObservation]:
    """Return what is seen by a camera that is dark for some pictures in each of the first motions.

    A motion lasts from its start until it is stopped.
    """
    dark = [0] * 99

    def see(t: float) -> DoorObservation:
        number = len(body.motions)
        moving = number and not body.motions[-1][1].stops
        if moving and number <= blinks and dark[number] < pictures:
            dark[number] += 1
            return scene(t=t, labels=(), state="uncertain", fault="dark")
        return scene(t=t)

    return see


@pytest.mark.parametrize("blinks", [0, 1, 2, 3, 9])
@pytest.mark.parametrize(("name", "robot", "after"), MOVES)
def test_motion_restarts_at_most_twice_after_lost_perception(
    play: Any, scripted: Any, scene: Any, name: str, robot: Any, after: Any, blinks: int
) -> None:
    body = scripted(**robot, looks=10)
    start = body._start

    def begin(motion: str) -> Any:
        body.after = after if len(body.motions) >= min(blinks, 2) else {}
        return start(motion)

    body._start = begin
    ended = play(SKILLS[name], body, blinking(scene, body, blinks), **ARGS[name])
    assert [motion.stops for _, motion in body.motions] == [1] * (min(blinks, 2) + 1)
    assert ended == ("OK" if blinks <= 2 else "UNCERTAIN_PERCEPTION")
    if blinks > 2:
        assert body.failed.message == "the camera is dark"
        assert body.failed.evidence["age_s"] <= 0.1


@pytest.mark.parametrize(("name", "robot", "after"), MOVES)
def test_single_bad_picture_does_not_stop_a_motion(
    play: Any, scripted: Any, scene: Any, name: str, robot: Any, after: Any
) -> None:
    body = scripted(**robot, after=after, looks=10)
    seen = blinking(scene, body, blinks=1, pictures=1)
    assert play(SKILLS[name], body, seen, **ARGS[name]) == "OK"
    assert len(body.motions) == 1
