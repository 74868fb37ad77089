"""Contracts of seeing: a camera gives views, a detector finds things, an estimator judges the door.

A site chooses the detector by name. ``oracle`` is told by the simulator what each pixel shows; a
learned detector looks at the frame alone and drops in by the same contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from bt_exec_skills.door.perception.observation import CameraFault, Detection, DoorEstimate, Frame

__all__ = ["Camera", "Detector", "DoorStateEstimator", "Truth", "View"]

C = TypeVar("C")
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Truth:
    """What a simulator knows about a view.

    Attributes:
        masks: The pixels that show each label, bool of shape (height, width).
        angle_rad: The hinge angle.
        door_seen: Share of the door panel that is in view, 0..1.
        interior_seen: Share of the opening through which the inside is in view, 0..1.
    """

    masks: Mapping[str, Mask]
    angle_rad: float
    door_seen: float
    interior_seen: float


@dataclass(frozen=True)
class View:
    """One look of a camera.

    Attributes:
        t: When it was taken [s, mission clock].
        frame: The picture.
        truth: What a simulator knows about it; None with a real camera.
        fault: What the camera itself reports to be wrong.
    """

    t: float
    frame: Frame
    truth: Truth | None = None
    fault: CameraFault | None = None


class Camera(Protocol[C]):
    """Takes pictures in two parts, so that the costly one can run on a worker."""

    def capture(self) -> C:
        """Take what a picture needs; quick, on the loop's thread."""

    def view(self, capture: C) -> View:
        """Make the picture; on a worker thread."""

    def close(self) -> None:
        """Give back what it holds."""


class Detector(Protocol):
    """Finds things in a picture."""

    def detect(self, view: View) -> tuple[Detection, ...]:
        """Return what is seen, best first."""


class DoorStateEstimator(Protocol):
    """Judges the state of the door."""

    def estimate(self, view: View, detections: tuple[Detection, ...]) -> DoorEstimate:
        """Return the state, or uncertain: a guess is worse than doubt."""
