"""Motions of the simulated robot: effects, failures, and immediate stops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bt_exec.robot import Motion
from bt_exec_skills.door.robot import CLOSED_RAD, OPEN_RAD, DoorRobot
from bt_exec_skills.door.sim.layout import WorldOptions
from bt_exec_skills.door.sim.simulated_robot import SimDoorRobot
from bt_exec_skills.door.sim.world import DoorWorld

pytestmark = pytest.mark.sampled

TICK_S = 0.05


def robot(**options: Any) -> SimDoorRobot:
    return SimDoorRobot(DoorWorld(WorldOptions(**options)))


def finish(body: SimDoorRobot, motion: Motion) -> str:
    """Step until the motion ends, and return OK or its code."""
    for _ in range(1200):
        if motion.done:
            return motion.failure.code if motion.failure is not None else "OK"
        body.step(TICK_S)
    return "ENDLESS"


def test_simulated_robot_implements_the_door_robot_interface() -> None:
    assert isinstance(robot(), DoorRobot)


def test_same_seed_and_motions_give_identical_states() -> None:
    ends = []
    for _ in range(2):
        body = robot(seed=5, door="ajar")
        finish(body, body.pull_open("right", "door-handle"))
        ends.append(body.world.data.qpos.tobytes() + body.world.data.qvel.tobytes())
    assert ends[0] == ends[1]
    assert robot(seed=6).world.data.qpos.tobytes() != robot(seed=5).world.data.qpos.tobytes()


@pytest.mark.parametrize(
    ("arm", "label", "door"),
    [
        ("right", "door-handle", "closed"),
        ("right", "door-handle", 0.1),
        ("right", "door", "ajar"),
        ("left", "door-handle", "closed"),
        ("left", "door-handle", 0.8),
    ],
)
def test_door_is_pulled_open_and_pushed_shut(arm: Any, label: str, door: Any) -> None:
    body = robot(seed=7, door=door)
    assert finish(body, body.pull_open(arm, label)) == "OK"
    assert body.door_angle_rad >= OPEN_RAD
    assert body.at_home
    assert finish(body, body.push_shut(arm, label)) == "OK"
    assert body.door_angle_rad <= CLOSED_RAD
    assert body.at_home


@pytest.mark.parametrize("arm", ["right", "left"])
def test_material_is_taken_and_stays_in_the_hand_that_closes_the_door(arm: Any) -> None:
    body = robot(seed=2, door=1.3)
    assert finish(body, body.reach(arm, "material")) == "OK"
    assert body.at_label(arm, "material")
    assert finish(body, body.close_gripper(arm, "material")) == "OK"
    assert body.holding(arm) == "material"
    assert finish(body, body.push_shut(arm, "door")) == "OK"
    assert body.door_angle_rad <= CLOSED_RAD
    assert finish(body, body.go_home()) == "OK"
    assert body.holding(arm) == "material"
    assert body.at_home
    assert finish(body, body.open_gripper(arm)) == "OK"
    assert body.holding(arm) is None


@pytest.mark.parametrize("ticks", [8, 14, 15, 16, 17, 18, 24])
def test_material_stays_within_reach_after_an_interrupted_grasp(ticks: int) -> None:
    body = robot(seed=2, door=1.3)
    assert finish(body, body.reach("right", "material")) == "OK"
    motion = body.close_gripper("right", "material")
    for _ in range(ticks):
        body.step(TICK_S)
    motion.stop()
    body.step(TICK_S)
    if body.holding("right") is None:
        assert finish(body, body.reach("right", "material")) == "OK"
        assert body.at_label("right", "material")
        assert finish(body, body.close_gripper("right", "material")) == "OK"
    assert body.holding("right") == "material"


@pytest.mark.parametrize(
    ("options", "motion", "args", "code"),
    [
        ({"fault": "jammed"}, "pull_open", ("right", "door-handle"), "STUCK"),
        ({"fault": "jammed", "door": "ajar"}, "push_shut", ("right", "door"), "STUCK"),
        ({}, "pull_open", ("right", "door"), "NO_GRIP"),
        ({"door": "ajar"}, "pull_open", ("left", "door"), "UNREACHABLE"),
        ({"door": "ajar"}, "reach", ("right", "material"), "UNREACHABLE"),
        ({"door": "open", "material": "absent"}, "reach", ("right", "material"), "UNREACHABLE"),
        ({"door": "open", "fault": "slippery"}, "close_gripper", ("right", "material"), "SLIPPED"),
    ],
)
def test_failed_motion_has_a_reason(options: Any, motion: str, args: Any, code: str) -> None:
    body = robot(seed=3, **options)
    assert finish(body, getattr(body, motion)(*args)) == code


@pytest.mark.parametrize(("door", "seed"), [(0.5, 1), (0.55, 0), (0.55, 4), (0.625, 0), (0.9, 2)])
@pytest.mark.parametrize("motion", ["pull_open", "push_shut"])
def test_hand_does_not_collide_with_the_door_on_its_way(
    motion: str, door: float, seed: int
) -> None:
    body = robot(seed=seed, door=door)
    moving = getattr(body, motion)("right", "door-handle")
    while not moving.done and moving.doing not in ("gripping the handle", "pushing"):
        body.step(TICK_S)
        assert abs(body.door_angle_rad - door) < 0.03, moving.doing
    assert finish(body, moving) == "OK"


def test_unreachable_goal_causes_no_motion() -> None:
    body = robot(seed=3, door="ajar")
    before = body.world.data.qpos.copy()
    finish(body, body.pull_open("left", "door"))
    assert np.abs(body.world.data.qpos - before).max() < 1e-3


def test_slippery_material_is_held_after_the_second_grasp_attempt() -> None:
    body = robot(seed=1, door="open", fault="slippery")
    assert finish(body, body.close_gripper("right", "material")) == "SLIPPED"
    assert finish(body, body.close_gripper("right", "material")) == "OK"
    assert body.holding("right") == "material"


def test_second_grasp_attempt_starts_from_another_posture() -> None:
    body = robot(seed=3, fault="jammed")
    places = []
    for _ in range(2):
        motion = body.pull_open("right", "door-handle")
        while motion.doing != "gripping the handle":
            body.step(TICK_S)
        places.append(body.world.limbs["right"].q)
        finish(body, motion)
    assert np.abs(places[0] - places[1]).max() > 0.05


@pytest.mark.parametrize("seconds", [0.5, 2.2, 3.0, 4.5])
@pytest.mark.parametrize("way", ["motion", "robot"])
def test_stop_freezes_the_arms_within_a_tick(seconds: float, way: str) -> None:
    body = robot(seed=3)
    motion = body.pull_open("right", "door-handle")
    body.step(seconds)
    (motion if way == "motion" else body).stop()
    body.step(TICK_S)
    assert motion.done
    assert str(motion.failure) == "STOPPED: it was asked to stop"
    then = body.world.limbs["right"].q
    body.step(0.5)
    assert np.abs(body.world.limbs["right"].q - then).max() < 0.01
    assert body.still
    motion.stop()  # has no effect


def test_hand_stopped_on_the_handle_releases_it_before_the_other_pulls() -> None:
    body = robot(seed=3)
    body.pull_open("right", "door-handle")
    body.step(2.6)
    body.stop()
    body.step(TICK_S)
    assert body.holding("right") == "door-handle"
    assert finish(body, body.pull_open("left", "door-handle")) == "OK"
    assert body.holding("right") is None
    assert body.door_angle_rad >= OPEN_RAD


def test_new_motion_of_an_arm_ends_the_previous_one() -> None:
    body = robot(seed=3, door="open")
    first = body.reach("right", "material")
    body.step(0.4)
    second = body.go_home()
    assert first.done
    assert finish(body, second) == "OK"
    assert body.at_home


def test_time_does_not_drift_when_steps_do_not_fit_the_period() -> None:
    body = robot()
    for _ in range(100):
        body.step(0.033)
    assert body.time == pytest.approx(3.3, abs=0.011)
