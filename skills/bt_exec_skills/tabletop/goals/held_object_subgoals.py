"""Subgoals that put a held object down first: at its target, aside, or where it came from."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from bt_exec_skills.tabletop.display_names import display_name_or_id, list_names
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.model import Move, Subgoal, Trouble
from bt_exec_skills.tabletop.goals.moves_to_places import swap_moves
from bt_exec_skills.tabletop.output_sentences import sentence

__all__ = ["put_aside", "put_back", "with_held_object_first", "with_held_object_put_aside"]


def with_held_object_first(subgoals: Iterable[Subgoal], now: Environment) -> list[Subgoal]:
    """Return the subgoals of one request, starting with the subgoals that move the held object.

    The order within one request is free, as in "sort by colour".
    """
    return sorted(subgoals, key=lambda one: all(move.thing != now.held for move in one.moves))


def with_held_object_put_aside(
    subgoals: tuple[Subgoal, ...], now: Environment, language: str
) -> tuple[Subgoal, ...]:
    """Return subgoals that can be executed with the object that is in the hand now.

    If the first move is about another object, the held one is put aside first.

    Raises:
        Trouble: HAND_FULL if there is no table to put it on.
    """
    first = next((move for one in subgoals for move in one.moves if move.hold), None)
    if now.held is None or first is None or first.thing == now.held:
        return subgoals
    return put_aside(now, language), *subgoals


def put_aside(now: Environment, language: str) -> Subgoal:
    """Return the subgoal that puts the held object on the nearest table.

    Raises:
        Trouble: HAND_FULL if there is no table.
    """
    held = now.held
    assert held is not None  # only called with an object in the hand
    at = now.objects[held].pos
    if not now.tables:
        raise Trouble("HAND_FULL", what=held)
    near = min(now.tables, key=lambda name: math.dist(now.tables[name][:2], at[:2]))
    text = sentence("aside", language, things=display_name_or_id(held, language))
    return Subgoal(text, (Move(held, near),))


def put_back(
    names: Sequence[str], now: Environment, language: str, moved: Container[str] = ()
) -> Subgoal:
    """Return the subgoal that puts objects where they were before they were moved.

    Args:
        names: The objects.
        now: Current environment.
        language: ``en`` or ``ko``.
        moved: Objects that earlier parts of the command move away from where they are now.

    Raises:
        Trouble: NO_ORIGIN if the former place is unknown, or is not on a table or in a container;
            NOTHING_TO_DO if all objects are at their former places.
    """
    origins = dict(now.origins)
    if now.held is not None:
        origins.pop(now.held, None)
        origins |= {now.held: now.origin} if now.origin is not None else {}
    moves = []
    for name in names:
        place = None
        if (origin := origins.get(name)) is not None:
            before = {**now.objects, name: now.objects[name]._replace(pos=origin)}
            before_it = replace(now, objects=before, reported_tables=now.tables, held=None)
            place = before_it.place_of(name)
        if origin is None or place is None:
            raise Trouble("NO_ORIGIN", tuple(now.tables), what=name)
        spot = (round(origin.x, 3), round(origin.y, 3)) if place in now.tables else ()
        if name == now.held or name in moved or not now.is_at(name, place, spot):
            moves.append(Move(name, place, spot=spot))
    if not moves:
        raise Trouble("NOTHING_TO_DO")
    things = list_names([move.thing for move in moves], language)
    return Subgoal(
        sentence("back", language, things=things)[:64], _order_without_collision(moves, now)
    )


def _order_without_collision(moves: Sequence[Move], now: Environment) -> tuple[Move, ...]:
    """Return moves in an order in which targets are vacated first; two objects may swap places."""
    taken = {
        (one.thing, other.thing)
        for one in moves
        for other in moves
        if one != other and one.spot and now.is_at(other.thing, one.target, one.spot)
    }
    if len(moves) == 2 and len(taken) == 2:
        return swap_moves(moves[0].thing, moves[1].thing, now)
    return tuple(sorted(moves, key=lambda one: any(one.thing == first for first, _ in taken)))
