"""Observation of the door pack: detections, the state of the door, touch, the frame.

Bounding boxes occur only in observations; actions refer to objects by label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from bt_exec.language.messages import load_messages
from bt_exec_skills.door.robot import ARMS, DoorRobot, DoorState
from bt_exec_skills.perception.contracts import CameraFault, Detection
from bt_exec_skills.perception.object_perception import Detections, fault_in_words

if TYPE_CHECKING:
    from bt_exec_skills.perception.pictures_and_boxes import Frame

__all__ = ["CLEAR", "DoorEstimate", "DoorObservation", "DoorUncertainty", "Touch", "Touched"]

Touched: TypeAlias = Literal["held", "in_front", "lost"]
"""Tactile state of the material: a hand holds it (``held``), a hand lost it in front of the door,
where it falls to the floor (``in_front``), or a hand lost it in the doorway (``lost``)."""


class Touch:
    """Tracker of the tactile state of the material.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: DoorRobot) -> None:
        self._robot = robot
        self._last: Touched | None = None

    def tactile_state(self) -> Touched | None:
        """Return the tactile state of the material; None if no hand ever held it.

        Must be called with every picture, because changes in between are missed.
        """
        holding = [arm for arm in ARMS if self._robot.holding(arm) == "material"]
        if not holding:
            return self._last
        self._last = "lost" if any(map(self._robot.in_doorway, holding)) else "in_front"
        return "held"


CLEAR = 0.85
"""Minimum visible share of the opening, 0..1, at which no material can be hidden. The rest is a
strip at the hinge that is narrower than the material."""

DoorUncertainty = Literal["no_door", "door_hidden", "not_confirmed"]
"""Reason why the state of the door is uncertain."""


@dataclass(frozen=True, slots=True)
class DoorEstimate:
    """Estimated state of the door.

    Attributes:
        state: open, ajar, closed; or uncertain if it cannot be determined.
        confidence: Confidence of the state, 0..1.
        evidence: Reasons for the operator, strongest first: "primary:…", then "proxy:…".
        doubt: Reason why the state is uncertain, if there is a single one.
        between: The two neighbouring candidates of an uncertain state, if known.
        inside: Share of the opening through which the inside is in view, 0..1; None if unknown.
    """

    state: DoorState
    confidence: float
    evidence: tuple[str, ...] = ()
    doubt: DoorUncertainty | None = None
    between: tuple[DoorState, ...] = field(default=(), compare=False)
    inside: float | None = field(default=None, compare=False)

    @property
    def possible_states(self) -> frozenset[DoorState]:
        """The possible states; empty if nothing is known."""
        return frozenset(self.between if self.state == "uncertain" else (self.state,))


_words = partial(load_messages, Path(__file__).with_name("words.yaml"))


@dataclass(frozen=True)
class DoorObservation(Detections):
    """One view of the door; implements `bt_exec.robot.Observation`.

    Attributes:
        t: Time of the frame [s, mission clock].
        detections: Detections, best first.
        door: The state of the door.
        frame: The picture, or None if it was not kept.
        fault: Fault of the camera, or None.
        touched: Tactile state of the material at that time, if a hand ever held it.
    """

    t: float
    detections: tuple[Detection, ...]
    door: DoorEstimate
    frame: Frame | None = field(default=None, repr=False, compare=False)
    fault: CameraFault | None = None
    touched: Touched | None = None

    @property
    def inside_clear(self) -> bool:
        """Whether enough of the inside is in view; True if its visible share is unknown."""
        return self.door.inside is None or self.door.inside >= CLEAR

    def facts(self) -> Mapping[str, str]:
        """Return the facts that the view establishes about the door and the material."""
        facts: dict[str, str] = {} if self.door.state == "uncertain" else {"door": self.door.state}
        ajar = self.door.state in ("open", "ajar")
        if self.touched != "held" and ajar and self.confirms("material"):
            facts["material"] = "behind_door"
        elif self.touched is not None:
            facts["material"] = self.touched
        return facts

    def describe(self, language: str) -> str:
        """Return a line for the operator, such as "door open 0.9 · handle yes · material no"."""
        say = partial(_words().translate_word, language=language)
        parts = [f"{say('door')} {say(self.door.state)} {self.door.confidence:.1f}"]
        for word, label in (("handle", "door-handle"), ("material", "material")):
            doubts = [found.doubt for found in self.detections if found.label == label]
            seen = min(doubts) or "yes" if doubts else "no"  # "" (no doubt) is the minimum
            parts.append(f"{say(word)} {say(seen)}")
        if self.fault is not None:
            parts.append(fault_in_words(self.fault, language))
        return " · ".join(parts)

    def record(self) -> dict[str, Any]:
        """Return plain data for the journal, without the frame."""
        return {
            "t": self.t,
            "detections": [
                {"type": d.label, "bbox": list(d.bbox), "score": round(d.score, 3)}
                | ({"doubt": d.doubt} if d.doubt else {})
                for d in self.detections
            ],
            "door": {
                "state": self.door.state,
                "confidence": round(self.door.confidence, 3),
                "evidence": list(self.door.evidence),
            },
            "fault": self.fault,
        }
