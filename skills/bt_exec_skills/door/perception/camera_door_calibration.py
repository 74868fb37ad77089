"""Calibration of a fixed robot: its camera, and the pose and shape of the door.

A simulator provides these numbers. For a real robot they are measured once and written in the site
file. They relate a bounding box in a picture to a hinge angle.

Frame: x forward to the door, y left, z up. The door hinges on its left edge; at angle 0 it lies
along -y, and it opens towards the robot. Metres and radians.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Calibration", "CameraPose", "DoorShape"]

Floats = npt.NDArray[np.float64]
Point = tuple[float, float, float]


@dataclass(frozen=True)
class CameraPose:
    """Pinhole camera with its pose.

    Attributes:
        eye: Position [m].
        target: Point in the centre of the picture [m].
        fovy_deg: Vertical field of view [deg].
        width: Width of its pictures [px].
        height: Height of its pictures [px].
        roll_rad: Rotation about its optical axis [rad]; 0 is level.
    """

    eye: Point
    target: Point
    fovy_deg: float
    width: int = 320
    height: int = 240
    roll_rad: float = 0.0

    def project(self, points: Floats) -> Floats:
        """Return the projection of `points` (n, 3): columns and rows [px], (n, 2)."""
        eye = np.array(self.eye)
        ahead = np.array(self.target) - eye
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, [0.0, np.sin(self.roll_rad), np.cos(self.roll_rad)])
        right /= np.linalg.norm(right)
        offsets = points - eye
        depth = np.maximum(offsets @ ahead, 1e-3)
        focal = self.height / 2 / np.tan(np.radians(self.fovy_deg) / 2)
        u = self.width / 2 + focal * (offsets @ right) / depth
        v = self.height / 2 - focal * (offsets @ np.cross(right, ahead)) / depth
        return np.stack([u, v], axis=1)


@dataclass(frozen=True)
class DoorShape:
    """Dimensions of the door and its bar handle.

    Attributes:
        hinge: Point of the hinge axis at half the door's height [m].
        width: Distance from the hinge to the free edge [m].
        height: Height of the panel [m].
        thick: Half of the panel's thickness [m].
        handle_r: Distance from the hinge to the handle, along the panel [m].
        handle_z: Height of the handle's centre above the door's centre [m].
        handle_half: Half of the handle's length [m].
        handle_out: Distance from the panel's centre plane to the bar [m].
        handle_radius: Radius of the bar [m].
        max_rad: Largest opening angle [rad].
    """

    hinge: Point
    width: float
    height: float
    thick: float
    handle_r: float
    handle_z: float
    handle_half: float
    handle_out: float
    handle_radius: float
    max_rad: float

    def points(self, angle: float, local: Floats) -> Floats:
        """Convert door coordinates (along, outward, up) to the world frame [m], (n, 3)."""
        along = np.array([-np.sin(angle), -np.cos(angle), 0.0])
        outward = np.array([-np.cos(angle), np.sin(angle), 0.0])
        up = np.array([0.0, 0.0, 1.0])
        places: Floats = np.array(self.hinge) + local @ np.stack([along, outward, up])
        return places

    def panel_corners(self) -> Floats:
        """Return the eight corners of the panel, (along, outward, up)."""
        high = self.height / 2
        return _corners((0.0, self.width), (-self.thick, self.thick), (-high, high))

    def handle_corners(self) -> Floats:
        """Return the corners of a box around the handle and its posts, (along, outward, up)."""
        r, radius = self.handle_r, self.handle_radius
        high = self.handle_half + radius
        bar = _corners(
            (r - radius, r + radius),
            (self.handle_out - radius, self.handle_out + radius),
            (self.handle_z - high, self.handle_z + high),
        )
        post = 0.6 * radius
        high = self.handle_half + post
        posts = _corners(
            (r - post, r + post),
            (self.thick, self.thick),
            (self.handle_z - high, self.handle_z + high),
        )
        return np.vstack([bar, posts])


def _corners(*ranges: tuple[float, float]) -> Floats:
    return np.array(np.meshgrid(*ranges)).reshape(len(ranges), -1).T


@dataclass(frozen=True)
class Calibration:
    """Calibration of the camera and the door of one robot."""

    camera: CameraPose
    door: DoorShape

    def opening_outline(self) -> Floats:
        """Return the projected corners of the opening behind the door, in order, (4, 2) [px]."""
        high, wide = self.door.height / 2, self.door.width
        corners = [(0.0, 0.0, -high), (wide, 0.0, -high), (wide, 0.0, high), (0.0, 0.0, high)]
        return self.camera.project(self.door.points(0.0, np.array(corners)))
