"""Inverse kinematics of one arm, on a private model.

A target is a position of the grip, a yaw and a pitch of the hand. Orientation is a soft goal, since
it matters less than position. A small posture cost resolves the remaining redundancy.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.door.robot import Arm
from bt_exec_skills.door.sim.arm_mjcf import HOME, arm_body
from bt_exec_skills.motion.site_ik import SiteIK, hand_rotation

__all__ = ["ArmIK", "Pose", "Vector", "arm_points"]

Vector = npt.NDArray[np.float64]

_ROUNDS = 30
_LARGEST_STEP = 0.35  # maximum change of a joint in one step [rad]
_POSTURE_COST = 2e-3
_CLOSE_M = 0.004
_SETTLED = 1e-3  # convergence threshold of a step [rad]
_TIP = 0.02  # distance of the finger tips from the grip [m]


def arm_points(elbow: Vector, wrist: Vector, grip: Vector, fingers: Vector) -> Vector:
    """Return points from the elbow to the finger tips, world frame [m], shape (n, 3).

    Args:
        elbow: Start of the forearm [m].
        wrist: Start of the hand [m].
        grip: Point between the finger pads [m].
        fingers: Direction of the fingers, a unit vector.
    """
    corners = [elbow, wrist, grip, grip + _TIP * fingers]
    part = np.linspace(0.0, 1.0, 8)[:, None]
    return np.vstack([a + (b - a) * part for a, b in itertools.pairwise(corners)])


@dataclass(frozen=True)
class Pose:
    """Target pose of the grip.

    Attributes:
        position: The grip, world frame [m], shape (3,).
        yaw: Turn of the fingers about world z [rad]; 0 points at the cabinet.
        pitch: Tilt of the fingers [rad]; positive points down.
        turn_cost: Weight of the orientation error [rad] relative to the position error [m].
        tolerance: Position tolerance of the grip [m].
        turn_tolerance: Orientation tolerance of the hand [rad].
    """

    position: Vector
    yaw: float = 0.0
    pitch: float = 0.0
    turn_cost: float = 0.2
    tolerance: float = 0.012
    turn_tolerance: float = math.inf

    def finger_direction(self) -> Vector:
        """Return the direction of the fingers, a unit vector of shape (3,)."""
        level = math.cos(self.pitch)
        return np.array(
            [level * math.cos(self.yaw), level * math.sin(self.yaw), -math.sin(self.pitch)]
        )


class ArmIK:
    """Inverse kinematics for the seven joints of one arm; stateless between calls.

    Args:
        arm: Left or right.
    """

    def __init__(self, arm: Arm) -> None:
        body = arm_body(arm, fingers=False)
        xml = (
            '<mujoco><compiler angle="radian" autolimits="true"/><default>'
            '<default class="arm"/><default class="hand"/></default>'
            f"<worldbody>{body}</worldbody></mujoco>"
        )
        model = mujoco.MjModel.from_xml_string(xml)
        self._chain = SiteIK(model, f"{arm}/grip", damping=1e-4, error_damping=1e-3)
        self._home = np.array(HOME[arm])
        self._site = model.site(f"{arm}/grip").id
        self._fore, self._hand = model.body(f"{arm}/fore").id, model.body(f"{arm}/hand").id

    def solve(self, pose: Pose, start: Vector, posture: Vector | None = None) -> Vector | None:
        """Return joint angles that reach `pose`, near `start`; None if it is out of reach.

        Args:
            pose: The target.
            start: Initial joint angles [rad], shape (7,).
            posture: Preferred joint angles for the null-space motion [rad], shape (7,); home by
                default.
        """
        chain = self._chain
        chain.set_joints(start)
        chain.target = pose.position, hand_rotation(pose.yaw, pose.pitch)
        chain.turn_cost = pose.turn_cost
        chain.posture = self._home if posture is None else posture, _POSTURE_COST
        for _ in range(_ROUNDS):
            largest = chain.step(_LARGEST_STEP)
            if largest < _SETTLED or (largest < 0.02 and self._position_error(pose) < _CLOSE_M):
                break
        reached = (
            self._position_error(pose) <= pose.tolerance
            and self._direction_error(pose) <= pose.turn_tolerance
        )
        return chain.data.qpos.copy() if reached else None

    def arm_points(self, q: Vector) -> Vector:
        """Return points from the elbow to the finger tips at `q`, world frame [m], (n, 3)."""
        self._chain.set_joints(q)
        data = self._chain.data
        fingers = data.site_xmat[self._site].reshape(3, 3)[:, 0]
        parts = data.xpos[self._fore], data.xpos[self._hand], data.site_xpos[self._site]
        return arm_points(*parts, fingers)

    def _position_error(self, pose: Pose) -> float:
        """Return the distance of the grip from the target [m]."""
        site = self._chain.data.site_xpos[self._site]
        return float(np.linalg.norm(site - pose.position))

    def _direction_error(self, pose: Pose) -> float:
        """Return the angle between the fingers and their target direction [rad]."""
        fingers = self._chain.data.site_xmat[self._site].reshape(3, 3)[:, 0]
        return math.acos(float(np.clip(fingers @ pose.finger_direction(), -1.0, 1.0)))
