"""Hinge angle from the boxes of the door and its handle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bt_exec_skills.door.perception.camera_door_calibration import Calibration
from bt_exec_skills.perception.pictures_and_boxes import Box

__all__ = ["AngleFit", "AngleFitter"]

Floats = npt.NDArray[np.float64]

_STEP_RAD = 0.005
_CAP_PX = 6.0  # an edge with a larger error is occluded or belongs to another object
_NEAR_PX = 0.6  # angles whose mean error exceeds the smallest by at most this fit equally well
_GRID = 9


class AngleFit(NamedTuple):
    """Estimate of the hinge angle from the boxes.

    Attributes:
        angle: The best angle [rad].
        low: The smallest angle with a similar error [rad].
        high: The largest angle with a similar error [rad].
        error_px: Mean distance of the boxes' edges from their expected positions [px]. A distance
            above 6 px counts as 6 px.
        interior: Share of the opening that is visible with a door at this angle, 0..1.
    """

    angle: float
    low: float
    high: float
    error_px: float
    interior: float


class AngleFitter:
    """Estimator of the hinge angle for one camera and door; projected boxes are computed once.

    Args:
        calibration: Camera and door.
    """

    def __init__(self, calibration: Calibration) -> None:
        door = calibration.door
        self._angles = np.arange(0.0, door.max_rad + _STEP_RAD, _STEP_RAD)
        handle = door.handle_corners()
        self._doors, self._handles = (
            self._projected_boxes(calibration, part)
            for part in (np.vstack([door.panel_corners(), handle]), handle)
        )
        self._calibration = calibration
        self._interior: dict[int, float] = {}

    def _projected_boxes(self, calibration: Calibration, part: Floats) -> Floats:
        """Return the projected box of a part of the door at each angle, (angles, 4) [px]."""
        camera = calibration.camera
        places = np.concatenate([calibration.door.points(angle, part) for angle in self._angles])
        seen = camera.project(places).reshape(len(self._angles), len(part), 2)
        boxes = np.concatenate([seen.min(axis=1), seen.max(axis=1)], axis=1)
        limits = [camera.width, camera.height, camera.width, camera.height]
        inside: Floats = np.clip(boxes, 0, limits).astype(float)
        return inside

    def fit(self, door: Box | None, handle: Box | None) -> AngleFit | None:
        """Return the angle that fits the boxes best; None if there is no box.

        A box encloses the visible part. An occluding object therefore shifts only some of its
        edges, so the error of each edge is limited.

        Args:
            door: Box of the panel with its handle, if detected.
            handle: Box of the handle, if detected.
        """
        if door is None and handle is None:
            return None
        errors = [
            np.minimum(np.abs(expected - np.array(box, float)), _CAP_PX)
            for expected, box in ((self._doors, door), (self._handles, handle))
            if box is not None
        ]
        error = np.concatenate(errors, axis=1).mean(axis=1)
        best = int(error.argmin())
        good = np.flatnonzero(error <= error[best] + _NEAR_PX)
        return AngleFit(
            float(self._angles[best]),
            float(self._angles[good[0]]),
            float(self._angles[good[-1]]),
            float(error[best]),
            self._visible_interior_share(best),
        )

    def _visible_interior_share(self, index: int) -> float:
        """Return the visible share of the opening with the panel at the angle of this index."""
        if index not in self._interior:
            door, camera = self._calibration.door, self._calibration.camera
            angle = float(self._angles[index])
            along = np.linspace(0.03, door.width - 0.03, _GRID)
            up = np.linspace(0.03 - door.height / 2, door.height / 2 - 0.03, _GRID)
            opening = np.array([(a, -0.02, b) for a in along for b in up])
            rays = door.points(0.0, opening) - np.array(camera.eye)
            outward = np.array([-np.cos(angle), np.sin(angle), 0.0])
            way = np.array(door.hinge) - np.array(camera.eye)
            with np.errstate(divide="ignore", invalid="ignore"):
                # fraction of each ray from the camera at which it meets the panel's plane
                part = (way @ outward) / (rays @ outward)
            meets = rays * part[:, None] - way
            r = meets @ np.array([-np.sin(angle), -np.cos(angle), 0.0])
            hidden = (
                (part > 0)
                & (part < 1)
                & (r > 0)
                & (r < door.width)
                & (np.abs(meets[:, 2]) < door.height / 2)
            )
            self._interior[index] = float(1.0 - hidden.mean())
        return self._interior[index]
