"""Descriptions of subgoals for the operator, with the shortest order of moves."""

from __future__ import annotations

from bt_exec_skills.tabletop.display_names import listed, said, value_said
from bt_exec_skills.tabletop.environment import Environment, Point
from bt_exec_skills.tabletop.goals.model import Move, Subgoal
from bt_exec_skills.tabletop.names import Attribute
from bt_exec_skills.tabletop.sentences import sentence

__all__ = ["goal_of", "group_goal", "shortest"]


def goal_of(moves: tuple[Move, ...], now: Environment, language: str) -> Subgoal:
    """Return the subgoal of objects that move to one place, or each out of its own."""
    names, targets = [move.thing for move in moves], {move.target for move in moves}
    things, into = listed(names, language), listed(sorted(targets), language)
    if len(names) > 2 or len(things) > 40:
        things = sentence("things", language, count=len(names))
    side = "on" if targets <= now.tables.keys() else moves[0].side
    text = sentence(side, language, things=things, place=into)
    return Subgoal(text[:64], shortest(moves, now))


def group_goal(
    by: Attribute, value: str, group: tuple[str, ...], target: str, now: Environment, language: str
) -> Subgoal:
    """Return the subgoal of an attribute group: its value, and its container."""
    into, word = said(target, language), value_said(value, language)
    group_name = "group_shape" if by == "shape" else "group"
    text = sentence(group_name, language, value=word, place=into)
    return Subgoal(text[:64], shortest(tuple(Move(name, target) for name in group), now))


def shortest(moves: tuple[Move, ...], now: Environment) -> tuple[Move, ...]:
    """Return the same moves with the nearest object next; the result is the same.

    A swap, in which an object moves twice, keeps its order.
    """
    if len({move.thing for move in moves}) < len(moves):
        return moves
    here = Point(now.base.x, now.base.y, 0.0) if now.base is not None else None
    held = [move for move in moves if move.thing == now.held]
    left, found = [move for move in moves if move not in held], held
    if held:
        here = now.at(held[0].target) or here
    while left:
        best = left[0]
        if here is not None:
            spot = here
            best = min(left, key=lambda move: now.objects[move.thing].pos.flat(spot))
        left.remove(best)
        found.append(best)
        here = now.at(best.target) or now.at(best.thing) or here
    return tuple(found)
