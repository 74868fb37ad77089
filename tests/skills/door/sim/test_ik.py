"""Inverse kinematics: solutions reach their target, unreachable targets are detected."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec_skills.door.robot import ARMS, Arm
from bt_exec_skills.door.sim.arm_mjcf import FINGER_OPEN, HOME, SHOULDER, side_of
from bt_exec_skills.door.sim.ik import ArmIK, Pose, Vector
from bt_exec_skills.door.sim.layout import WorldOptions
from bt_exec_skills.door.sim.world import DoorWorld

SOLVERS = {arm: ArmIK(arm) for arm in ARMS}
WORLD = DoorWorld(WorldOptions())


def grip_at(arm: Arm, q: Vector) -> Vector:
    limb = WORLD.limbs[arm]
    limb.place(q, FINGER_OPEN)
    mujoco.mj_forward(WORLD.model, WORLD.data)
    return limb.grip


@given(
    arm=st.sampled_from(ARMS),
    x=st.floats(0.4, 0.7),
    y=st.floats(-0.1, 0.3),
    z=st.floats(0.85, 1.15),
)
@settings(max_examples=40)
def test_point_in_front_of_the_shoulder_is_reached(arm: str, x: float, y: float, z: float) -> None:
    place = np.array([x, side_of(arm) * y, z])
    q = SOLVERS[arm].solve(Pose(place), np.array(HOME[arm]))
    assert q is not None
    assert np.linalg.norm(grip_at(arm, q) - place) <= 0.012


@pytest.mark.parametrize("arm", ARMS)
def test_point_beyond_the_arm_is_unreachable(arm: str) -> None:
    place = np.array([1.05, side_of(arm) * SHOULDER[1], SHOULDER[2]])
    assert SOLVERS[arm].solve(Pose(place), np.array(HOME[arm])) is None


def test_orientation_can_be_requested() -> None:
    pose = Pose(np.array([0.2, -0.5, 1.0]), yaw=2.8, turn_cost=0.2, turn_tolerance=0.3)
    start = np.array(HOME["right"])
    assert SOLVERS["right"].solve(pose, start) is None
    easy = Pose(np.array([0.5, -0.2, 1.0]), yaw=0.2, turn_tolerance=0.3)
    assert SOLVERS["right"].solve(easy, start) is not None


def test_solution_does_not_depend_on_earlier_queries() -> None:
    solver, start = SOLVERS["left"], np.array(HOME["left"])
    pose = Pose(np.array([0.6, 0.1, 1.0]))
    first = solver.solve(pose, start)
    solver.solve(Pose(np.array([0.4, 0.3, 0.9])), start)
    again = solver.solve(pose, start)
    assert first is not None
    assert again is not None
    assert (first == again).all()
