"""Inverse kinematics for a site of an arm, on a private MuJoCo model.

A step minimises the weighted errors of position and orientation to first order, with damping and
within the joint limits. This is a quadratic programme with a few variables, which DAQP solves. The
weights and limits are those of a task in mink (Apache 2.0). mink itself is not used because its
dependencies take 25 MB.
"""

from __future__ import annotations

import math
from typing import Any

import daqp
import mujoco
import numpy as np
import numpy.typing as npt

__all__ = ["SiteIK", "hand_rotation"]

Vector = npt.NDArray[np.float64]

_TO_LIMIT = 0.95  # maximum share of the distance to a joint limit that one step may cover


def hand_rotation(yaw: float, pitch: float = 0.0) -> Vector:
    """Return the rotation by `pitch` about y, then by `yaw` about z [rad], shape (3, 3)."""
    sy, cy, sp, cp = math.sin(yaw), math.cos(yaw), math.sin(pitch), math.cos(pitch)
    return np.array([[cy * cp, -sy, cy * sp], [sy * cp, cy, sy * sp], [-sp, 0.0, cp]])


class SiteIK:
    """Inverse kinematics: moves the joints of a private model until a site is at its target.

    Args:
        model: Model of the arm; all joints are hinges or slides with limits.
        site: Name of the site.
        damping: Weight of the size of a step relative to the error.
        error_damping: Additional damping per unit of the squared error.

    Attributes:
        data: State of the model.
        target: Position [m] and rotation of the target, shapes (3,) and (3, 3).
        turn_cost: Weight of the orientation error [rad] relative to the position error [m].
        posture: Preferred joint values, shape (nq,), and their weight; None for no preference.
    """

    def __init__(self, model: Any, site: str, damping: float, error_damping: float) -> None:
        self.data: Any = mujoco.MjData(model)
        self.target = np.zeros(3), np.eye(3)
        self.turn_cost = 1.0
        self.posture: tuple[Vector, float] | None = None
        self._model = model
        self._site = model.site(site).id
        self._damping, self._error_damping = damping, error_damping
        self._low, self._high = model.jnt_range.T
        self._jacobian = np.zeros((6, model.nv))
        self._rows = np.zeros((0, model.nv))  # there are no constraints other than the bounds
        self._sense = np.zeros(model.nv, np.intc)

    def set_joints(self, q: Vector) -> None:
        """Move the joints to `q`, shape (nq,)."""
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self._model, self.data)
        mujoco.mj_comPos(self._model, self.data)

    def target_offset(self) -> Vector:
        """Return the offset of the site from the target in the world frame [3 m, 3 rad]."""
        position, rotation = self.target
        turned = self.data.site_xmat[self._site].reshape(3, 3) @ rotation.T
        found, quaternion = np.empty(6), np.empty(4)
        mujoco.mju_mat2Quat(quaternion, turned.ravel())
        mujoco.mju_quat2Vel(found[3:], quaternion, 1.0)
        found[:3] = self.data.site_xpos[self._site] - position
        return found

    def step(self, largest: float) -> float:
        """Take a step towards the target; return the largest change of a joint before scaling.

        Args:
            largest: Maximum change of a joint [rad or m], to which the whole step is scaled.
        """
        jacobian, q = self._jacobian, self.data.qpos
        mujoco.mj_jacSite(self._model, self.data, jacobian[:3], jacobian[3:], self._site)
        weights = np.array([1.0, 1.0, 1.0, *[self.turn_cost] * 3])
        error, rows = weights * self.target_offset(), weights[:, None] * jacobian
        hessian, gradient = rows.T @ rows, rows.T @ error
        damping = self._damping + self._error_damping * float(error @ error)
        if self.posture is not None:
            goal, cost = self.posture
            damping += cost**2
            gradient += cost**2 * (q - goal)
        hessian.flat[:: len(q) + 1] += damping
        low, high = _TO_LIMIT * (self._low - q), _TO_LIMIT * (self._high - q)
        change, _, solved, _ = daqp.solve(hessian, gradient, self._rows, high, low, self._sense)
        assert solved > 0, "a joint has contradictory limits"
        most = float(np.abs(change).max())
        self.set_joints(q + change * min(1.0, largest / max(most, 1e-9)))
        return most
