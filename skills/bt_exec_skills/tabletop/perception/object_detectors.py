"""Object finders for pictures, based on the simulator's ground truth or on a network.

In a site file::

    detector: learned             # the shipped network
    detector: oracle              # ground truth of the simulator
    detector: {weights: my_table.onnx, least_score: 0.4}

A detection of a network gets the name of the object whose centre is in the box and whose name
matches the class. Without such an object it gets its class and a number, such as ``cube#1``. Skills
do not use boxes; they use the environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, Protocol

import numpy as np

from bt_exec.failure import UnknownName
from bt_exec.files import expand_home
from bt_exec_skills.perception.contracts import Detection, Detector, View
from bt_exec_skills.perception.pictures_and_boxes import Box
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.name_attributes import SHAPES, attributes_in_name
from bt_exec_skills.tabletop.perception.head_camera_model import Picture
from bt_exec_skills.vision.box_decoding import suppress_overlaps

__all__ = ["Finder", "LearnedFinder", "OracleFinder", "make_finder"]

_SIDE = (192, 240)  # maximum height and width of a tile [px]; enlarged for the network
_OVERLAP_PX = 48
_AT_LEAST = (96, 120)
_SAME = 0.45


class Finder(Protocol):
    """Finder of objects in a picture."""

    def boxes(self, picture: Picture, now: Environment) -> dict[str, Box]:
        """Return the boxes of objects in the picture [px], by name."""


class OracleFinder:
    """Finder that uses the simulator's ground truth."""

    def boxes(self, picture: Picture, now: Environment) -> dict[str, Box]:  # noqa: ARG002 - as `Finder`
        """Implement `Finder.boxes`."""
        return picture.boxes


class LearnedFinder:
    """Finder that runs a network on the parts of a picture that show tables.

    Args:
        detector: The network.
    """

    def __init__(self, detector: Detector[View[Any], Detection]) -> None:
        self._detector = detector

    def boxes(self, picture: Picture, now: Environment) -> dict[str, Box]:
        """Implement `Finder.boxes`."""
        if picture.viewpoint is None:
            return {}
        found: list[Detection] = []
        for table in now.tables.values():
            part = picture.viewpoint.region_of_table(table)
            for x1, y1, x2, y2 in _tiles(part, picture.viewpoint.size) if part else ():
                view: View[Any] = View(now.t, np.ascontiguousarray(picture.rgb[y1:y2, x1:x2]))
                seen = self._detector.detect(view)
                found += [_shifted(one, x1, y1) for one in seen if not one.doubt]
        return _boxes_by_object(_best_of_overlapping(found), picture, now)


def make_finder(choice: str | Mapping[str, Any]) -> Finder:
    """Return the finder that a site selects.

    Raises:
        UnknownName: If the finder or a setting is unknown.
        UsageError: If the weights or a setting are invalid.
    """
    if choice == "oracle":
        return OracleFinder()
    if isinstance(choice, str) and choice != "learned":
        raise UnknownName("detector", choice, ("oracle", "learned"))
    from bt_exec_skills.things.detector_factory import LEAST_SCORE, make_detector
    from bt_exec_skills.vision.two_stage_network_loading import weights_and_least_score

    settings = {} if isinstance(choice, str) else choice
    weights, least = weights_and_least_score(settings, LEAST_SCORE)
    file = expand_home(weights) if weights is not None else None
    return LearnedFinder(make_detector(file, least))


def _tiles(part: Box, size: tuple[int, int]) -> list[Box]:
    """Return overlapping tiles, none larger than `_SIDE`, that cover `part`."""
    sides = []
    for low, high, whole, most, least in zip(
        part[:2], part[2:], size[::-1], _SIDE[::-1], _AT_LEAST[::-1], strict=True
    ):
        wide = min(whole, max(high - low, least))
        low = int(np.clip(low - (wide - (high - low)) // 2, 0, whole - wide))
        count = 1 if wide <= most else 1 + -(-(wide - most) // (most - _OVERLAP_PX))
        step = min(wide, most)
        starts = np.linspace(low, low + wide - step, count).astype(int)
        sides.append([(int(start), int(start) + step) for start in starts])
    return [(x1, y1, x2, y2) for (x1, x2), (y1, y2) in product(*sides)]


def _shifted(one: Detection, x: int, y: int) -> Detection:
    x1, y1, x2, y2 = one.bbox
    return Detection(one.label, (x1 + x, y1 + y, x2 + x, y2 + y), one.score)


def _best_of_overlapping(found: list[Detection]) -> list[Detection]:
    """Return the best of overlapping detections, because two tiles may show the same object."""
    best = sorted(found, key=lambda one: -one.score)
    boxes = np.array([one.bbox for one in best], np.float32).reshape(-1, 4)
    return [best[k] for k in suppress_overlaps(boxes, None, _SAME)]


def _boxes_by_object(found: list[Detection], picture: Picture, now: Environment) -> dict[str, Box]:
    """Return the boxes by the name of the matching object, or by class and number without one."""
    assert picture.viewpoint is not None
    names = [*now.objects]
    pairs: list[tuple[float, int, str]] = []
    if names:
        places, before = picture.viewpoint.project([now.objects[name].pos for name in names])
        for name, (x, y), ahead in zip(names, places, before, strict=True):
            for number, one in enumerate(found):
                x1, y1, x2, y2 = one.bbox
                if ahead and x1 <= x <= x2 and y1 <= y <= y2 and _may_have_label(name, one.label):
                    away = np.hypot(x - (x1 + x2) / 2, y - (y1 + y2) / 2)
                    pairs.append((float(away), number, name))
    boxes: dict[str, Box] = {}
    taken: set[int] = set()
    for _, number, name in sorted(pairs):
        if name not in boxes and number not in taken:
            boxes[name] = found[number].bbox
            taken.add(number)
    counts: dict[str, int] = {}
    for number, one in enumerate(found):
        if number not in taken:
            counts[one.label] = counts.get(one.label, 0) + 1
            boxes[f"{one.label}#{counts[one.label]}"] = one.bbox
    return boxes


def _may_have_label(name: str, label: str) -> bool:
    """Return True if the network may detect the object `name` as the class `label`."""
    looks = attributes_in_name(name)
    if looks.kind == "object":
        return label in SHAPES
    return label in (looks.kind, looks.shape)
