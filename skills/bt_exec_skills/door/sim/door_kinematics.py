"""Forward kinematics of the door: positions of its parts for a hinge angle.

A point of the door is given by `r` (distance from the hinge along the panel), `out` (distance from
the panel's centre plane towards its outer face) and `up` (height over the door's centre), in
metres.
"""

from __future__ import annotations

import math

import numpy as np

from bt_exec_skills.door.sim.ik import Vector
from bt_exec_skills.door.sim.layout import DOOR_HEIGHT, DOOR_WIDTH, Layout
from bt_exec_skills.door.sim.mjcf import HANDLE_STANDOFF

__all__ = ["DoorGeometry"]

_BESIDE = 0.05  # half the thickness of an arm, with a margin [m]


class DoorGeometry:
    """Geometry of the door of a layout, in the world frame.

    Args:
        layout: The world's layout.
    """

    def __init__(self, layout: Layout) -> None:
        self._hinge = np.array(layout.hinge)
        self.handle_r = layout.handle_r
        self.handle_z = layout.handle_z
        self.handle_half = layout.handle_half
        self.front_x = layout.hinge[0]
        """The plane of the closed door [m]."""

    @staticmethod
    def panel_direction(angle: float) -> Vector:
        """Return the unit vector from the hinge to the free edge, shape (3,)."""
        return np.array([-math.sin(angle), -math.cos(angle), 0.0])

    @staticmethod
    def outward_normal(angle: float) -> Vector:
        """Return the outer face's unit normal, shape (3,)."""
        return np.array([-math.cos(angle), math.sin(angle), 0.0])

    def point(self, angle: float, r: float, out: float, up: float) -> Vector:
        """Return a point of the door at `angle` [rad], world frame [m], shape (3,)."""
        place: Vector = self.points(angle, np.array([r]), out, np.array([up]))[0]
        return place

    def points(self, angle: float, r: Vector, out: float, up: Vector) -> Vector:
        """Return points of the door at `angle` [rad], world frame [m], shape (n, 3).

        Args:
            angle: Hinge angle [rad].
            r: Distance of each point from the hinge [m], shape (n,).
            out: Common distance from the centre plane [m].
            up: Height of each point [m], shape (n,).
        """
        places: Vector = (
            self._hinge
            + r[:, None] * self.panel_direction(angle)
            + out * self.outward_normal(angle)
        )
        places[:, 2] += up
        return places

    def handle_centre(self, angle: float, up: float = 0.0) -> Vector:
        """Return the point `up` [m] above the centre of the handle's bar at `angle`, shape (3,)."""
        return self.point(angle, self.handle_r, HANDLE_STANDOFF, self.handle_z + up)

    def distance_to_handle(self, angle: float, place: Vector) -> float:
        """Return the distance from `place` to the handle's bar, modelled as a segment [m]."""
        offset = place - self.handle_centre(angle)
        offset[2] = max(0.0, abs(offset[2]) - self.handle_half)
        return float(np.linalg.norm(offset))

    def signed_distance(self, angle: float, place: Vector) -> float:
        """Return the signed distance of `place` from the panel's plane [m], positive outside."""
        return float((place - self._hinge) @ self.outward_normal(angle))

    def distance_to_panel(self, angle: float, places: Vector) -> float:
        """Return the distance of the nearest of `places` from the panel's plane [m].

        Args:
            angle: Hinge angle [rad].
            places: Points, world frame [m], shape (n, 3). Only points in front of or behind the
                panel count; if there are none, the result is infinity.
        """
        offset = places - self._hinge
        r, out = offset @ self.panel_direction(angle), offset @ self.outward_normal(angle)
        over = np.abs(offset[:, 2]) < DOOR_HEIGHT / 2 + _BESIDE
        near = (r > 0.0) & (r < DOOR_WIDTH + _BESIDE) & over
        return float(np.abs(out[near]).min(initial=math.inf))

    def in_swing(self, angle: float, places: Vector) -> bool:
        """Return True if a point is behind a door at `angle`, or in its way when it closes.

        Args:
            angle: Hinge angle [rad].
            places: Points, world frame [m], shape (n, 3).
        """
        dx, dy, dz = (places - self._hinge).T
        turned = np.arctan2(-dx, -dy)  # hinge angle at which the panel passes the point
        near = (np.hypot(dx, dy) < DOOR_WIDTH + _BESIDE) & (np.abs(dz) < DOOR_HEIGHT / 2 + _BESIDE)
        return bool((near & (turned < angle) & (turned > -math.pi / 2)).any())

    def edge_centre(self, angle: float) -> Vector:
        """Return the centre of the free edge [m], shape (3,)."""
        return self.point(angle, DOOR_WIDTH, 0.0, 0.0)
