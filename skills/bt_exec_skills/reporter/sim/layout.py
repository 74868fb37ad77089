"""Layout of a simulated building, as data.

Frame: x east, y north, z up; metres, radians, seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bt_exec_skills.reporter.sim.floor import Bar

__all__ = ["Furniture", "Layout", "Rgb", "Someone", "Thing"]

Rgb = tuple[float, float, float]


class Furniture(NamedTuple):
    """Solid box that is on maps: centre (x, y), half sizes, height [m], colour."""

    x: float
    y: float
    half_x: float
    half_y: float
    height: float
    rgb: Rgb


class Thing(NamedTuple):
    """Unusual object on the floor: its kind, room, position [m] and rotation [rad]."""

    kind: str
    room: str
    x: float
    y: float
    yaw: float


class Someone(NamedTuple):
    """Person in the building.

    Attributes:
        who: "user", "professor" or "visitor-1" …
        room: Room of the person.
        way: Waypoints [m]; a single one for a standing person.
        speed: Walking speed [m/s].
        pause: Wait at each end [s].
        clothes: Colour of the clothes.
    """

    who: str
    room: str
    way: tuple[tuple[float, float], ...]
    speed: float
    pause: float
    clothes: Rgb


@dataclass(frozen=True)
class Layout:
    """Complete description of a world. Equal layouts give equal worlds, bit for bit.

    Attributes:
        furniture: Objects on the map besides the walls.
        things: Unusual objects on the floor.
        people: Persons in the building.
        lights: Whether each lamp is on.
        noise_db: Sound level of each room [dB].
        barriers: Barriers on the route.
        wall: Colour of the walls.
        answer: Index of the predefined answer that people give.
    """

    furniture: tuple[Furniture, ...]
    things: tuple[Thing, ...]
    people: tuple[Someone, ...]
    lights: Mapping[str, bool]
    noise_db: Mapping[str, float]
    barriers: tuple[Bar, ...]
    wall: Rgb
    answer: int
