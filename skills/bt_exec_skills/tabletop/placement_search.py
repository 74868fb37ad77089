"""Search for free placement poses in containers, on tables and next to objects."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Environment, Point
from bt_exec_skills.tabletop.name_attributes import attributes_in_name
from bt_exec_skills.tabletop.robot import Side, Spot
from bt_exec_skills.tabletop.tables import Table

__all__ = ["free_point_on", "is_beside", "is_between", "part_centre", "placement_for"]

_RING_M = 0.07  # distance of alternative points from the centre of a container
_ROOM_M = 0.055  # minimum distance between the centres of two objects in a container
_BESIDE_M, _BESIDE_CONTAINER_M = 0.13, 0.24
_FREE_M, _FREE_CONTAINER_M = 0.09, 0.2
_LEVEL_M = 0.09
_RIM_M = 0.09  # minimum distance of placed objects from the edge of a table
_HAND_M, _HAND_CONTAINER_M = 0.14, 0.25  # distance to other centres that leaves room for the hand
_EDGE_M = 0.04  # minimum distance from the edge of the table for a place beside an object
_STEP_M = 0.04
_OVER_M = 0.03  # height of the centre of a placed object above the table top
_ASIDE_M = (0.1, 0.25)
"""Bounds of the tolerance for "between" [m]: the maximum distance of an object from the line that
connects the other two is within these bounds."""
_ASIDE = 0.3  # this tolerance as a fraction of the distance between the two objects
_NEAR_M = 0.36
_TURNS = {"left_of": math.pi / 2, "right_of": -math.pi / 2, "behind": 0.0, "in_front_of": math.pi}


def placement_for(
    now: Environment, thing: str, target: str, side: Side, spot: Spot = ()
) -> Point | None:
    """Return the point at which to place `thing`, or None if there is no room.

    Args:
        now: The world.
        thing: Object to place.
        target: Container, table or other object in the environment.
        side: Relation to the target.
        spot: Preferred point on a table; the nearest free point is returned.
    """
    middle = now.objects[target].pos if target in now.objects else None
    if middle is None:
        return free_point_on(now, target, spot or now.tables[target][:2], (thing,))
    if side == "in":
        return _free_point_in(now, thing, target, middle)
    return _spot_beside(now, thing, target, middle, side)


def free_point_on(
    now: Environment,
    table: str,
    near: Spot,
    without: Iterable[str] = (),
    taken: Iterable[Spot] = (),
) -> Point | None:
    """Return the free point on a table nearest to a point; None if the table is full.

    Args:
        now: The world.
        table: Name of the table.
        near: Preferred point [m].
        without: Objects to ignore.
        taken: Points to keep free [m].
    """
    top, gone = now.tables[table], set(without)
    others = [
        (*placed.pos[:2], _HAND_CONTAINER_M if attributes_in_name(name).is_container else _HAND_M)
        for name, placed in now.objects.items()
        if name not in gone and top.carries(*placed.pos)
    ]
    others += [(x, y, _HAND_M) for x, y in taken]

    def free(x: float, y: float) -> bool:
        return all(math.hypot(x - a, y - b) >= away for a, b, away in others)

    x, y = near
    # the preferred point may be near the edge, so that an object can return to its earlier place
    if top.contains_point(x, y) and free(x, y):
        return Point(x, y, top.height + _OVER_M)
    for x, y in sorted(_grid_points(top), key=lambda spot: math.dist(spot, near)):
        if top.contains_point(x, y, _RIM_M) and free(x, y):
            return Point(x, y, top.height + _OVER_M)
    return None


def _grid_points(top: Table) -> list[tuple[float, float]]:
    """Return the points of a grid over a table top."""
    wide, deep = round(top.half_x / _STEP_M), round(top.half_y / _STEP_M)
    return [
        (top.x + i * _STEP_M, top.y + k * _STEP_M)
        for i in range(-wide, wide + 1)
        for k in range(-deep, deep + 1)
    ]


def part_centre(now: Environment, table: str, part: str) -> Spot:
    """Return the centre of the ``left``, ``right`` or ``middle`` part of a table.

    Left and right are as seen by the robot. If its pose is unknown, the centre of the table is
    returned.
    """
    top = now.tables[table]
    if part == "middle" or now.base is None:
        return top.x, top.y
    ahead = math.atan2(top.y - now.base.y, top.x - now.base.x)
    turn = ahead + _TURNS[f"{part}_of"]
    x, y = math.cos(turn), math.sin(turn)
    # at most half the distance to the edge in this direction
    away = 0.5 * min(top.half_x / max(abs(x), 1e-6), top.half_y / max(abs(y), 1e-6))
    return top.x + away * x, top.y + away * y


def _free_point_in(now: Environment, thing: str, target: str, middle: Point) -> Point:
    """Return the centre of a container if it is free, otherwise the point around it with most room.

    On top of another object, only the centre is suitable.
    """
    others = [now.objects[name].pos for name in now.objects_in(target) if name != thing]
    ring = [
        Point(
            middle.x + _RING_M * math.cos(k * math.pi / 4),
            middle.y + _RING_M * math.sin(k * math.pi / 4),
            middle.z,
        )
        for k in range(8)
    ]
    if not attributes_in_name(target).is_container:
        return middle

    def room(spot: Point) -> float:
        return round(min((spot.horizontal_distance(other) for other in others), default=1.0), 3)

    if room(middle) >= _ROOM_M:
        return middle
    return max(ring, key=room)


def _spot_beside(
    now: Environment, thing: str, target: str, middle: Point, side: Side
) -> Point | None:
    away = _BESIDE_CONTAINER_M if attributes_in_name(target).is_container else _BESIDE_M
    ahead = math.atan2(middle.y - now.base.y, middle.x - now.base.x) if now.base else math.pi / 2
    turns = [ahead + k * math.pi / 6 for k in range(12)]
    if side != "next_to":
        wanted = ahead + _TURNS[side]
        turns = [wanted, wanted + 0.3, wanted - 0.3, wanted + 0.6, wanted - 0.6]
    level = [
        (name, placed.pos)
        for name, placed in now.objects.items()
        if name not in (thing, target) and abs(placed.pos.z - middle.z) < _LEVEL_M
    ]
    near = [at for _, at in level if at.horizontal_distance(middle) < 1.2]
    x = sum(at.x for at in near) / len(near) if near else middle.x
    y = sum(at.y for at in near) / len(near) if near else middle.y
    table = now.tables.get(now.table_of(target) or "")
    free = []
    for order, turn in enumerate(turns):
        spot = Point(
            middle.x + away * math.cos(turn), middle.y + away * math.sin(turn), middle.z + 0.02
        )
        if (
            now.reported_tables
            and table is not None
            and not table.contains_point(spot.x, spot.y, _EDGE_M)
        ):
            continue
        if all(
            spot.horizontal_distance(at)
            > (_FREE_CONTAINER_M if attributes_in_name(name).is_container else _FREE_M)
            for name, at in level
        ):
            rank = math.hypot(spot.x - x, spot.y - y) if side == "next_to" else float(order)
            free.append((rank, spot))
    return min(free)[1] if free else None


def is_beside(
    now: Environment, thing: str, target: str, side: Side, seen_from: Pose | None
) -> bool:
    """Return True if `thing` is on the given side of `target`, as seen from a pose."""
    a, b = now.position_of(thing), now.position_of(target)
    if a is None or b is None or a.horizontal_distance(b) > _NEAR_M or abs(a.z - b.z) > _LEVEL_M:
        return False
    if side == "next_to":
        return True
    base = seen_from or now.base
    ahead = math.atan2(b.y - base.y, b.x - base.x) if base is not None else math.pi / 2
    bearing = math.atan2(a.y - b.y, a.x - b.x) - ahead - _TURNS.get(side, 0.0)
    return abs(math.remainder(bearing, math.tau)) < math.pi / 3


def is_between(now: Environment, thing: str, ends: Sequence[str]) -> bool:
    """Return True if `thing` is near the line between two objects and at the same height."""
    at = now.position_of(thing)
    places = [found for name in ends if (found := now.position_of(name)) is not None]
    if at is None or len(places) != 2 or thing in ends or now.held == thing:
        return False
    a, b = places
    length = a.horizontal_distance(b)
    if length == 0 or max(abs(at.z - a.z), abs(at.z - b.z)) > _LEVEL_M:
        return False
    along = ((at.x - a.x) * (b.x - a.x) + (at.y - a.y) * (b.y - a.y)) / length
    across = ((at.x - a.x) * (b.y - a.y) - (at.y - a.y) * (b.x - a.x)) / length
    return 0 < along < length and abs(across) <= min(max(_ASIDE_M[0], _ASIDE * length), _ASIDE_M[1])
