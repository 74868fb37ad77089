"""Maps from above: rooms, tables, objects and the robot, from recorded observations.

Records with these keys can be drawn; lengths are in metres, angles in radians.

==============  ===================================================================================
``objects``     ``[x, y, …]`` by name ``areas``       ``[left, bottom, right, top]`` by name: rooms
and tables ``detections``  of those, ``type`` and ``at: [x, y]`` ``base``        ``[x, y, yaw]`` of
the robot; or ``pose`` ==============
===================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bt_exec.events import Event, Observed
from bt_exec.language.messages import LANGUAGES

__all__ = ["map_of", "maps_of"]

_MOST_MAPS = 300  # maximum number per mission
_MOST_OBJECTS = 2000

Word = Callable[[str, str], str]
"""Function that returns a name in a language."""


def map_of(record: Mapping[str, Any], word: Word) -> dict[str, Any] | None:
    """Return the drawable contents of an observation's record; None if there are none.

    Args:
        record: The record; may come from any pack.
        word: Returns the display names of objects and areas.
    """
    robot = _numbers(record.get("base") or record.get("pose"), 3)
    objects = [(name, _numbers(at, 2)) for name, at in _items(record.get("objects"))]
    detections = record.get("detections")
    objects += [
        (str(one.get("type", "")), _numbers(one.get("at"), 2))
        for one in (detections if isinstance(detections, list | tuple) else ())
        if isinstance(one, Mapping)
    ]
    areas = [(name, _numbers(area, 4)) for name, area in _items(record.get("areas"))]
    if robot is None and not any(at for _, at in (*objects, *areas)):
        return None
    return {
        "robot": robot,
        "areas": [_named_item(name, area, word) for name, area in areas if area is not None],
        "objects": [_named_item(name, at, word) for name, at in objects if at][:_MOST_OBJECTS],
    }


def maps_of(events: Iterable[Event], word: Word) -> list[dict[str, Any]]:
    """Return the maps of a mission in order, or a selection if there are many.

    Each has its time [s] and the name of the newest stored picture of its pack.
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


def _items(value: Any) -> list[tuple[str, Any]]:
    return [(str(name), one) for name, one in value.items()] if isinstance(value, Mapping) else []


def _numbers(value: Any, count: int) -> list[float] | None:
    """Return the first `count` numbers of a list; None if it is shorter."""
    if not isinstance(value, list | tuple) or len(value) < count:
        return None
    numbers = value[:count]
    if not all(isinstance(one, int | float) and math.isfinite(one) for one in numbers):
        return None
    return [round(float(one), 3) for one in numbers]
