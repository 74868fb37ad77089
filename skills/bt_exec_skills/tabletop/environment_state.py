"""Environment reported by a simulator: objects, tables, and the pose of the robot.

This is the content of ``GET /env`` and ``GET /state``. Positions are in the frame of the room: x
east, y north, z up [m].
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from bt_exec.observation import Situation
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.name_attributes import NameAttributes, attributes_in_name
from bt_exec_skills.tabletop.tables import Table, infer_tables

__all__ = ["AT_SPOT_M", "WITHIN_M", "Environment", "Placed", "Point", "environment_of"]


WITHIN_M = 0.15
"""Maximum horizontal distance of an object from the centre of its container [m]."""
AT_SPOT_M = 0.15
"""Maximum horizontal distance from a target point on a table at which an object is there [m]."""
_ABOVE_M, _BELOW_M = 0.22, 0.03
_ON_FLOOR_M = 0.12


class Point(NamedTuple):
    """Point in the room [m]."""

    x: float
    y: float
    z: float

    def horizontal_distance(self, other: Point | Pose) -> float:
        """Return the horizontal distance to `other` [m]."""
        return math.hypot(self.x - other.x, self.y - other.y)

    def distance_to(self, other: Point) -> float:
        """Return the distance to `other` [m]."""
        return math.dist(self, other)


class Placed(NamedTuple):
    """Object: its number, position, and rotation about x, y and z [rad]."""

    id: int
    pos: Point
    ori: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Environment:
    """State of the world at one time.

    Attributes:
        t: Time of the reading [s, mission clock].
        objects: Objects by name, in the simulator's order.
        base: Pose of the robot; None if the simulator does not report it.
        reported_tables: Tables that the simulator reports, or that were inferred from an earlier
            reading; empty if there are none.
        held: Object in the hand; None if the hand is empty or its content is unknown.
        origin: Position where the held object was picked up [m]; None if unknown.
        origins: Position of each object before the last mission that moved it [m].
        returnable: Objects that the last mission moved.
        taken: Object that the hand is about to take; None if there is none.
        grips: Whether an object is between the fingers and touches both; None if unknown.
    """

    t: float
    objects: Mapping[str, Placed] = field(default_factory=lambda: MappingProxyType({}))
    base: Pose | None = None
    reported_tables: Mapping[str, Table] = field(default_factory=lambda: MappingProxyType({}))
    held: str | None = None
    origin: Point | None = None
    origins: Mapping[str, Point] = field(default_factory=lambda: MappingProxyType({}))
    returnable: tuple[str, ...] = ()
    taken: str | None = None
    grips: bool | None = None

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """Tables by name, as reported by the simulator or derived from the objects on them."""
        standing = (placed.pos for name, placed in self.objects.items() if name != self.held)
        return self.reported_tables or infer_tables(standing)

    def position_of(self, name: str) -> Point | None:
        """Return the position of an object or of the centre of a table, or None."""
        placed = self.objects.get(name)
        if placed is not None:
            return placed.pos
        table = self.tables.get(name)
        return Point(table.x, table.y, table.height) if table is not None else None

    def object_attributes(self) -> tuple[NameAttributes, ...]:
        """Return the attributes in the names of the objects, in order."""
        return tuple(attributes_in_name(name) for name in self.objects)

    def containers(self) -> tuple[str, ...]:
        """Return the names of the containers."""
        return self._containers

    @cached_property
    def _containers(self) -> tuple[str, ...]:
        return tuple(name for name in self.objects if attributes_in_name(name).is_container)

    def is_in_place(self, name: str, container: str) -> bool:
        """Return True if `name` is in a container, or directly on a table, and is not held."""
        if name == self.held:
            return False
        if container in self.tables and container not in self.objects:
            return self.place_of(name) == container
        thing, holder = self.position_of(name), self.position_of(container)
        if thing is None or holder is None or name == container:
            return False
        height = thing.z - holder.z
        return thing.horizontal_distance(holder) <= WITHIN_M and -_BELOW_M <= height <= _ABOVE_M

    def container_of(self, name: str) -> str | None:
        """Return the nearest container that contains `name`, or None."""
        if name not in self._holders:
            self._holders[name] = self._find_holder(name)
        return self._holders[name]

    @cached_property
    def _holders(self) -> dict[str, str | None]:
        return {}

    def _find_holder(self, name: str) -> str | None:
        thing = self.position_of(name)
        if thing is None or attributes_in_name(name).is_container:
            return None
        found = [other for other in self.containers() if self.is_in_place(name, other)]
        return min(
            found,
            key=lambda other: thing.horizontal_distance(self.objects[other].pos),
            default=None,
        )

    def table_of(self, name: str) -> str | None:
        """Return the table that carries an object or its container."""
        at = self.position_of(name)
        found = (key for key, table in self.tables.items() if at is not None and table.carries(*at))
        return next(found, None)

    def place_of(self, name: str) -> str | None:
        """Return the container of an object, or else its table.

        None if the object is on the floor, lifted or held.
        """
        holder, at = self.container_of(name), self.position_of(name)
        if holder is not None or at is None or name == self.held:
            return holder
        return next(
            (key for key, table in self.tables.items() if table.carries_directly(*at)), None
        )

    def is_at(self, name: str, place: str, spot: tuple[float, ...] = ()) -> bool:
        """Return True if `name` is in or on `place`, and at `spot` if one is given."""
        if self.place_of(name) != place:
            return False
        return not spot or math.dist(self.objects[name].pos[:2], spot) <= AT_SPOT_M

    def objects_in(self, container: str) -> tuple[str, ...]:
        """Return the objects in a container."""
        return tuple(name for name in self.objects if self.container_of(name) == container)

    def is_on_floor(self, name: str) -> bool:
        """Return True if an object is on the floor."""
        at = self.position_of(name)
        return at is not None and at.z < _ON_FLOOR_M


def environment_of(situation: Situation) -> Environment:
    """Return the environment that the facts of a situation describe; see `TableObservation.facts`.

    An object without a position is left out.
    """
    objects: dict[str, Placed] = {}
    for number, name in enumerate(situation.labels):
        at = _numbers(situation.facts.get(f"pos.{name}", ""))
        if len(at) == 3:
            objects[name] = Placed(number, Point(*at))
    base = _numbers(situation.facts.get("pos.robot", ""))
    tops = {
        key.removeprefix("table."): _numbers(value)
        for key, value in situation.facts.items()
        if key.startswith("table.")
    }
    tables = {name: Table(*top) for name, top in tops.items() if len(top) == 5}
    held = situation.facts.get("hand", "")
    origin = _numbers(situation.facts.get("origin", ""))
    before = {name: _numbers(situation.facts.get(f"origin.{name}", "")) for name in objects}
    moved = situation.facts.get("returnable", "").split()
    return Environment(
        0.0,
        objects,
        Pose(*base) if len(base) == 3 else None,
        tables,
        held if held in objects else None,
        Point(*origin) if len(origin) == 3 else None,
        {name: Point(*at) for name, at in before.items() if len(at) == 3},
        tuple(name for name in moved if name in objects),
    )


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split())
    except ValueError:
        return ()
