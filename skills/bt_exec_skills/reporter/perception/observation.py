"""Observation of the reporter: people, objects, light, the frame.

Positions on the floor are (east, north) in the building's frame [m].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bt_exec.language.messages import load_messages
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.perception.contracts import CameraFault, Detection
from bt_exec_skills.perception.object_perception import Detections
from bt_exec_skills.perception.pictures_and_boxes import Frame

__all__ = ["LIT_LEVEL", "PERSON", "PlacedDetection", "ReporterObservation"]

PERSON = "person"
LIT_LEVEL = 55.0
"""Minimum mean luminance, 0..255, of a lit place; a dark place has 10 to 30."""


@dataclass(frozen=True, slots=True)
class PlacedDetection(Detection):
    """Detection of a person or an object, with its position.

    Attributes:
        who: Identity or track of a person; None if unknown.
        at: Position [m]; None if unknown.
    """

    who: str | None = None
    at: tuple[float, float] | None = None


_words = partial(load_messages, Path(__file__).with_name("words.yaml"))


@dataclass(frozen=True)
class ReporterObservation(Detections):
    """Observation of one view; implements `bt_exec.robot.Observation`.

    Attributes:
        t: Time of the frame [s, mission clock].
        pose: Pose of the camera.
        detections: Detected people and objects, nearest first.
        light: Mean luminance, 0..255, of the visible part of each section, by place and number of
            the section.
        frame: Picture, or None if it was not kept.
        fault: Fault of the camera, or None.
        areas: Left, bottom, right and top edge of each place [m].
    """

    t: float
    pose: Pose
    detections: tuple[PlacedDetection, ...]
    light: Mapping[tuple[str, int], float] = field(default_factory=dict)
    frame: Frame | None = field(default=None, repr=False, compare=False)
    fault: CameraFault | None = None
    areas: Mapping[str, tuple[float, ...]] = field(default_factory=dict, compare=False)

    @property
    def people(self) -> tuple[PlacedDetection, ...]:
        """All people in view."""
        return tuple(found for found in self.detections if found.label == PERSON)

    @property
    def things(self) -> tuple[PlacedDetection, ...]:
        """Detections other than people."""
        return tuple(found for found in self.detections if found.label != PERSON)

    def person(self, who: str) -> PlacedDetection | None:
        """Return the detection of the person `who`, or None if the person is not in view."""
        return next((found for found in self.people if found.who == who), None)

    def facts(self) -> Mapping[str, str]:
        """Return an empty mapping, because a view establishes no facts."""
        return {}

    def describe(self, language: str) -> str:
        """Return a line for the operator, such as "people 2 · things 1 · lit"."""
        say = _words().say
        if self.fault is not None:
            return say("BLACK", language)
        people = len(self.people)
        parts = [say("PEOPLE" if people else "NOBODY", language, count=people)]
        if self.things:
            parts.append(say("THINGS", language, count=len(self.things)))
        if self.frame is not None:
            lit = float(self.frame.mean()) >= LIT_LEVEL
            parts.append(say("LIT" if lit else "DARK", language))
        return " · ".join(parts)

    def record(self) -> dict[str, Any]:
        """Return plain data for the journal, without the frame."""
        return {
            "t": round(self.t, 3),
            "pose": [round(value, 3) for value in self.pose],
            "detections": [
                {
                    "type": found.label,
                    "bbox": list(found.bbox),
                    "score": round(found.score, 3),
                    "who": found.who,
                    "at": None if found.at is None else [round(value, 2) for value in found.at],
                }
                for found in self.detections
            ],
            "light": {f"{place}/{part}": round(v, 1) for (place, part), v in self.light.items()},
            "fault": self.fault,
            "areas": {name: list(area) for name, area in self.areas.items()},
        }
