"""Every skill: it succeeds, it fails with every code it declares, and a cancel freezes the arms."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bt_exec.failure import Failed
from bt_exec.skill import Skill
from bt_exec_skills.door.pack import PACK
from bt_exec_skills.door.robot import CLOSED_RAD, OPEN_RAD

pytestmark = pytest.mark.sampled

SKILLS: dict[str, Skill] = {skill.name: skill for skill in PACK.skills}
HANDLE = {"arm": "right", "object_label": "door-handle"}
MATERIAL = {"arm": "right", "object_label": "material"}
ARGS: dict[str, dict[str, str]] = {
    "open_door": HANDLE,
    "close_door": HANDLE,
    "move_arm": MATERIAL,
    "grasp": MATERIAL,
    "release": {"arm": "right"},
    "return_arm": {"arm": "right"},
    "return_home": {},
}
FULL = {"held": {"left": None, "right": "material"}}
LOST = {"held": {"left": None, "right": None}}
OPEN = {"door_angle_rad": 1.3}


# -- in the simulated world


def test_material_is_fetched_in_the_simulated_world(ride: Callable[..., Any]) -> None:
    trip = ride(seed=11, door="closed")
    assert trip.run(SKILLS["open_door"], **HANDLE) == "OK"
    assert trip.phases[:3] == ["looking", "planning", "reaching for the handle"]
    assert trip.robot.door_angle_rad >= OPEN_RAD
    assert trip.run(SKILLS["move_arm"], **MATERIAL) == "OK"
    assert trip.run(SKILLS["grasp"], **MATERIAL) == "OK"
    assert trip.run(SKILLS["close_door"], **HANDLE) == "OK"
    assert trip.robot.door_angle_rad <= CLOSED_RAD
    assert trip.run(SKILLS["return_home"]) == "OK"
    assert trip.robot.holding("right") == "material"
    assert trip.rig.robot_facts() == {
        "hand.left": "empty",
        "hand.right": "material",
        "at.left": "home",
        "at.right": "home",
        "doorway": "free",
    }
    assert trip.run(SKILLS["release"], arm="right") == "OK"
    assert trip.run(SKILLS["release"], arm="right") == "HAND_EMPTY"


@pytest.mark.parametrize(
    ("world", "skill", "args", "code"),
    [
        ({"fault": "jammed"}, "open_door", HANDLE, "DOOR_STUCK"),
        ({}, "open_door", {"arm": "right", "object_label": "door"}, "NO_GRIP"),
        ({"door": "ajar"}, "open_door", {"arm": "left", "object_label": "door"}, "UNREACHABLE"),
        ({"fault": "dark"}, "open_door", HANDLE, "UNCERTAIN_PERCEPTION"),
        ({"fault": "frozen"}, "close_door", HANDLE, "OK"),  # it is closed: nothing to do
        ({"fault": "jammed", "door": "ajar"}, "close_door", HANDLE, "DOOR_STUCK"),
        ({"door": "open", "material": "absent"}, "move_arm", MATERIAL, "LABEL_NOT_DETECTED"),
        ({"door": "open", "fault": "slippery"}, "grasp", MATERIAL, "GRASP_SLIPPED"),
    ],
)
def test_skill_fails_with_its_code_in_an_unsuitable_simulated_world(
    ride: Callable[..., Any], world: Any, skill: str, args: Any, code: str
) -> None:
    assert ride(seed=3, **world).run(SKILLS[skill], **args) == code


def test_frozen_camera_prevents_motion(ride: Callable[..., Any]) -> None:
    trip = ride(seed=3)
    trip.tick(0)
    trip.rig.perception.camera.behind.fault = "frozen"
    trip.sim.step(1.0)
    before = trip.robot.world.data.qpos.copy()
    assert trip.run(SKILLS["open_door"], **HANDLE) == "UNCERTAIN_PERCEPTION"
    assert np.abs(trip.robot.world.data.qpos - before).max() < 1e-3


@pytest.mark.parametrize("ticks", [20, 50, 70])
def test_cancel_freezes_the_arms_within_a_tick(ride: Callable[..., Any], ticks: int) -> None:
    trip = ride(seed=3)
    steps = trip.start(SKILLS["open_door"], **HANDLE)
    for count in range(ticks):
        next(steps)
        trip.tick(count)
    steps.close()
    trip.sim.step(0.05)
    then = trip.robot.world.limbs["right"].q
    trip.sim.step(0.5)
    assert np.abs(trip.robot.world.limbs["right"].q - then).max() < 0.01
    assert trip.robot.still


# on a scripted robot: every declared code

Case = tuple[str, str, dict[str, Any], dict[str, Any]]
BLIND = {"fault": "dark", "labels": (), "state": "uncertain"}
CASES: list[Case] = [
    # skill, code, robot, scene
    ("open_door", "DOOR_STUCK", {"reason": "STUCK: it does not move"}, {}),
    ("open_door", "GRASP_SLIPPED", {"reason": "MISSED: beside it"}, {}),
    ("open_door", "HAND_FULL", FULL, {}),
    ("open_door", "NO_GRIP", {"reason": "NO_GRIP: no gap"}, {}),
    ("close_door", "DOOR_STUCK", {"reason": "STUCK: it does not move", **OPEN}, {}),
    ("close_door", "GRASP_SLIPPED", {**FULL, **OPEN, "after": LOST}, {}),
    ("move_arm", "HAND_FULL", FULL, {}),
    ("move_arm", "NOT_IN_PLACE", {"placed": False}, {}),
    ("grasp", "HAND_FULL", FULL, {}),
    ("grasp", "GRASP_SLIPPED", {}, {}),
    ("release", "HAND_EMPTY", {}, {}),
    ("release", "GRIPPER_JAMMED", FULL, {}),
    ("return_arm", "NOT_IN_PLACE", {"at_home": False}, {}),
    ("return_home", "NOT_IN_PLACE", {"at_home": False}, {}),
    ("release", "UNCERTAIN_PERCEPTION", FULL, BLIND),
    ("return_arm", "UNCERTAIN_PERCEPTION", {}, BLIND),
    ("return_home", "UNCERTAIN_PERCEPTION", {}, BLIND),
    *(
        (name, code, {"reason": f"{reason}: so it is", **more}, {})
        for name, more in (
            ("open_door", {}),
            ("close_door", OPEN),
            ("move_arm", {}),
            ("grasp", {}),
            ("release", FULL),
            ("return_arm", {}),
            ("return_home", {}),
        )
        for reason, code in (
            ("UNREACHABLE", "UNREACHABLE"),
            ("STOPPED", "STOPPED"),
            ("ODD", "BLOCKED"),
        )
    ),
    *(
        (name, code, more, scene)
        for name, more in (
            ("open_door", {}),
            ("close_door", OPEN),
            ("move_arm", {}),
            ("grasp", {}),
        )
        for code, scene in (
            ("LABEL_NOT_DETECTED", {"labels": ("person",)}),
            ("UNCERTAIN_PERCEPTION", BLIND),
        )
    ),
]


@pytest.mark.parametrize(("skill", "code", "robot", "look"), CASES)
def test_every_declared_failure_code_is_raised(
    play: Any, scripted: Any, skill: str, code: str, robot: Any, look: Any
) -> None:
    body = scripted(**robot)
    assert play(SKILLS[skill], body, lambda t: make(t, look), **ARGS[skill]) == code


def make(t: float, look: dict[str, Any]) -> Any:
    from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation
    from bt_exec_skills.perception.contracts import Detection

    labels = look.get("labels", ("door", "door-handle", "material"))
    found = tuple(Detection(label, (0, 0, 9, 9), 0.9) for label in labels)
    return DoorObservation(
        t, found, DoorEstimate(look.get("state", "open"), 0.9), fault=look.get("fault")
    )


@pytest.mark.parametrize("skill", PACK.skills, ids=lambda s: s.name)
def test_every_declared_failure_code_has_a_test_case(skill: Skill) -> None:
    assert {code for name, code, *_ in CASES if name == skill.name} == skill.fails


@pytest.mark.parametrize("name", ["open_door", "close_door", "move_arm", "grasp"])
@pytest.mark.parametrize("seen", ["stale", "nothing"])
def test_skill_does_not_move_without_fresh_pictures(
    play: Any, scripted: Any, name: str, seen: str
) -> None:
    body = scripted(**OPEN) if name == "close_door" else scripted()
    scenes = {"stale": lambda t: make(-5.0, {}), "nothing": lambda t: None}[seen]
    assert play(SKILLS[name], body, scenes, **ARGS[name]) == "UNCERTAIN_PERCEPTION"
    assert body.motions == []


@pytest.mark.parametrize("name", ["open_door", "close_door"])
def test_door_in_an_uncertain_state_is_not_touched(play: Any, scripted: Any, name: str) -> None:
    body = scripted(door_angle_rad=0.5)
    look = {"state": "uncertain"}
    assert play(SKILLS[name], body, lambda t: make(t, look), **ARGS[name]) == "UNCERTAIN_PERCEPTION"
    assert body.motions == []


@pytest.mark.parametrize(("name", "angle"), [("open_door", 1.2), ("close_door", 0.01)])
def test_door_in_the_requested_state_is_not_moved(
    play: Any, scripted: Any, name: str, angle: float
) -> None:
    body = scripted(door_angle_rad=angle)
    assert play(SKILLS[name], body, **ARGS[name]) == "OK"
    assert body.motions == []


@pytest.mark.parametrize(("name", "angle"), [("open_door", 0.4), ("close_door", 0.4)])
def test_success_depends_on_the_hinge_angle_not_the_motion(
    play: Any, scripted: Any, name: str, angle: float
) -> None:
    body = scripted(door_angle_rad=angle)
    assert play(SKILLS[name], body, lambda t: make(t, {}), **ARGS[name]) == "DOOR_STUCK"


@pytest.mark.parametrize("name", sorted(SKILLS))
def test_motion_is_stopped_at_every_end_of_a_skill(scripted: Any, name: str) -> None:
    from bt_exec.observation import ObservationBuffer, World

    robot: dict[str, Any] = {"close_door": OPEN, "release": FULL}.get(name, {})
    for cancelled in (False, True):
        body = scripted(**robot)
        sight: Any = ObservationBuffer(lambda: 1.0)
        for t in (0.5, 0.6):
            sight.add(make(t, {}))
        skill = SKILLS[name]
        steps = skill(**skill.injected_arguments(body, World(sight, 0.0)), **ARGS[name])
        next(steps)
        assert len(body.motions) == 1
        if cancelled:
            steps.close()
        else:
            with contextlib.suppress(Failed):
                list(steps)
        assert body.motions[0][1].stops >= 1
