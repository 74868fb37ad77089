"""Poses in the plane. Frame of the building: x east, y north [m]; angles from x to y [rad]."""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = ["Area", "Pose", "turn_between", "wrap_angle"]


class Pose(NamedTuple):
    """Pose of a robot in the plane.

    Attributes:
        x: East [m].
        y: North [m].
        yaw: Heading, 0 is east, positive to the left [rad].
    """

    x: float
    y: float
    yaw: float = 0.0

    def distance_to(self, x: float, y: float) -> float:
        """Return the distance to a point [m]."""
        return math.hypot(x - self.x, y - self.y)

    def bearing(self, x: float, y: float) -> float:
        """Return the bearing of a point relative to the heading [rad], -pi..pi, left positive."""
        return wrap_angle(math.atan2(y - self.y, x - self.x) - self.yaw)


class Area(NamedTuple):
    """Rectangle on the floor.

    Attributes:
        left: Least x [m].
        bottom: Least y [m].
        right: Greatest x [m].
        top: Greatest y [m].
    """

    left: float
    bottom: float
    right: float
    top: float

    def contains(self, x: float, y: float) -> bool:
        """Return True if a point is inside, including the left and bottom edges."""
        return self.left <= x < self.right and self.bottom <= y < self.top

    def without_border(self, margin: float) -> Area:
        """Return the area reduced by `margin` [m] on each side."""
        return Area(
            self.left + margin, self.bottom + margin, self.right - margin, self.top - margin
        )

    @property
    def centre(self) -> tuple[float, float]:
        """Centre of the rectangle [m]."""
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2


def wrap_angle(angle: float) -> float:
    """Return the equivalent angle in -pi..pi [rad]."""
    return math.remainder(angle, math.tau)


def turn_between(start: float, end: float) -> float:
    """Return the shortest turn from one direction to another [rad], -pi..pi."""
    return wrap_angle(end - start)
