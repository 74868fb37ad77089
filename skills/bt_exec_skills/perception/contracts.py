"""Perception interfaces: cameras provide views, and detectors find objects in views.

A site chooses the detector by name. ``oracle`` uses the simulator's ground truth for each pixel; a
learned detector implements the same interface and uses only the frame.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Generic, Literal, Protocol, TypeVar

from bt_exec.robot import Observation

if TYPE_CHECKING:  # commands that only check files must not import numpy
    from bt_exec_skills.perception.pictures_and_boxes import Box, Frame

__all__ = ["Camera", "CameraFault", "Detection", "Detector", "Observed", "View"]

C = TypeVar("C")
T = TypeVar("T")
V_co = TypeVar("V_co", covariant=True)
V_contra = TypeVar("V_contra", contravariant=True)
D_co = TypeVar("D_co", covariant=True)

CameraFault = Literal["dark", "frozen", "noise", "occluded", "wrong_size", "missing"]
"""Faults of a camera; see `bt_exec_skills.perception.camera_fault_detection`."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A detected object.

    Attributes:
        label: Class of the object.
        bbox: Bounding box [px].
        score: Score of the detector, 0..1.
        doubt: Reason for doubt about the detection, in a word; empty without doubt.
    """

    label: str
    bbox: Box
    score: float
    _: KW_ONLY
    doubt: str = ""


@dataclass(frozen=True)
class View(Generic[T]):
    """One picture of a camera.

    Attributes:
        t: Time of the capture [s, mission clock].
        frame: The picture.
        truth: Ground truth of a simulator; None with a real camera.
        fault: Fault that the camera itself reports, or None.
    """

    t: float
    frame: Frame
    truth: T | None = None
    fault: CameraFault | None = None


class Observed(Observation, Protocol):
    """An observation with the state of its camera."""

    @property
    def fault(self) -> CameraFault | None:
        """Fault of the camera, or None."""


class Camera(Protocol[C, V_co]):
    """Camera with two operations: a fast capture, and its slow conversion on a worker thread."""

    def capture(self) -> C:
        """Capture the raw data of a picture; fast, on the loop's thread."""

    def view(self, capture: C) -> V_co:
        """Convert a capture to a picture; on a worker thread."""

    def close(self) -> None:
        """Release the resources of the camera."""


class Detector(Protocol[V_contra, D_co]):
    """Detector of objects in a picture."""

    def detect(self, view: V_contra) -> tuple[D_co, ...]:
        """Return the detections, best or nearest first; the pack sets the order."""
