"""From a capture to an observation: camera, then detector, then the state of the door."""

from __future__ import annotations

from typing import Generic, TypeVar

from bt_exec_skills.door.perception.contracts import DoorStateEstimator, DoorView
from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation
from bt_exec_skills.perception.camera_watch import CameraWatch
from bt_exec_skills.perception.contracts import Camera, Detection, Detector

__all__ = ["DoorPerception"]

C = TypeVar("C")


class DoorPerception(Generic[C]):
    """The perception of the door pack; implements `bt_exec.robot.Perception`.

    Args:
        camera: Takes the pictures.
        detector: Finds things in them.
        estimator: Estimates the state of the door.
        size: Height and width of the camera's pictures [px]; None takes any.
    """

    def __init__(
        self,
        camera: Camera[C, DoorView],
        detector: Detector[DoorView, Detection],
        estimator: DoorStateEstimator,
        size: tuple[int, int] | None = None,
    ) -> None:
        self.camera = camera
        self.detector = detector
        self.estimator = estimator
        self._watch = CameraWatch(size)

    def capture(self) -> C:
        """Capture the raw data of an observation; fast, on the loop's thread."""
        return self.camera.capture()

    def interpret(self, capture: C) -> DoorObservation:
        """Return the observation of a capture; on a worker thread."""
        view = self.camera.view(capture)
        fault = self._watch.fault(view)
        if fault is not None:
            doubt = DoorEstimate("uncertain", 0.0, (f"primary:camera_{fault}",))
            kept = view.frame if view.frame.size else None
            return DoorObservation(view.t, (), doubt, kept, fault)
        detections = self.detector.detect(view)
        return DoorObservation(
            view.t, detections, self.estimator.estimate(view, detections), view.frame
        )
