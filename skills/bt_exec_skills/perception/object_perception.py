"""Perception pipeline for labelled objects with one camera, and its observation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from bt_exec.language.messages import load_messages
from bt_exec_skills.perception.contracts import Camera, CameraFault, Detection, Detector, View

if TYPE_CHECKING:  # commands that only check files must not import numpy
    from bt_exec_skills.perception.pictures_and_boxes import Frame

__all__ = ["Detections", "ObjectObservation", "ObjectPerception", "fault_in_words"]

C = TypeVar("C")


class Detections:
    """Queries shared by observations with detections.

    Attributes:
        detections: Detected objects.
    """

    detections: tuple[Detection, ...]

    def sees(self, label: str) -> bool:
        """Return True if an object with the label is detected."""
        return any(found.label == label for found in self.detections)

    def confirms(self, label: str) -> bool:
        """Return True if an object with the label is detected without doubt."""
        return any(found.label == label and not found.doubt for found in self.detections)

    def labels(self) -> tuple[str, ...]:
        """Return the detected labels without repetitions."""
        return tuple(dict.fromkeys(found.label for found in self.detections))


_words = partial(load_messages, Path(__file__).with_name("words.yaml"))


def fault_in_words(fault: CameraFault, language: str) -> str:
    """Return a fault of a camera for the operator, such as "camera: dark"."""
    return (
        f"{_words().translate_word('fault', language)}: {_words().translate_word(fault, language)}"
    )


@dataclass(frozen=True)
class ObjectObservation(Detections):
    """Observation of labelled objects; implements `bt_exec.robot.Observation`.

    Attributes:
        t: Time of the frame [s, mission clock].
        detections: Detected objects.
        frame: The picture, or None if the camera delivered none.
        fault: Fault of the camera, or None.
        word: Function that returns the display name of a label in a language.
    """

    t: float
    detections: tuple[Detection, ...] = ()
    frame: Frame | None = field(default=None, repr=False, compare=False)
    fault: CameraFault | None = None
    word: Callable[[str, str], str] = field(default=lambda name, _: name, repr=False, compare=False)

    def facts(self) -> Mapping[str, str]:
        """Return no facts; a subclass may return facts that the view establishes."""
        return {}

    def describe(self, language: str) -> str:
        """Return a text for the operator: the objects in view, or the fault of the camera."""
        if self.fault is not None:
            return fault_in_words(self.fault, language)
        return " · ".join(self.word(one, language) for one in self.labels())

    def record(self) -> dict[str, Any]:
        """Return plain data for the journal, without the frame."""
        return {
            "t": round(self.t, 3),
            "detections": [
                {"type": one.label, "bbox": list(one.bbox), "score": round(one.score, 3)}
                for one in self.detections
            ],
            "fault": self.fault,
        }


class ObjectPerception(Generic[C]):
    """Perception of one camera; implements `bt_exec.robot.Perception`.

    Args:
        camera: Source of the captures.
        detector: Detector of objects.
        word: Function that returns the display name of a label in a language.
        size: Height and width of the camera's pictures [px]; None accepts any size.
    """

    def __init__(
        self,
        camera: Camera[C, View[Any]],
        detector: Detector[View[Any], Detection],
        word: Callable[[str, str], str] = lambda name, _: name,
        size: tuple[int, int] | None = None,
    ) -> None:
        from bt_exec_skills.perception.camera_fault_detection import CameraWatch

        self.camera = camera
        self.detector = detector
        self._word = word
        self._watch = CameraWatch(size)

    def capture(self) -> C:
        """Capture the raw data of an observation; fast, on the loop's thread."""
        return self.camera.capture()

    def interpret(self, capture: C) -> ObjectObservation:
        """Return the observation of a capture; on a worker thread."""
        view = self.camera.view(capture)
        fault = self._watch.fault(view)
        found = self.detector.detect(view) if fault is None else ()
        frame = view.frame if view.frame.size else None
        return ObjectObservation(view.t, found, frame, fault, self._word)
