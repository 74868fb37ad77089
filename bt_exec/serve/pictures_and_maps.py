"""Newest pictures of observations, and maps drawn from their records.

A map is drawn from these keys of a record; lengths are in metres, angles in radians.

==============  ===============================================================
``objects``     ``[x, y, …]`` by name
``areas``       ``[left, bottom, right, top]`` of rooms and tables, by name
``detections``  list; items with ``type`` and ``at: [x, y]`` are drawn
``base``        ``[x, y, yaw]`` of the robot; ``pose`` is read if it is missing
==============  ===============================================================
"""

from __future__ import annotations

import itertools
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bt_exec.events import Event, Observed
from bt_exec.journal import png_of
from bt_exec.language.messages import LANGUAGES
from bt_exec.robot import Observation

__all__ = ["Picture", "Pictures", "map_of", "maps_of"]


_KEPT = 8  # maximum number of stored pictures per pack
_SURE = 0.5  # score from which a detection is drawn as certain
_NUMBERED = "#"  # as in ``cup#1``, a detection that is not assigned to a known object
_BOXES = 64  # maximum number of drawn boxes per picture


@dataclass
class Picture:
    """Picture of an observation, with the boxes of its detections.

    Attributes:
        number: Identifier, unique while the service runs.
        pack: Pack that took the picture.
        width: Width [px].
        height: Height [px].
        boxes: ``{"label", "said", "score", "sure", "box": [x1, y1, x2, y2]}`` [px, from top
            left]; ``said`` is the label by language.
        frame: The pixels, uint8 (height, width, 3) RGB.
    """

    number: int
    pack: str
    width: int
    height: int
    boxes: list[dict[str, Any]]
    frame: Any
    _png: bytes = b""

    def drawing_data(self) -> dict[str, Any]:
        """Return the data for drawing the picture on the page."""
        return {
            "number": self.number,
            "pack": self.pack,
            "width": self.width,
            "height": self.height,
            "boxes": self.boxes,
        }

    def png(self) -> bytes:
        """Return the picture as a PNG file, encoded once.

        Raises:
            ValueError: If `frame` cannot be encoded as a picture.
        """
        if not self._png:
            self._png = png_of(np.asarray(self.frame))
        return self._png


class Pictures:
    """Thread-safe store of the newest pictures of each pack.

    Args:
        word: Returns the display name of an object in a language.
    """

    def __init__(self, word: Callable[[str, str], str] = lambda name, _: name) -> None:
        self._word = word
        self._kept: dict[str, OrderedDict[int, Picture]] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._making = threading.Lock()

    def add(self, pack: str, observation: Observation) -> None:
        """Store the picture of an observation, if it has one."""
        shape: tuple[int, ...] = tuple(getattr(observation.frame, "shape", ()))
        if len(shape) not in (2, 3):
            return
        boxes = _boxes(observation.record())
        for box in boxes:
            name = box["label"].partition(_NUMBERED)[0]
            box["said"] = {language: self._word(name, language) for language in LANGUAGES}
        picture = Picture(
            next(self._numbers), pack, int(shape[1]), int(shape[0]), boxes, observation.frame
        )
        with self._lock:
            kept = self._kept.setdefault(pack, OrderedDict())
            kept[picture.number] = picture
            while len(kept) > _KEPT:
                kept.popitem(last=False)

    def newest(self) -> list[Picture]:
        """Return the newest picture of each pack."""
        with self._lock:
            return [next(reversed(kept.values())) for kept in self._kept.values()]

    def png(self, number: int) -> bytes | None:
        """Return a picture as PNG; None if it was dropped. Pictures are encoded one at a time."""
        with self._lock:
            found = next((kept[number] for kept in self._kept.values() if number in kept), None)
        if found is None:
            return None
        with self._making:
            return found.png()


def _boxes(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the boxes in an observation's record.

    They are read from ``detections``, a list of ``{"type", "bbox", "score"}``, or from ``boxes``, a
    mapping from labels to boxes.
    """
    detections, boxes = record.get("detections"), record.get("boxes")
    labelled_boxes: list[tuple[Any, Any, Any]] = []
    if isinstance(detections, list | tuple):
        ones = [one for one in detections if isinstance(one, Mapping)]
        labelled_boxes += [
            (one.get("label") or one.get("type"), one.get("score"), one) for one in ones
        ]
        labelled_boxes = [(label, score, one.get("bbox")) for label, score, one in labelled_boxes]
    if isinstance(boxes, Mapping):
        labelled_boxes += [(label, None, box) for label, box in boxes.items()]
    return [
        {
            "label": str(label or ""),
            "score": score,
            "sure": _NUMBERED not in str(label) if score is None else score >= _SURE,
            "box": [round(float(v), 1) for v in box],
        }
        for label, score, box in labelled_boxes[:_BOXES]
        if isinstance(box, list | tuple) and len(box) == 4
    ]


_MOST_MAPS = 300  # maximum number of maps per mission
_MOST_OBJECTS = 2000  # maximum number of objects per map

Word = Callable[[str, str], str]
"""Function that returns a name in a language."""


def map_of(record: Mapping[str, Any], word: Word) -> dict[str, Any] | None:
    """Return the robot, areas and objects in an observation's record; None if there are none.

    Args:
        record: The record; may come from any pack.
        word: Returns the display names of objects and areas.
    """
    robot = _first_numbers(record.get("base") or record.get("pose"), 3)
    objects = [
        (name, _first_numbers(at, 2)) for name, at in _items_of_mapping(record.get("objects"))
    ]
    detections = record.get("detections")
    objects += [
        (str(one.get("type", "")), _first_numbers(one.get("at"), 2))
        for one in (detections if isinstance(detections, list | tuple) else ())
        if isinstance(one, Mapping)
    ]
    areas = [
        (name, _first_numbers(area, 4)) for name, area in _items_of_mapping(record.get("areas"))
    ]
    if robot is None and not any(at for _, at in (*objects, *areas)):
        return None
    return {
        "robot": robot,
        "areas": [_named_item(name, area, word) for name, area in areas if area is not None],
        "objects": [_named_item(name, at, word) for name, at in objects if at][:_MOST_OBJECTS],
    }


def maps_of(events: Iterable[Event], word: Word) -> list[dict[str, Any]]:
    """Return the maps of a mission in order, or a selection if there are many.

    Each map has its time [s] and the file name of the newest recorded picture of its pack.
    """
    found, newest = [], dict[str, str]()
    for event in events:
        if isinstance(event, Observed):
            file = getattr(event.observation, "frame_file", None)
            if file is not None:
                newest[event.pack] = file.name
            map_data = map_of(event.observation.record(), word)
            if map_data is not None:
                picture = newest.get(event.pack)
                at = {"t": round(event.t, 2), "pack": event.pack, "picture": picture}
                found.append({**at, **map_data})
    step = max(1, math.ceil(len(found) / _MOST_MAPS))
    return [*found[:-1:step], *found[-1:]]


def _named_item(name: str, at: list[float], word: Word) -> dict[str, Any]:
    said = {language: word(name, language) for language in LANGUAGES}
    return {"name": name, "said": said, "at": at}


def _items_of_mapping(value: Any) -> list[tuple[str, Any]]:
    return [(str(name), one) for name, one in value.items()] if isinstance(value, Mapping) else []


def _first_numbers(value: Any, count: int) -> list[float] | None:
    """Return the first `count` items of a list, rounded to 0.001; None if one is not a number."""
    if not isinstance(value, list | tuple) or len(value) < count:
        return None
    numbers = value[:count]
    if not all(isinstance(one, int | float) and math.isfinite(one) for one in numbers):
        return None
    return [round(float(one), 3) for one in numbers]
