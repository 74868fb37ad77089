"""Rotation matrices."""

from __future__ import annotations

import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.things.dataset.colours import Rng

__all__ = ["about", "leaning", "lying"]

Matrix = npt.NDArray[np.float64]


def about(axis: tuple[float, float, float], angle: float) -> Matrix:
    """Return the rotation about a unit vector by an angle [rad]."""
    quat, turn = np.zeros(4), np.zeros(9)
    mujoco.mju_axisAngle2Quat(quat, np.asarray(axis, float), angle)
    mujoco.mju_quat2Mat(turn, quat)
    return turn.reshape(3, 3)


def leaning(rng: Rng, most: float) -> Matrix:
    """Return a rotation with a random yaw and a tilt of at most this angle [rad]."""
    way, spin = rng.uniform(0, 2 * np.pi, 2)
    tilt = about((float(np.cos(way)), float(np.sin(way)), 0.0), rng.uniform(0, most))
    return np.asarray(tilt @ about((0.0, 0.0, 1.0), spin))


def lying(rng: Rng) -> Matrix:
    """Return a rotation that lays the z axis down, with a small deviation."""
    return about((0.0, 1.0, 0.0), float(np.pi / 2 + rng.uniform(-0.12, 0.12)))
