"""Observation of the reporter: people, objects, light, the frame.

Places on the floor are east and north in the building's frame [m].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bt_exec_skills.navigation.geometry import Pose
from bt_exec_skills.perception.contracts import CameraFault, Detection
from bt_exec_skills.perception.picture import Frame

__all__ = ["LIT_LEVEL", "PERSON", "PlacedDetection", "ReporterObservation"]

PERSON = "person"
LIT_LEVEL = 55.0
"""Mean luminance, 0..255, from which a place counts as lit; a dark one has 10 to 30."""


@dataclass(frozen=True, slots=True)
class PlacedDetection(Detection):
    """Detection of a person or an object, with its position.

    Attributes:
        who: Identity or track of a person; None if unknown.
        at: Position [m]; None if unknown.
    """

    who: str | None = None
    at: tuple[float, float] | None = None


_WORDS: Mapping[str, tuple[str, str, str, str, str, str]] = {
    "en": ("no people in view", "people {n}", "things {n}", "lit", "dark", "camera black"),
    "ko": ("사람 없음", "사람 {n}명", "물건 {n}개", "밝음", "어두움", "카메라 화면 없음"),
}


@dataclass(frozen=True)
class ReporterObservation:
    """One view; implements `bt_exec.robot.Observation`.

    Attributes:
        t: Time of the frame [s, mission clock].
        pose: Pose of the camera.
        detections: Detected people and objects, nearest first.
        light: Mean luminance, 0..255, of the visible part of each section of a place: by (place,
            number of the section).
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
        """Return the detection of a person, or None."""
        return next((found for found in self.people if found.who == who), None)

    def labels(self) -> tuple[str, ...]:
        """Return the labels of the detections, each once."""
        return tuple(dict.fromkeys(found.label for found in self.detections))

    def facts(self) -> Mapping[str, str]:
        """Return the facts that this view establishes for the dry run: none."""
        return {}

    def describe(self, language: str) -> str:
        """Return a line for the operator: "people 2 · things 1 · lit"."""
        nobody, people, things, lit, dark, black = _WORDS.get(language, _WORDS["en"])
        if self.fault is not None:
            return black
        parts = [people.format(n=len(self.people)) if self.people else nobody]
        if self.things:
            parts.append(things.format(n=len(self.things)))
        if self.frame is not None:
            parts.append(lit if float(self.frame.mean()) >= LIT_LEVEL else dark)
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
