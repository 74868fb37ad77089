"""Inverse kinematics of a site: error, descent, limits."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec_skills.motion.site_ik import SiteIK, hand_rotation

ARM = """<mujoco><compiler angle="radian" autolimits="true"/><worldbody>
  <body><joint name="lift" type="slide" axis="0 0 1" range="0 0.5"/><geom size="0.02"/>
    <body pos="0 0 0.1"><joint axis="0 0 1" range="-2 2"/><geom size="0.02"/>
      <body pos="0.4 0 0"><joint axis="0 1 0" range="-2 2"/><geom size="0.02"/>
        <body pos="0.3 0 0"><joint axis="0 0 1" range="-2 2"/><geom size="0.02"/>
          <site name="tip" pos="0.1 0 0"/>
</body></body></body></body></worldbody></mujoco>"""
MODEL = mujoco.MjModel.from_xml_string(ARM)
LOW, HIGH = MODEL.jnt_range.T
shares = st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4).map(np.array)


def chain() -> SiteIK:
    return SiteIK(MODEL, "tip", damping=1e-6, error_damping=1e-4)


def joints(share: np.ndarray) -> np.ndarray:
    return LOW + share * (HIGH - LOW)


def pose_at(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    data = mujoco.MjData(MODEL)
    data.qpos[:] = q
    mujoco.mj_kinematics(MODEL, data)
    return data.site_xpos[0].copy(), data.site_xmat[0].reshape(3, 3).copy()


@given(shares)
def test_error_is_zero_at_the_target(share: np.ndarray) -> None:
    arm = chain()
    arm.set_joints(joints(share))
    arm.target = pose_at(joints(share))
    assert arm.target_offset() == pytest.approx(np.zeros(6), abs=1e-6)


def test_error_has_offset_and_rotation_vector_in_the_world() -> None:
    arm = chain()
    arm.set_joints(np.zeros(4))
    place, rotation = pose_at(np.zeros(4))
    arm.target = place - [0.1, 0.2, 0.3], hand_rotation(-0.5) @ rotation
    assert arm.target_offset() == pytest.approx([0.1, 0.2, 0.3, 0.0, 0.0, 0.5])


@given(shares, shares)
def test_ik_step_respects_joint_limits_and_step_size(start: np.ndarray, goal: np.ndarray) -> None:
    arm = chain()
    arm.set_joints(joints(start))
    arm.target = pose_at(joints(goal))
    before = arm.data.qpos.copy()
    arm.step(0.2)
    assert np.abs(arm.data.qpos - before).max() <= 0.2 + 1e-5
    assert (arm.data.qpos >= LOW - 1e-5).all()
    assert (arm.data.qpos <= HIGH + 1e-5).all()


@given(shares, st.lists(st.floats(-0.3, 0.3), min_size=4, max_size=4))
def test_ik_reaches_a_nearby_target(goal: np.ndarray, offset: list[float]) -> None:
    arm = chain()
    q = joints(0.1 + 0.8 * goal)
    arm.set_joints(np.clip(q + offset, LOW, HIGH))
    arm.target = pose_at(q)
    for _ in range(60):
        arm.step(0.5)
    assert np.abs(arm.target_offset()).max() < 2e-3


def test_posture_determines_the_free_joints() -> None:
    arm = chain()
    arm.turn_cost = 0.0
    arm.target = np.array([0.7, 0.1, 0.3]), np.eye(3)
    found = []
    for bend in (-0.8, 0.8):
        arm.set_joints(np.array([0.2, 0.0, 0.3, 0.1]))
        arm.posture = np.array([0.2, 0.0, 0.3, bend]), 1e-3
        for _ in range(60):
            arm.step(0.3)
        assert np.abs(arm.target_offset()[:3]).max() < 1e-3
        found.append(arm.data.qpos[3])
    assert found[0] < 0 < found[1]


def test_hand_rotation_pitches_then_yaws() -> None:
    fingers = hand_rotation(0.5, 0.3)[:, 0]
    expected = [np.cos(0.3) * np.cos(0.5), np.cos(0.3) * np.sin(0.5), -np.sin(0.3)]
    assert fingers == pytest.approx(expected)
