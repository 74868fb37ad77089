"""Extension of a mission's tree by the next turn, with finished turns kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bt_exec.planning.compiler import Request
from bt_exec.spec.model import Do, MissionSpec, NodeBase, Sequence
from bt_exec.spec.node_paths import Located, is_kept, locate

__all__ = ["append_turn", "skills_of_last_turn"]

Node = dict[str, Any]
_NAMES = {"en": "turn {number}", "ko": "차례 {number}"}


def append_turn(
    request: Request,
    number: int,
    calls: Iterable[tuple[str, Mapping[str, Any]]],
    *,
    compiler: str,
    model: str,
    turn: str | None,
    notes: Iterable[str] = (),
) -> MissionSpec:
    """Return the plan with one more turn after the finished ones.

    Args:
        request: The request, with the result of the last turn.
        number: Number of the turn, counted from 1.
        calls: Skills and their arguments, in order.
        compiler: Name of the compiler.
        model: Name of the model.
        turn: Kind of the turn; see `bt_exec.spec.model.Mission`.
        notes: Notes for the operator.
    """
    name = _NAMES[request.language].format(number=number)
    here = {"name": name, "sequence": [_skill_node(*call) for call in calls]}
    before = _finished_nodes(request)
    header = {
        "command": request.command,
        "language": request.language,
        "plan_version": request.plan_version,
        "compiler": compiler,
        "model": model or None,
        "kept": [str(node["name"]) for node in before],
        "notes": list(notes),
        "turn": turn,
    }
    if request.previous is not None:
        header["parent"] = request.previous.mission.plan_version
    root: Node = {"sequence": [*before, here]}
    return MissionSpec.model_validate({"mission": header, "root": root})


def skills_of_last_turn(spec: MissionSpec) -> list[tuple[str, Do]]:
    """Return the skills of the last turn of a plan with their paths, in order."""
    turns = _turns(spec)
    if not turns:
        return []
    return [(step.path, step.node) for step in turns[-1].walk(Do)]


def _turns(spec: MissionSpec) -> list[Located[NodeBase]]:
    """Return the turns of a plan; empty for a plan that was not made turn by turn."""
    if spec.mission.turn is None:
        return []
    return [one for one in locate(spec.root).children if isinstance(one.node, Sequence)]


def _finished_nodes(request: Request) -> list[Node]:
    """Return the finished nodes of all turns so far, without an answer that a judge rejected."""
    if request.previous is None:
        return []
    done = {one.path for one in request.done}
    last = [path for path, _ in skills_of_last_turn(request.previous)]
    turns = _turns(request.previous)
    kept = [_data(turn.node) for turn in turns if is_kept(request.previous, turn.path)]
    if turns and request.previous.mission.turn == "open":
        node = turns[-1].node
        pairs = zip(node.children, last, strict=True)
        finished = [_data(child) for child, path in pairs if path in done]
        if finished:
            kept.append({"name": node.name, "sequence": finished})
    return kept


def _data(node: NodeBase) -> Node:
    return node.model_dump(by_alias=True, exclude_defaults=True)


def _skill_node(skill: str, args: Mapping[str, Any]) -> Node:
    return {"do": skill, "with": {name: _literal(value) for name, value in args.items()}}


def _literal(value: Any) -> Any:
    """Return a value as a literal of the tree language, so that ``$x`` is not a reference."""
    if isinstance(value, str) and value.startswith("$"):
        return f"${value}"
    return [_literal(one) for one in value] if isinstance(value, list) else value
