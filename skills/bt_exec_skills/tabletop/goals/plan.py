"""Plans for subgoals: a named sequence for each subgoal, with one tree per moved object.

The plan stores the decomposition: `goals_of` recovers it for a replan and for the journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bt_exec.language.meaning import Turn
from bt_exec.spec.model import Check, Mission, MissionSpec, NodeBase, Sequence, Tree, walk
from bt_exec_skills.tabletop.goals.model import Move, Subgoal

__all__ = [
    "ALL_DONE",
    "ANSWER",
    "REMARK",
    "answer_checks_of",
    "answer_plan",
    "final_places_of",
    "goals_of",
    "node_of",
    "plan_of",
    "reply_node",
]

ALL_DONE = "all_in_place"
"""Condition that holds when all subgoals are done."""
PART_DONE = "some_in_place"
"""Condition that holds when some objects are in place, and notes the incomplete subgoals."""
ANSWER = "answer_to"
"""Condition that answers a question."""
SUBGOALS = "subgoals"
"""Name of the node that contains the subgoals."""
REMARK = "remark"
"""Prefix of a note of the plan that is repeated at the end of the mission."""
_MOVE, _PICK, _GO = "move_object", "take_object", "visit_object"


def plan_of(
    header: Mission,
    subgoals: Iterable[Subgoal],
    wanted: Mapping[str, str],
    replies: Iterable[Check] = (),
    first: Iterable[Check] = (),
) -> MissionSpec:
    """Return the plan for subgoals.

    Args:
        header: Header of the mission.
        subgoals: Subgoals in order.
        wanted: Required final places, as container by object; they are checked last.
        replies: Nodes for the questions that are answered after the subgoals.
        first: Nodes for the questions that are answered before the subgoals.
    """
    nodes: list[Any] = [node_of(one) for one in subgoals]
    if wanted:
        given = {"objects": list(wanted), "targets": list(wanted.values())}
        done = {"check": {ALL_DONE: given}, "else": "NOT_ALL_IN_PLACE"}
        part = {"check": {PART_DONE: given}, "else": "NOT_ALL_IN_PLACE"}
        nodes.append({"fallback": [done, part]})
    name = {"name": SUBGOALS} if len(nodes) > 1 + bool(wanted) else {}
    nodes = [*first, *nodes, *replies]
    return MissionSpec(mission=header, root=Sequence.model_validate({**name, "sequence": nodes}))


def answer_plan(header: Mission, before: Iterable[Turn] = ()) -> MissionSpec:
    """Return the plan that answers a question and moves nothing.

    Args:
        header: Header of the mission.
        before: Earlier commands that the question refers to.
    """
    return MissionSpec(mission=header, root=reply_node(header.command, before))


def reply_node(question: str, before: Iterable[Turn] = ()) -> Check:
    """Return the node that answers a question.

    Args:
        question: The question.
        before: Earlier commands that the question refers to.
    """
    given: dict[str, Any] = {"question": question}
    turns = list(before)
    if turns:
        given |= {"before": [t.command for t in turns], "codes": [t.code for t in turns]}
    asked = {"check": {ANSWER: given}, "tell": True}
    return Check.model_validate(asked)


def answer_checks_of(root: NodeBase) -> Iterator[Check]:
    """Yield the nodes of a plan that answer questions."""
    for node in walk(root, Check):
        if getattr(node.check, "name", "") == ANSWER:
            yield node


def node_of(subgoal: Subgoal) -> Sequence:
    """Return the node of a subgoal."""
    moves = [_move(move) for move in subgoal.moves]
    return Sequence.model_validate({"name": subgoal.text, "sequence": moves})


def _move(move: Move) -> dict[str, Any]:
    if not move.target:
        return {"tree": _PICK if move.hold else _GO, "with": {"object": move.thing}}
    args: dict[str, Any] = {"object": move.thing, "to": move.target, "side": move.side}
    if move.spot:
        args["spot"] = list(move.spot)
    node: dict[str, Any] = {"tree": _MOVE, "with": args}
    if move.side == "in" and not move.spot:
        node["skip_if"] = {"object_in": {"object": move.thing, "target": move.target}}
    return node


def goals_of(root: NodeBase) -> tuple[Subgoal, ...]:
    """Return the subgoals of a plan that was made by this pack."""
    found = []
    for node in walk(root, Sequence):
        if node.name is not None:
            moves = [_move_of_node(child) for child in node.sequence]
            found.append(Subgoal(node.name, tuple(move for move in moves if move is not None)))
    return tuple(one for one in found if one.moves)


def _move_of_node(node: NodeBase) -> Move | None:
    if not isinstance(node, Tree) or node.tree not in (_MOVE, _PICK, _GO):
        return None
    args = node.args
    if node.tree != _MOVE:
        return Move(str(args["object"]), hold=node.tree == _PICK)
    spot = tuple(args.get("spot", ()))
    return Move(str(args["object"]), str(args["to"]), args.get("side", "in"), spot)


def final_places_of(root: NodeBase) -> dict[str, str]:
    """Return the required final places of objects, from the last check of a plan."""
    for node in walk(root, Check):
        asked: Any = node.check
        if getattr(asked, "name", "") == ALL_DONE:
            return dict(zip(asked.args["objects"], asked.args["targets"], strict=True))
    return {}
