"""Local planner: chooses a speed and a yaw rate that avoid collisions.

The method is the dynamic window approach (Fox, Burgard, Thrun 1997): each candidate pair of speed
and yaw rate is simulated along its arc for a short time. Candidates that come too close to an
obstacle are discarded, and the candidate with the best score is chosen.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.plane_geometry import Pose

__all__ = ["Limits", "Steering", "limit_change"]

_AHEAD_S = 1.4
_POINTS = 7
_NEAR_M = 2.6  # obstacles farther away cannot be reached within `_AHEAD_S`
_CLEAR_ENOUGH_M = 0.5
_TURN_FIRST_RAD = 1.0  # larger heading errors are corrected by turning on the spot
_CREEP_M = 0.45  # targets nearer than this are approached slowly if the space around is free
_FACING_RAD = 0.4


class Limits(NamedTuple):
    """Limits of a mobile base.

    Attributes:
        speed: Maximum forward speed [m/s].
        turn: Maximum yaw rate, to either side [rad/s].
        gain: Maximum linear acceleration [m/s²].
        swing: Maximum angular acceleration [rad/s²].
        radius: Radius of the hull [m].
        margin: Clearance around the hull [m].
    """

    speed: float = 0.9
    turn: float = 2.0
    gain: float = 1.2
    swing: float = 8.0
    radius: float = 0.24
    margin: float = 0.05


class Steering:
    """Local planner that chooses speed and yaw rate.

    Args:
        limits: Limits of the base.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        speeds = np.array([-0.12, 0.0, 0.15, 0.3, 0.5, 0.7, 0.9]) / 0.9 * limits.speed
        turns = np.linspace(-1.0, 1.0, 13) * limits.turn
        self._v, self._w = (grid.ravel() for grid in np.meshgrid(speeds, turns))
        t = np.linspace(_AHEAD_S / _POINTS, _AHEAD_S, _POINTS)
        angle = self._w[:, None] * t
        safe = np.where(np.abs(self._w) < 1e-6, 1.0, self._w)[:, None]
        straight = np.abs(self._w)[:, None] < 1e-6
        v = self._v[:, None]
        self._x = np.where(straight, v * t, v / safe * np.sin(angle))
        self._y = np.where(straight, 0.0, v / safe * (1 - np.cos(angle)))

    def choose_command(
        self, pose: Pose, target: tuple[float, float], points: npt.NDArray[np.float64]
    ) -> tuple[float, float]:
        """Return the speed [m/s] and yaw rate [rad/s]; (0, 0) if every candidate would collide.

        A large heading error is corrected on the spot, without regard to obstacles.

        Args:
            pose: Pose of the base.
            target: Target point [m].
            points: Obstacle points [m], shape (n, 2).
        """
        c, s = math.cos(pose.yaw), math.sin(pose.yaw)
        to_x, to_y = target[0] - pose.x, target[1] - pose.y
        goal_x, goal_y = c * to_x + s * to_y, c * to_y - s * to_x
        off = math.atan2(goal_y, goal_x)
        if abs(off) > _TURN_FIRST_RAD:
            return 0.0, math.copysign(min(self.limits.turn, 1.8 * abs(off)), off)
        clear = self._clearances(pose, points)
        away = math.hypot(goal_x, goal_y)
        if away < _CREEP_M and float(clear[self._v == self._v.max()].min()) > 0:
            return (0.6 * away, 2.0 * off) if abs(off) < _FACING_RAD else (0.0, 2.0 * off)
        allowed = (clear > 0) & (np.abs(self._v) * 0.7 <= np.maximum(clear, 0.1) + 0.15)
        if not allowed.any():
            return 0.0, 0.0
        left = np.hypot(goal_x - self._x[:, -1], goal_y - self._y[:, -1])
        aim = np.arctan2(goal_y - self._y[:, 2], goal_x - self._x[:, 2])
        facing = np.abs(np.remainder(aim - self._w * _AHEAD_S * 3 / _POINTS + math.pi, math.tau))
        score = -1.0 * left - 0.25 * np.abs(facing - math.pi)
        score += 0.9 * np.minimum(clear, _CLEAR_ENOUGH_M) - 0.05 * np.abs(self._w)
        score -= 0.3 * (self._v < 0)
        best = int(np.argmax(np.where(allowed, score, -np.inf)))
        return float(self._v[best]), float(self._w[best])

    def is_path_free(
        self, pose: Pose, target: tuple[float, float], points: npt.NDArray[np.float64]
    ) -> bool:
        """Return True if the base can drive straight to `target` without touching `points`."""
        away = points - (pose.x, pose.y)
        to = np.array([target[0] - pose.x, target[1] - pose.y])
        length = float(np.hypot(*to))
        if not len(points) or length < 1e-6:
            return True
        along = np.clip(away @ to / length, 0.0, length)
        gaps = np.hypot(*(away - along[:, None] * to / length).T)
        return bool(gaps.min() > self.limits.radius + self.limits.margin)

    def retreat_command(self, pose: Pose, points: npt.NDArray[np.float64]) -> tuple[float, float]:
        """Return the speed [m/s] and yaw rate [rad/s] of the slow motion away from `points`."""
        away = points - (pose.x, pose.y)
        c, s = math.cos(pose.yaw), math.sin(pose.yaw)
        x, y = away[:, 0] * c + away[:, 1] * s, away[:, 1] * c - away[:, 0] * s
        slow = np.flatnonzero((np.abs(self._v) < 0.2) & (self._v != 0))
        gaps = (self._x[slow, -1, None] - x) ** 2 + (self._y[slow, -1, None] - y) ** 2
        least = gaps.min(axis=1) if len(points) else np.zeros(len(slow))
        best = slow[int(np.argmax(least))]
        return float(self._v[best]), float(self._w[best])

    def _clearances(self, pose: Pose, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the distance of each candidate's arc from `points`, minus hull and margin [m].

        If the base is already too close, candidates that lead away get 0.1.
        """
        away = points - (pose.x, pose.y)
        near = away[np.hypot(away[:, 0], away[:, 1]) < _NEAR_M]
        if not len(near):
            return np.full(self._v.shape, _NEAR_M)
        c, s = math.cos(pose.yaw), math.sin(pose.yaw)
        x, y = near[:, 0] * c + near[:, 1] * s, near[:, 1] * c - near[:, 0] * s
        gaps = (self._x[:, :, None] - x) ** 2 + (self._y[:, :, None] - y) ** 2
        least = np.sqrt(gaps.min(axis=(1, 2)))
        now = float(np.sqrt((x * x + y * y).min())) - self.limits.radius - self.limits.margin
        clear: npt.NDArray[np.float64] = least - self.limits.radius - self.limits.margin
        if now <= 0.02:  # too close: only motions away are allowed
            end = np.sqrt(gaps[:, -1, :].min(axis=1)) - self.limits.radius - self.limits.margin
            return np.where(end > now + 0.03, 0.1, np.minimum(clear, 0.0))
        return clear


def limit_change(now: float, wanted: float, most: float) -> float:
    """Return `now` changed towards `wanted` by at most `most`."""
    return now + min(max(wanted - now, -most), most)
