"""From a capture to a scene: camera, then detector, then the state of the door."""

from __future__ import annotations

from typing import Generic, TypeVar

from bt_exec_skills.door.detect import Camera, Detector, DoorStateEstimator, View
from bt_exec_skills.door.scene import CameraFault, DoorEstimate, DoorScene

__all__ = ["DoorPerception"]

C = TypeVar("C")

_DARK_LEVEL = 6.0  # mean of a picture in which nothing can be told, of 255


class DoorPerception(Generic[C]):
    """How the door pack sees; implements `bt_exec.robot.Perception`.

    Args:
        camera: Takes the pictures.
        detector: Finds things in them.
        estimator: Judges the door.
    """

    def __init__(
        self, camera: Camera[C], detector: Detector, estimator: DoorStateEstimator
    ) -> None:
        self.camera = camera
        self.detector = detector
        self.estimator = estimator

    def capture(self) -> C:
        """Take what is needed to see later; quick, on the loop's thread."""
        return self.camera.capture()

    def interpret(self, capture: C) -> DoorScene:
        """Return the scene that `capture` shows; on a worker thread."""
        view = self.camera.view(capture)
        fault = view.fault or _fault_of(view)
        if fault is not None:
            doubt = DoorEstimate("uncertain", 0.0, (f"primary:camera_{fault}",))
            return DoorScene(view.t, (), doubt, view.frame, fault)
        detections = self.detector.detect(view)
        return DoorScene(view.t, detections, self.estimator.estimate(view, detections), view.frame)


def _fault_of(view: View) -> CameraFault | None:
    """Return what the picture itself shows to be wrong."""
    if view.frame.size == 0:
        return "missing"
    return "dark" if float(view.frame.mean()) < _DARK_LEVEL else None
