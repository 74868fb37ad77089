"""Layout of a simulated building: chosen options, and the rest drawn from a seed.

Frame: x east, y north, z up; metres, radians, seconds.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bt_exec_skills.navigation.plane_geometry import Area
from bt_exec_skills.reporter.sim.floor_plan import BARRIERS, DOORWAYS, LIGHTS, ROOMS, STAND, Bar
from bt_exec_skills.reporter.sim.options import THINGS, WorldOptions

__all__ = ["Furniture", "Layout", "Rgb", "Someone", "Thing", "draw_layout"]

Rgb = tuple[float, float, float]


class Furniture(NamedTuple):
    """Solid box that is part of the map: centre (x, y), half sizes, height [m], colour."""

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
        who: Id of the person, such as "user", "professor" or "visitor-1".
        room: Room of the person.
        way: Waypoints [m]; a single point for a standing person.
        speed: Walking speed [m/s].
        pause: Waiting time at each waypoint [s].
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
        furniture: Furniture, which is on the map of the robot, unlike `things`.
        things: Unusual objects on the floor.
        people: Persons in the building.
        lights: Whether each lamp is on.
        noise_db: Sound level of each room [dB].
        barriers: Barriers that are not on the map of the robot.
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


_ROOM_OF_USER, _ROOM_OF_PROFESSOR = "basecamp", "professor_office"
_CORRIDOR = "corridor_center"
_LANE_M = 0.5  # minimum distance of a person from the middle of the corridor
_APART_M = 0.75  # minimum distance between people
_NUMBERS = {
    "corridor_center": (0, 4),
    "lounge": (0, 5),
    "break_room": (0, 3),
    "restroom_front": (0, 2),
    "professor_office": (0, 1),
    "basecamp": (0, 0),
}
_CROWD = {"corridor_center": 5, "lounge": 8, "break_room": 5, "restroom_front": 2}


def draw_layout(options: WorldOptions) -> Layout:
    """Return the layout for `options` and their seed."""
    draw = _Draw(options)
    furniture = draw.furniture()
    things = draw.things()
    people = draw.people()
    return Layout(
        furniture,
        things,
        people,
        {name: options.lights.get(name, draw.rng.random() < 0.75) for name in LIGHTS},
        draw.draw_noise_levels(people),
        BARRIERS[options.blocked],
        (draw.between(0.72, 0.88), draw.between(0.72, 0.86), draw.between(0.68, 0.82)),
        draw.rng.randrange(1 << 16),
    )


class _Draw:
    """Random generator and the objects placed so far."""

    def __init__(self, options: WorldOptions) -> None:
        self.options = options
        self.rng = random.Random(options.seed)
        self._taken: list[Area] = []  # furniture and objects
        self._stand: list[tuple[float, float]] = []  # positions and turning points of people

    def between(self, low: float, high: float) -> float:
        return low + (high - low) * self.rng.random()

    def furniture(self) -> tuple[Furniture, ...]:
        wood: Rgb = (self.between(0.5, 0.65), self.between(0.36, 0.46), self.between(0.22, 0.3))
        cloth: Rgb = (self.between(0.2, 0.5), self.between(0.3, 0.5), self.between(0.4, 0.6))
        plan: tuple[tuple[float, float, float, float, float, Rgb], ...] = (
            (2.5, 6.3, 0.8, 0.35, 0.72, wood),  # the professor's desk
            (0.35, 5.0, 0.25, 0.9, 1.1, wood),  # shelf
            (9.4, 6.6, 0.9, 0.4, 0.45, cloth),  # sofa
            (5.7, 4.6, 0.4, 0.9, 0.45, cloth),  # sofa
            (18.9, 6.8, 0.9, 0.35, 0.85, wood),  # counter
            (14.3, 6.2, 0.5, 0.5, 0.72, wood),  # table
            (0.7, -3.2, 0.4, 0.6, 0.72, wood),  # the user's desk
            (5.4, -3.4, 0.35, 0.35, 0.4, (0.2, 0.2, 0.22)),  # charger
        )
        made = tuple(
            Furniture(
                x + self.between(-0.1, 0.1),
                y + self.between(-0.05, 0.05),
                half_x,
                half_y,
                high,
                rgb,
            )
            for x, y, half_x, half_y, high, rgb in plan
        )
        self._taken += [
            Area(f.x - f.half_x, f.y - f.half_y, f.x + f.half_x, f.y + f.half_y) for f in made
        ]
        return made

    def things(self) -> tuple[Thing, ...]:
        made = []
        for room in ROOMS:
            drawn = self.rng.choice(THINGS) if self.rng.random() < 0.15 else "none"
            kind = self.options.unusual.get(room, drawn)
            if kind == "none":
                continue
            x, y = self._free_spot(room, 0.55, beside=0.5)
            made.append(Thing(kind, room, x, y, self.between(-3.1, 3.1)))
            self._taken.append(Area(x - 0.35, y - 0.35, x + 0.35, y + 0.35))
        return tuple(made)

    def people(self) -> tuple[Someone, ...]:
        grey: Rgb = (0.3, 0.3, 0.34)
        made = [Someone("user", _ROOM_OF_USER, ((1.7, -3.0),), 0.0, 0.0, (0.1, 0.3, 0.7))]
        if self.options.professor:
            spot = ((2.5 + self.between(-0.5, 0.5), 5.45),)
            made.append(Someone("professor", _ROOM_OF_PROFESSOR, spot, 0.0, 0.0, grey))
        self._stand += [someone.way[0] for someone in made]
        visitors = 0
        for room in ROOMS:
            for _ in range(self._number_of_visitors(room)):
                visitors += 1
                made.append(self._place_visitor(f"visitor-{visitors}", room))
        return tuple(made)

    def _number_of_visitors(self, room: str) -> int:
        low, high = _NUMBERS[room]
        drawn = self.rng.randint(low, high)
        crowds = {
            "random": drawn,
            "none": 0,
            "few": min(drawn, 1),
            "crowd": _CROWD.get(room, 0),
        }
        return self.options.people.get(room, crowds[self.options.crowd])

    def _place_visitor(self, who: str, room: str) -> Someone:
        clothes: Rgb = (self.between(0.1, 0.9), self.between(0.1, 0.9), self.between(0.1, 0.9))
        start = self._free_spot(room, 0.5, beside=_APART_M)
        way = [start]
        if self.rng.random() < 0.4:
            for _ in range(20):
                end = self._free_spot(room, 0.5, beside=_APART_M)
                if math.dist(start, end) > 1.0 and self._is_path_clear(start, end):
                    way.append(end)
                    break
        self._stand += way
        return Someone(who, room, tuple(way), self.between(0.5, 1.0), self.between(1, 4), clothes)

    def _is_path_clear(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        """Return True if the straight path is free of furniture and objects."""
        steps = 2 + int(math.dist(start, end) / 0.1)
        points = (
            (start[0] + (end[0] - start[0]) * k / steps, start[1] + (end[1] - start[1]) * k / steps)
            for k in range(steps + 1)
        )
        return not any(
            area.without_border(-0.35).contains(*p) for p in points for area in self._taken
        )

    def _free_spot(self, room: str, margin: float, beside: float) -> tuple[float, float]:
        """Return a random free point of a room, away from doorways and target positions."""
        inside = ROOMS[room].without_border(0.4 if room == _CORRIDOR else margin)
        x, y = inside.centre
        for attempt in range(400):
            ease = 1.0 if attempt < 300 else 0.6
            x, y = self.between(inside.left, inside.right), self.between(inside.bottom, inside.top)
            free = (
                not any(area.without_border(-0.4 * ease).contains(x, y) for area in self._taken)
                and all(math.dist((x, y), p) > ease * (beside + 0.1) for p in self._stand)
                and all(math.dist((x, y), p) > 0.9 * ease for p in STAND)
                and all(_distance_to_bar(bar, x, y) > 0.9 * ease for bar in DOORWAYS.values())
                and (room != _CORRIDOR or abs(y - inside.centre[1]) > _LANE_M * ease)
            )
            if free:
                break
        return x, y

    def draw_noise_levels(self, people: tuple[Someone, ...]) -> Mapping[str, float]:
        """Return the sound level of each room [dB]. Persons raise it, and some rooms are loud."""
        levels = {}
        for room in ROOMS:
            talkers = sum(one.room == room for one in people)
            base = self.between(34, 42) + 4.0 * math.log2(1 + talkers)
            loud = self.options.noisy.get(room, self.rng.random() < 0.15)
            lift = self.between(20, 28)
            levels[room] = round(max(base, 48.0) + lift if loud else min(base, 58.0), 1)
        return levels


def _distance_to_bar(bar: Bar, x: float, y: float) -> float:
    """Return the distance of a point from a bar [m]."""
    dx = max(bar.x1 - x, 0.0, x - bar.x2)
    dy = max(bar.y1 - y, 0.0, y - bar.y2)
    return math.hypot(dx, dy)
