"""Construction of subgoals with a description and moves in the order of the shortest path."""

from __future__ import annotations

from collections.abc import Sequence

from bt_exec_skills.tabletop.display_names import display_name_or_id, list_names, value_word
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.model import Move, Subgoal, Trouble
from bt_exec_skills.tabletop.goals.move_order import path_length, shortest_order
from bt_exec_skills.tabletop.name_attributes import Attribute
from bt_exec_skills.tabletop.output_sentences import sentence

__all__ = ["describe_moves", "merge_groups_into_round", "subgoal_of_group", "subgoal_of_moves"]

_LONGEST = 64  # maximum length of the name of a subgoal [characters]
_MANY, _SAVED = 20, 0.1  # minimum number of objects and minimum saving for mixing groups


def subgoal_of_moves(moves: tuple[Move, ...], now: Environment, language: str) -> Subgoal:
    """Return the subgoal for moves, which may have several targets."""
    return Subgoal(describe_moves(moves, now, language), shortest_order(moves, now))


def describe_moves(moves: tuple[Move, ...], now: Environment, language: str) -> str:
    """Return the name of the subgoal for moves, such as "apple 0 in red bowl 0"."""
    names, targets = [move.thing for move in moves], {move.target for move in moves}
    things, into = list_names(names, language), list_names(sorted(targets), language)
    if len(names) > 2 or len(things) > 40:
        things = sentence("things", language, count=len(names))
    side = "on" if targets <= now.tables.keys() else moves[0].side
    return sentence(side, language, things=things, place=into)[:_LONGEST]


def subgoal_of_group(
    by: Attribute, value: str, group: tuple[str, ...], target: str, now: Environment, language: str
) -> Subgoal:
    """Return the subgoal that moves the objects of a group into a container."""
    into, word = display_name_or_id(target, language), value_word(value, language)
    group_name = "group_shape" if by == "shape" else "group"
    text = sentence(group_name, language, value=word, place=into)
    return Subgoal(
        text[:_LONGEST], shortest_order(tuple(Move(name, target) for name in group), now)
    )


def merge_groups_into_round(
    goals: Sequence[Subgoal], now: Environment, language: str
) -> list[Subgoal]:
    """Return the groups of many objects as one subgoal, if its path is clearly shorter.

    In that subgoal, the next object may be of another group if it is near the last target. If there
    are only few objects, each group remains a separate subgoal.
    """
    moves = tuple(move for goal in goals for move in goal.moves)
    if len(goals) < 2 or len(moves) < _MANY:
        return list(goals)
    order = shortest_order(moves, now)
    apart, joined = path_length(moves, now), path_length(order, now)
    if apart - joined < _SAVED * apart:
        return list(goals)
    text = ", ".join(goal.text for goal in goals)
    if len(text) > _LONGEST:
        text = sentence("groups", language, count=len(order), groups=len(goals))
    share = f"{100 * (apart - joined) / apart:.0f}"
    remark = Trouble("SHORTER_WAY", way=f"{joined:.0f}", share=share)
    remarks = (*(one for goal in goals for one in goal.remarks), remark)
    return [Subgoal(text[:_LONGEST], order, remarks)]
