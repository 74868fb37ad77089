"""Moves of objects to tables or parts of tables, out of containers, and in swaps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.goals.model import Move, Phrase, Trouble
from bt_exec_skills.tabletop.goals.resolve import Scope, table_for
from bt_exec_skills.tabletop.placement_search import free_point_on, is_between, part_centre
from bt_exec_skills.tabletop.robot import Spot

__all__ = ["move_to_place_of", "moves_between", "moves_onto_table", "moves_out_of", "swap_moves"]


def moves_onto_table(names: tuple[str, ...], to: Phrase, scope: Scope) -> tuple[Move, ...]:
    """Return the moves of objects to a table, or to a part of it.

    Raises:
        Trouble: As in `table_for`; FULL_TABLE if there is no free point.
    """
    now, table = scope.now, table_for(to, scope, names)
    if to.part in ("", "shared"):
        return tuple(Move(name, table) for name in names)
    near = part_centre(now, table, to.part)
    taken: list[Spot] = []
    for _ in names:
        taken.append(_free_spot(now, table, near, names, taken))
    return tuple(Move(name, table, spot=at) for name, at in zip(names, taken, strict=True))


def moves_out_of(names: tuple[str, ...], now: Environment) -> tuple[Move, ...]:
    """Return the moves of objects out of their containers, onto the table below.

    Raises:
        Trouble: NOTHING_TO_DO if the objects are in no container; WHERE_TO if the container is on
            no table.
    """
    inside = tuple(name for name in names if now.container_of(name) is not None)
    if not inside:
        raise Trouble("NOTHING_TO_DO")
    found = []
    for name in inside:
        table = now.table_of(now.container_of(name) or name)
        if table is None:
            raise Trouble("WHERE_TO", tuple(now.tables), options=tuple(now.tables))
        found.append(Move(name, table))
    return tuple(found)


def swap_moves(first: str, second: str, now: Environment) -> tuple[Move, ...]:
    """Return the moves that swap two objects; the first one is placed at a free position meanwhile.

    The free position is in a third container if both objects are in containers, else on a table.

    Raises:
        Trouble: NOTHING_TO_DO if the objects share a container; NOT_ON_TABLE for an object that is
            in no known place; FULL_TABLE if the table has no free point.
    """
    holders = now.container_of(first), now.container_of(second)
    if None not in holders and holders[0] == holders[1]:
        raise Trouble("NOTHING_TO_DO")
    one, other = _current_place(first, now), _current_place(second, now)
    spare = [name for name in now.containers() if name not in holders]
    if None not in holders and spare:
        wait = Move(first, spare[0])
    else:
        table = now.table_of(first)
        assert table is not None  # `_current_place` has refused objects that are not on a table
        here = now.objects[first].pos[:2]
        taken = [now.objects[name].pos[:2] for name in (first, second)]
        wait = Move(first, table, spot=_free_spot(now, table, here, (first, second), taken))
    return wait, Move(second, one[0], spot=one[1]), Move(first, other[0], spot=other[1])


def move_to_place_of(name: str, other: str, scope: Scope) -> Move:
    """Return the move of an object to the place that another one leaves, or has just left.

    Raises:
        Trouble: NOTHING_BEFORE if the other object is not moved; NOT_ON_TABLE if it was in no known
            place.
    """
    now = scope.now
    if other in scope.used:
        place, spot = _current_place(other, now)
        return Move(name, place, spot=spot)
    origin = now.origins.get(other) if other in now.returnable else None
    table = next((key for key, top in now.tables.items() if origin and top.carries(*origin)), None)
    if origin is None or table is None:
        raise Trouble("NOTHING_BEFORE", what="-")
    return Move(name, table, spot=(round(origin.x, 3), round(origin.y, 3)))


def moves_between(name: str, ends: tuple[str, ...], now: Environment) -> tuple[Move, ...]:
    """Return the move of an object to a free point between two objects on one table.

    Raises:
        Trouble: TOO_FEW or WHICH_ONE for another number of objects; APART if they are not on one
            table; NO_ROOM_BETWEEN.
    """
    if len(ends) != 2:
        code = "WHICH_ONE" if len(ends) > 2 else "TOO_FEW"
        what = ", ".join(ends)
        raise Trouble(code, ends, what=what, wanted="2", there=str(len(ends)), options=ends)
    tables = {now.table_of(one) for one in ends}
    table = tables.pop()
    if tables or table is None:
        raise Trouble("APART", ends, what=ends)
    (a, b, _), (c, d, _) = (now.objects[one].pos for one in ends)
    spot = _free_spot(now, table, ((a + c) / 2, (b + d) / 2), (name,), ())
    there = Placed(0, Point(spot[0], spot[1], now.objects[ends[0]].pos.z))
    after = replace(now, objects={**now.objects, name: there}, held=None)
    if not is_between(after, name, ends):
        raise Trouble("NO_ROOM_BETWEEN", ends, what=ends)
    return (Move(name, table, spot=spot),)


def _current_place(name: str, now: Environment) -> tuple[str, Spot]:
    """Return the container of an object, or its table and the position on it."""
    place = now.place_of(name)
    if place is None:
        raise Trouble("NOT_ON_TABLE", (name,), what=name)
    return place, () if now.container_of(name) is not None else now.objects[name].pos[:2]


def _free_spot(
    now: Environment, table: str, near: Spot, without: Iterable[str], taken: Iterable[Spot]
) -> Spot:
    found = free_point_on(now, table, near, without, taken)
    if found is None:
        raise Trouble("FULL_TABLE", (table,), what=table)
    return round(found.x, 3), round(found.y, 3)
