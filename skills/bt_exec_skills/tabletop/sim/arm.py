"""Arm of the simulated robot: a lift, three joints about vertical axes, and two fingers.

The hand always points down, so a grasp is a position and a yaw. Positions are in the frame of the
base: x ahead, y to the left, z up.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.motion.site_ik import SiteIK, hand_rotation

__all__ = ["FINGER_OPEN", "HAND_DROP", "HOME", "JOINTS", "REACH", "ArmIK", "add_arm"]

Vector = npt.NDArray[np.float64]

JOINTS = ("lift", "shoulder", "elbow", "wrist")
HAND_DROP = 0.26
"""Vertical distance from the arm's links down to the grip [m]."""
FINGER_OPEN = 0.052
"""Half the distance between the open fingers [m]."""
_SHOULDER_X = 0.14
_LINK1, _LINK2 = 0.42, 0.40
_LIFT = (HAND_DROP + 0.012, 1.3)
HOME: tuple[float, ...] = (0.86 + HAND_DROP, -1.15, 2.2, -1.05)
"""Joint values at rest [m, rad, rad, rad]: the hand is above the front of the base."""
REACH = (0.40, 0.88)
"""Minimum and maximum distance of the grip from the centre of the base [m]."""


def add_arm(spec: Any, base: Any, *, actuators: bool) -> None:
    """Add the arm to the body `base` of a spec, with its motors if `actuators` is set."""
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    look = {"contype": 0, "conaffinity": 0}
    lift = base.add_body(name="lift", pos=[_SHOULDER_X, 0, 0], gravcomp=1)
    lift.add_joint(name="lift", type=slide, axis=[0, 0, 1], range=_LIFT, armature=1.0)
    _link(lift, "lift", [0, 0, 0, 0, 0, 0.05], 0.05, 1.0, look)
    upper = lift.add_body(name="upper", gravcomp=1)
    upper.add_joint(name="shoulder", type=hinge, axis=[0, 0, 1], range=[-2.4, 2.4], armature=0.05)
    _link(upper, "upper", [0, 0, 0, _LINK1, 0, 0], 0.035, 1.2, look)
    fore = upper.add_body(name="fore", pos=[_LINK1, 0, 0], gravcomp=1)
    fore.add_joint(name="elbow", type=hinge, axis=[0, 0, 1], range=[-2.6, 2.6], armature=0.05)
    _link(fore, "fore", [0, 0, 0, _LINK2, 0, 0], 0.03, 0.8, look)
    hand = fore.add_body(name="hand", pos=[_LINK2, 0, 0], gravcomp=1)
    hand.add_joint(name="wrist", type=hinge, axis=[0, 0, 1], range=[-3.4, 3.4], armature=0.02)
    _link(hand, "wrist", [0, 0, 0, 0, 0, 0.08 - HAND_DROP], 0.025, 0.3, look)
    hand.add_geom(
        name="hand/palm",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=[0, 0, 0.065 - HAND_DROP],
        size=[0.012, 0.05, 0.012],
        mass=0.2,
        rgba=[0.25, 0.25, 0.28, 1],
    )
    hand.add_site(name="grip", pos=[0, 0, -HAND_DROP])
    for side, sign in (("left", 1), ("right", -1)):
        finger = hand.add_body(name=f"finger/{side}", pos=[0, 0, -HAND_DROP], gravcomp=1)
        finger.add_joint(
            name=f"finger/{side}",
            type=slide,
            axis=[0, sign, 0],
            range=[0.0, FINGER_OPEN + 0.004],
            armature=0.1,
        )
        finger.add_geom(
            name=f"finger/{side}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=[0, sign * 0.006, 0.018],
            size=[0.014, 0.006, 0.035],
            mass=0.05,
            condim=6,
            friction=[1.6, 0.05, 0.01],
            priority=1,
            solref=[0.005, 1],
            solimp=[0.97, 0.995, 0.001, 0.5, 2],
            rgba=[0.2, 0.2, 0.22, 1],
        )
    spec.add_equality(  # fingers move symmetrically, as in a real parallel gripper
        name="fingers",
        type=mujoco.mjtEq.mjEQ_JOINT,
        name1="finger/left",
        name2="finger/right",
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        data=[0, 1, *[0] * 10],
        solref=[0.005, 1],
    )
    if not actuators:
        return
    for name, kp, force in (
        ("lift", 12000, 300),
        ("shoulder", 900, 80),
        ("elbow", 600, 60),
        ("wrist", 120, 20),
        ("finger/left", 700, 8),
        ("finger/right", 700, 8),
    ):
        motor = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_position(kp=kp, dampratio=1.0)
        motor.forcerange = [-force, force]
        motor.forcelimited = True


def _link(body: Any, name: str, fromto: list[float], radius: float, mass: float, more: Any) -> None:
    body.add_geom(
        name=f"arm/{name}",
        type=mujoco.mjtGeom.mjGEOM_CAPSULE,
        fromto=fromto,
        size=[radius, 0, 0],
        mass=mass,
        rgba=[0.85, 0.85, 0.88, 1],
        **more,
    )


class ArmIK:
    """Inverse kinematics of the four joints on a private model; stateless between calls."""

    _ROUNDS = 40
    _NEAR_M, _NEAR_RAD = 0.003, 0.03

    def __init__(self) -> None:
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        add_arm(spec, spec.worldbody.add_body(name="base"), actuators=False)
        model = spec.compile()
        self._chain = SiteIK(model, "grip", damping=1e-6, error_damping=1e-4)
        self._chain.turn_cost = 0.3
        self._ranges = model.jnt_range.T

    def solve(self, at: Vector, yaw: float, start: Vector) -> Vector | None:
        """Return joint values that bring the grip to `at` with the fingers at `yaw`.

        Args:
            at: Position of the grip, base frame [m], shape (3,).
            yaw: Rotation of the hand about z, base frame [rad]; half a turn gives the same grasp.
            start: Initial joint values, shape (4,).

        Returns:
            Joint values, shape (4,), or None if the grip cannot reach `at`.
        """
        bearing = math.atan2(at[1], at[0] - _SHOULDER_X)
        seeds = (start, np.array([at[2] + HAND_DROP, bearing - 0.8, 1.6, 0.0]))
        for seed in (*seeds, np.array([at[2] + HAND_DROP, bearing + 0.8, -1.6, 0.0])):
            for turn in (yaw, yaw + math.pi):
                found = self._solve_from_seed(at, turn, seed)
                if found is not None:
                    return found
        return None

    def _solve_from_seed(self, at: Vector, yaw: float, seed: Vector) -> Vector | None:
        chain = self._chain
        q = np.zeros(len(chain.data.qpos))
        q[:4] = seed
        q[3] = math.remainder(yaw - seed[1] - seed[2], math.tau)
        chain.set_joints(np.clip(q, *self._ranges))
        chain.target = at, hand_rotation(yaw)
        for _ in range(self._ROUNDS):
            chain.step(0.5)
            miss = chain.target_offset()
            away, turned = np.linalg.norm(miss[:3]), np.linalg.norm(miss[3:])
            if away < self._NEAR_M and turned < self._NEAR_RAD:
                return np.asarray(chain.data.qpos[:4]).copy()
        return None
