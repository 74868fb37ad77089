"""Perception pipeline of the door: camera, then detector, then estimator of the door's state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from bt_exec_skills.door.perception.ground_truth_estimator import DoorStateEstimator, DoorView
from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation, Touched
from bt_exec_skills.door.perception.state_estimator import with_latch_contact
from bt_exec_skills.perception.camera_fault_detection import CameraWatch
from bt_exec_skills.perception.contracts import Camera, Detection, Detector

__all__ = ["DoorPerception", "Felt"]

C = TypeVar("C")


class Felt(NamedTuple):
    """Measurements other than vision.

    Attributes:
        latched: Whether the latch contact reports a latched door.
        arms_away: Whether no arm is in front of the opening.
        material: Tactile state of the material, if a hand ever held it.
    """

    latched: bool
    arms_away: bool
    material: Touched | None = None


class Sensed(NamedTuple, Generic[C]):
    """Camera capture, and the other measurements at the same moment."""

    capture: C
    felt: Felt


class DoorPerception(Generic[C]):
    """Perception of the door pack; implements `bt_exec.robot.Perception`.

    Args:
        camera: Camera.
        detector: Detector of objects.
        estimator: Estimator of the door's state.
        size: Height and width of the camera's pictures [px]; None accepts any.
        feel: Function that reads the latch contact and the arms, called on the loop's thread; None
            without such sensors.
    """

    def __init__(
        self,
        camera: Camera[C, DoorView],
        detector: Detector[DoorView, Detection],
        estimator: DoorStateEstimator,
        size: tuple[int, int] | None = None,
        feel: Callable[[], Felt] | None = None,
    ) -> None:
        self.camera = camera
        self.detector = detector
        self.estimator = estimator
        self._watch = CameraWatch(size)
        self._feel = feel

    def capture(self) -> C | Sensed[C]:
        """Capture the raw data of an observation; fast, on the loop's thread."""
        taken = self.camera.capture()
        return taken if self._feel is None else Sensed(taken, self._feel())

    def interpret(self, capture: C | Sensed[C]) -> DoorObservation:
        """Return the observation of a capture; on a worker thread."""
        if isinstance(capture, Sensed):
            return replace(
                self._make_observation(capture.capture, capture.felt), touched=capture.felt.material
            )
        return self._make_observation(capture, None)

    def _make_observation(self, taken: C, felt: Felt | None) -> DoorObservation:
        view = self.camera.view(taken)
        fault = self._watch.fault(view)
        if fault is not None:
            doubt = DoorEstimate("uncertain", 0.0, (f"primary:camera_{fault}",))
            kept = view.frame if view.frame.size else None
            return DoorObservation(view.t, (), doubt, kept, fault)
        detections = self.detector.detect(view)
        door = self.estimator.estimate(view, detections)
        if felt is not None:
            door = with_latch_contact(door, latched=felt.latched)
            door = door if felt.arms_away else replace(door, inside=0.0)
        return DoorObservation(view.t, detections, door, view.frame)
