"""Learned detector: maps classes of a network to labels and marks doubtful detections.

A network may distinguish the door's states (a class each) or only find the door. The mapping
of classes to labels is configuration; an unmapped class keeps its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bt_exec.failure import UsageError
from bt_exec_skills.door.robot import DoorState
from bt_exec_skills.perception.contracts import Detection, View
from bt_exec_skills.perception.pictures_and_boxes import (
    Box,
    Frame,
    intersection_over_union,
    to_pixel_box,
)
from bt_exec_skills.vision.box_decoding import Found
from bt_exec_skills.vision.network_inference import Network

__all__ = ["MEANINGS", "DoorDetection", "LearnedDetector"]

MEANINGS: tuple[str, ...] = (
    "door",
    "door-closed",
    "door-ajar",
    "door-open",
    "door-handle",
    "material",
    "person",
    "ignore",
)
"""Labels to which the classes of a network can be mapped; ``ignore`` drops a class."""

_STATES: Mapping[str, DoorState] = MappingProxyType(
    {"door-closed": "closed", "door-ajar": "ajar", "door-open": "open"}
)
_FAINT = 0.05  # minimum score of a rival state of the door
_SAME_DOOR = 0.5  # overlap (IoU) of two boxes of one door
_TO_GRASP = ("material",)
_BEYOND_PX = 4.0  # maximum distance of an object's centre outside the opening [px]
_SAME_THING, _SECOND_SCORE = 0.3, 0.25
_MARGIN_PX = 6  # border around a box that is included in the comparison
_MOVED_PX = 1  # tolerance of a box that did not move
_NOISE = 4  # maximum change of a pixel while the scene does not change [grey levels]


@dataclass(frozen=True, slots=True)
class DoorDetection(Detection):
    """A detected door with a score for each state.

    Attributes:
        states: Score by state; empty if the network does not distinguish them.
    """

    states: tuple[tuple[DoorState, float], ...] = ()


class LearnedDetector:
    """Detector with a network; implements `bt_exec_skills.perception.contracts.Detector`.

    An object to grasp must be in the opening behind the door and is confirmed on an enlarged part
    of the picture; otherwise it is marked as doubtful (`Detection.doubt`). A confirmation holds
    until the object moves or its pixels change by more than noise. While the whole picture changes
    by no more than noise, the last detections are returned without running the network, unless one
    of them is doubtful.

    Args:
        network: The network.
        meanings: Meaning (one of `MEANINGS`) of each class of the network. Other classes keep their
            name.
        least_score: Threshold of the score, 0..1.
        opening: The corners of the opening in the picture, in order, (n, 2) [px]; None if they are
            unknown.

    Raises:
        UsageError: If `meanings` contains a class that the network lacks or a value that is not in
            `MEANINGS`, or if no class is mapped to the door.
    """

    def __init__(
        self,
        network: Network,
        meanings: Mapping[str, str] | None = None,
        least_score: float = 0.35,
        opening: npt.NDArray[np.float64] | None = None,
    ) -> None:
        for name, meaning in (meanings or {}).items():
            if name not in network.names:
                raise UsageError(
                    f"labels: the network has no class {name!r}; it has {', '.join(network.names)}"
                )
            if meaning not in MEANINGS:
                raise UsageError(
                    f"labels: {name!r} cannot mean {meaning!r}; allowed: {', '.join(MEANINGS)}"
                )
        self._network = network
        self._meanings = {name: name for name in network.names} | dict(meanings or {})
        if not {"door", *_STATES} & set(self._meanings.values()):
            raise UsageError(
                "labels: no class of the network means a door; set one, as "
                f"{{{network.names[0]}: door}}; it has {', '.join(network.names)}"
            )
        self._least = least_score
        self._opening = None if opening is None else opening.astype(np.float32)
        self._confirmed: dict[str, tuple[Box, Frame]] = {}
        self._last: tuple[Frame, tuple[Detection, ...]] | None = None

    def detect(self, view: View[Any]) -> tuple[Detection, ...]:
        """Implement `Detector.detect`."""
        if self._last is not None and is_unchanged(self._last[0], view.frame):
            return self._last[1]
        found = self._detections_in(view.frame)
        self._last = None if any(one.doubt for one in found) else (view.frame, found)
        return found

    def _detections_in(self, frame: Frame) -> tuple[Detection, ...]:
        """Return the detections, best first."""
        size = frame.shape[0], frame.shape[1]
        doors: list[tuple[str, Found]] = []
        others: list[Detection] = []
        for found in self._network.find(frame, _FAINT):
            meaning = self._meanings[found.label]
            box = to_pixel_box(found.xyxy, size)
            if box is None or meaning == "ignore":
                continue
            if meaning == "door" or meaning in _STATES:
                doors.append((meaning, found))
            elif found.score > self._least:
                doubt = self._reason_for_doubt(frame, meaning, box) if meaning in _TO_GRASP else ""
                others.append(Detection(meaning, box, found.score, doubt=doubt))
        door = self._best_door(doors, size)
        seen = [*([door] if door is not None else []), *others]
        return tuple(sorted(seen, key=lambda one: -one.score))

    def _best_door(
        self, doors: list[tuple[str, Found]], size: tuple[int, int]
    ) -> DoorDetection | None:
        """Return the best door with the scores of its states, or None."""
        if not doors or doors[0][1].score <= self._least:
            return None
        best = doors[0][1]
        scores: dict[DoorState, float] = {}
        for meaning, found in doors:
            if meaning in _STATES and _overlap(found.xyxy, best.xyxy) >= _SAME_DOOR:
                state = _STATES[meaning]
                scores[state] = max(scores.get(state, 0.0), found.score)
        box = to_pixel_box(best.xyxy, size)
        if box is None:
            return None
        ranked = sorted(scores.items(), key=lambda pair: -pair[1])
        return DoorDetection("door", box, best.score, states=tuple(ranked))

    def _reason_for_doubt(
        self, frame: Frame, meaning: str, box: Box
    ) -> Literal["", "unconfirmed", "outside"]:
        """Return why the detection of an object to grasp is doubtful; empty if it is not."""
        if self._opening is not None:
            import cv2

            middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
            if cv2.pointPolygonTest(self._opening, middle, measureDist=True) < -_BEYOND_PX:
                return "outside"
        confirmed = self._confirmed.get(meaning)
        if confirmed is not None and looks_same(confirmed, frame, box):
            return ""
        if not self.confirm_enlarged(frame, meaning, box):
            return "unconfirmed"
        self._confirmed[meaning] = box, frame
        return ""

    def confirm_enlarged(self, frame: Frame, meaning: str, box: Box) -> bool:
        """Return True if the network also finds the object in the enlarged picture around `box`."""
        part, left, top = enlarged_quarter(frame, box)
        for found in self._network.find(part, _SECOND_SCORE):
            x1, y1, x2, y2 = (side / 2 for side in found.xyxy)
            there = x1 + left, y1 + top, x2 + left, y2 + top
            if self._meanings[found.label] == meaning and _overlap(there, box) >= _SAME_THING:
                return True
        return False


def looks_same(before: tuple[Box, Frame], frame: Frame, box: Box) -> bool:
    """Return True if the box has not moved and its pixels have changed by no more than noise."""
    box_before, frame_before = before
    if np.abs(np.subtract(box, box_before)).max() > _MOVED_PX:
        return False
    left, top = (max(0, side - _MARGIN_PX) for side in box[:2])
    part = np.s_[top : box[3] + _MARGIN_PX, left : box[2] + _MARGIN_PX]
    return is_unchanged(frame_before[part], frame[part])


def is_unchanged(before: Frame, frame: Frame) -> bool:
    """Return True if two pictures differ by no more than noise."""
    if before.shape != frame.shape:
        return False
    return int((np.maximum(before, frame) - np.minimum(before, frame)).max()) <= _NOISE


def enlarged_quarter(frame: Frame, box: Box) -> tuple[Frame, int, int]:
    """Return the quarter of a picture around a box, enlarged to the size of the picture.

    Also return the left column and the top row of the quarter [px].
    """
    import cv2

    height, width = frame.shape[:2]
    left = int(np.clip((box[0] + box[2]) / 2 - width / 4, 0, width - width // 2))
    top = int(np.clip((box[1] + box[3]) / 2 - height / 4, 0, height - height // 2))
    part = frame[top : top + height // 2, left : left + width // 2]
    bigger = cv2.resize(part, (2 * part.shape[1], 2 * part.shape[0]))
    return np.asarray(bigger, np.uint8), left, top


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return float(intersection_over_union([one], [other])[0, 0])
