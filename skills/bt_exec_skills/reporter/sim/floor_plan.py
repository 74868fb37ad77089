"""Floor plan of the simulated building: rooms, walls, doorways, lights.

::

    7.4 +-----------+---------------------+------------------+
        | professor |       lounge        |    break room    |
        |  office   |                   [door]               |
    2.4 +--[door]---+-[door]------[door]--+---[door]---------+
        | west          corridor, middle                east |
    0.0 +---[door]-------+---+ open  +---+-------------------+
        |    basecamp    |   restroom
   -4.0 +----------------+   front
        0               6    8      11                      20

Frame: x east, y north [m]. Names of rooms are the ids that the shipped site uses for its places.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from bt_exec_skills.navigation.plane_geometry import Area

__all__ = ["BARRIERS", "DOORWAYS", "LIGHTS", "ROOMS", "STAND", "WALL_HEIGHT", "Bar", "wall_pieces"]

WALL_HEIGHT = 2.4

ROOMS: Mapping[str, Area] = MappingProxyType(
    {
        "basecamp": Area(0.0, -4.0, 6.0, 0.0),
        "professor_office": Area(0.0, 2.4, 5.0, 7.4),
        "corridor_center": Area(0.0, 0.0, 20.0, 2.4),
        "lounge": Area(5.0, 2.4, 13.0, 7.4),
        "break_room": Area(13.0, 2.4, 20.0, 7.4),
        "restroom_front": Area(8.0, -2.4, 11.0, 0.0),
    }
)
LIGHTS: Mapping[str, Area] = MappingProxyType(
    {
        **{name: area for name, area in ROOMS.items() if name != "corridor_center"},
        "corridor_west": Area(0.0, 0.0, 6.7, 2.4),
        "corridor_center": Area(6.7, 0.0, 13.3, 2.4),
        "corridor_east": Area(13.3, 0.0, 20.0, 2.4),
    }
)
"""Area that each lamp lights."""
STAND: tuple[tuple[float, float], ...] = (
    (3.0, -1.4),
    (2.5, 3.9),
    (9.5, 1.2),
    (11.5, 1.9),
    (8.0, 4.4),
    (11.0, 5.4),
    (15.6, 4.0),
    (17.6, 5.6),
    (9.5, -0.5),
    (8.7, -0.4),
)
"""Target positions of the robot [m], which are kept free of people and objects."""


class Bar(NamedTuple):
    """Straight line on the floor along x or y, from (x1, y1) to (x2, y2) [m]."""

    x1: float
    y1: float
    x2: float
    y2: float


DOORWAYS: Mapping[str, Bar] = MappingProxyType(
    {
        "basecamp": Bar(2.4, 0.0, 3.6, 0.0),
        "professor_office": Bar(1.9, 2.4, 3.1, 2.4),
        "lounge_west": Bar(6.0, 2.4, 7.2, 2.4),
        "lounge_east": Bar(11.4, 2.4, 12.6, 2.4),
        "break_room": Bar(15.0, 2.4, 16.2, 2.4),
        "lounge_break_room": Bar(13.0, 4.4, 13.0, 5.6),
        "restroom_front": Bar(8.0, 0.0, 11.0, 0.0),
    }
)
"""Openings in walls."""

_CORRIDOR_WEST = Bar(7.8, 0.0, 7.8, 2.4)
_CORRIDOR_EAST = Bar(11.2, 0.0, 11.2, 2.4)
BARRIERS: Mapping[str, tuple[Bar, ...]] = MappingProxyType(
    {
        "none": (),
        "corridor": (_CORRIDOR_WEST,),
        "corridor_center": (_CORRIDOR_WEST, _CORRIDOR_EAST),
        "basecamp": (DOORWAYS["basecamp"],),
        "professor_office": (DOORWAYS["professor_office"],),
        "lounge": tuple(DOORWAYS[n] for n in ("lounge_west", "lounge_east", "lounge_break_room")),
        "break_room": (DOORWAYS["break_room"], DOORWAYS["lounge_break_room"]),
        "restroom_front": (DOORWAYS["restroom_front"],),
    }
)
"""Barriers by the value of ``--world blocked``; the map of the robot does not contain them.

``corridor`` leaves a route through the lounge; the others make a place unreachable.
"""

_WALLS = (
    Bar(0.0, 7.4, 20.0, 7.4),
    Bar(0.0, 0.0, 0.0, 7.4),
    Bar(20.0, 0.0, 20.0, 7.4),
    Bar(0.0, 2.4, 20.0, 2.4),
    Bar(5.0, 2.4, 5.0, 7.4),
    Bar(13.0, 2.4, 13.0, 7.4),
    Bar(0.0, 0.0, 20.0, 0.0),
    Bar(0.0, -4.0, 6.0, -4.0),
    Bar(0.0, -4.0, 0.0, 0.0),
    Bar(6.0, -4.0, 6.0, 0.0),
    Bar(8.0, -2.4, 11.0, -2.4),
    Bar(8.0, -2.4, 8.0, 0.0),
    Bar(11.0, -2.4, 11.0, 0.0),
)


def wall_pieces() -> list[Bar]:
    """Return the walls with the doorways cut out."""
    pieces: list[Bar] = []
    for wall in _WALLS:
        along = wall.y1 == wall.y2
        start = wall.x1 if along else wall.y1
        gaps = sorted(
            (gap.x1, gap.x2) if along else (gap.y1, gap.y2)
            for gap in DOORWAYS.values()
            if (gap.y1 == gap.y2 == wall.y1 if along else gap.x1 == gap.x2 == wall.x1)
        )
        for low, high in [*gaps, (wall.x2 if along else wall.y2, None)]:
            if along:
                pieces.append(Bar(start, wall.y1, low, wall.y1))
            else:
                pieces.append(Bar(wall.x1, start, wall.x1, low))
            start = high if high is not None else low
    return pieces
