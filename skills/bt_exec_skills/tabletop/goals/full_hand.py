"""Plans that start with a held object, which is placed first, at its target or aside."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from bt_exec_skills.tabletop.display_names import said
from bt_exec_skills.tabletop.environment import Environment
from bt_exec_skills.tabletop.goals.model import Move, Subgoal, Trouble
from bt_exec_skills.tabletop.sentences import sentence

__all__ = ["held_first", "put_aside", "put_back", "with_empty_hand"]


def held_first(subgoals: Iterable[Subgoal], now: Environment) -> list[Subgoal]:
    """Return the subgoals of one request, starting with the subgoals that move the held object.

    The order within one request is free, as in "sort by colour".
    """
    return sorted(subgoals, key=lambda one: all(move.thing != now.held for move in one.moves))


def with_empty_hand(
    subgoals: tuple[Subgoal, ...], now: Environment, language: str
) -> tuple[Subgoal, ...]:
    """Return subgoals that are feasible with the current content of the hand.

    An object that the first subgoal does not move is put aside before.

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
        Trouble: HAND_FULL if there is none.
    """
    held = now.held
    assert held is not None  # only called with an object in the hand
    at = now.objects[held].pos
    if not now.tables:
        raise Trouble("HAND_FULL", what=held)
    near = min(now.tables, key=lambda name: math.dist(now.tables[name][:2], at[:2]))
    text = sentence("aside", language, things=said(held, language))
    return Subgoal(text, (Move(held, near),))


def put_back(now: Environment, language: str) -> Subgoal:
    """Return the subgoal that puts the held object where it was picked up.

    Raises:
        Trouble: NO_ORIGIN if that is unknown, or is not on a table or in a container.
    """
    held, origin = now.held, now.origin
    assert held is not None  # only called with an object in the hand
    place = None
    if origin is not None:
        before = {**now.objects, held: now.objects[held]._replace(pos=origin)}
        before_it = replace(now, objects=before, told=now.tables, held=None)
        place = before_it.place_of(held)
    if origin is None or place is None:
        raise Trouble("NO_ORIGIN", tuple(now.tables), what=held)
    spot = (round(origin.x, 3), round(origin.y, 3)) if place in now.tables else ()
    text = sentence("back", language, things=said(held, language))
    return Subgoal(text, (Move(held, place, spot=spot),))
