"""Data of a mission for the page: the rows of the terminal view as plain data."""

from __future__ import annotations

from typing import Any, NamedTuple

from bt_exec.spec.model import MissionSpec, Sequence
from bt_exec.spec.node_paths import encloses, locate
from bt_exec.tui.plan_rows import ViewNode
from bt_exec.tui.terminal_text import safe_line
from bt_exec.tui.view_drawing import text_beside_label
from bt_exec.tui.view_model import ViewModel
from bt_exec.tui.view_state import Display
from bt_exec.tui.visible_rows import Row, all_rows

__all__ = ["Part", "page_view", "plan_parts"]

_WIDE = 10_000  # width [cells]; large, because the page wraps lines itself
_ROOM = 40  # number of rows above which nodes that have not been reached are collapsed


class Part(NamedTuple):
    """Subgoal or top-level step of a plan.

    Attributes:
        text: Text of the subgoal, or name of the step.
        path: Path of the node; None if the plan has no node for the subgoal.
    """

    text: str
    path: str | None


def page_view(model: ViewModel, display: Display | None = None) -> dict[str, Any]:
    """Return the data of a mission for the page.

    The caller holds the model's lock. Sentences are in the language of the command. Times are in
    seconds on the mission clock.
    """
    spec, outcome = model.spec, model.outcome
    rows = all_rows(model, _WIDE, room=_ROOM, display=display)
    compiler, since = model.planning or ("", 0.0)
    return {
        "mission_id": model.mission_id,
        "command": model.command,
        "language": model.language,
        "state": "ended" if outcome is not None else "running",
        "seconds": round(max(model.t - model.began, 0.0), 2),
        "tick": model.tick,
        "plan": spec.mission.plan_version if spec is not None else 0,
        "planning": compiler,
        "planning_seconds": round(model.t - since, 1) if compiler else 0.0,
        "stopping": model.stopping,
        "blind": model.perception_errors,
        "subgoals": _subgoals(model) if spec is not None else [],
        "rows": [_row_data(model, row) for row in rows],
        "outcome": outcome.to_dict() if outcome is not None else None,
    }


def plan_parts(spec: MissionSpec) -> list[Part]:
    """Return the subgoals of a plan, or the steps of its root sequence if it names no subgoals.

    A subgoal belongs to the child of the root sequence with the same name. If no child has the name
    of a subgoal, subgoals and children are paired in order, provided that their numbers are equal.
    Otherwise, one part stands for the whole plan.
    """
    subgoals, root = spec.mission.subgoals, locate(spec.root)
    steps = list(root.children if isinstance(root.node, Sequence) else (root,))
    if not subgoals:
        named = ((step.node.name or step.path.rpartition("/")[2], step.path) for step in steps)
        return [Part(safe_line(name), path) for name, path in named]
    if any(step.node.name in subgoals for step in steps):
        parts = []
        for text in subgoals:
            own = next((step for step in steps if step.node.name == text), None)
            if own is not None:
                steps.remove(own)
            parts.append(Part(safe_line(text), None if own is None else own.path))
        return parts
    if len(steps) == len(subgoals):
        pairs = zip(subgoals, steps, strict=True)
        return [Part(safe_line(text), step.path) for text, step in pairs]
    return [Part(safe_line(" · ".join(subgoals)), root.path)]


def _subgoals(model: ViewModel) -> list[dict[str, str]]:
    """Return the subgoals of the plan with their states; empty if no node has a subgoal's name.

    Subgoals that are only in the header are omitted, because the rows are more informative. A
    subgoal without a node in the current plan is reported as failed.
    """
    spec = model.spec
    assert spec is not None
    names = {safe_line(node.name) for node in spec.root.children if node.name is not None}
    parts = plan_parts(spec) if names & {safe_line(text) for text in spec.mission.subgoals} else []
    return [
        {
            "text": part.text,
            "state": "failed" if part.path is None else _part_state(model, part.path),
        }
        for part in parts
    ]


def _part_state(model: ViewModel, path: str) -> str:
    """Return the state of a node, or the combined state of its leaves if it has none."""
    own = model.forest.by_path.get(path)
    if own is not None and own.state:
        return own.state
    states = {
        node.state or "" for node in model.forest if encloses(path, node.path) and not node.children
    }
    for state in ("running", "failed", "stopped"):
        if state in states:
            return state
    if states and states <= {"done", "skipped", "kept", "unmet"}:
        return "done"
    return "running" if states - {""} else ""


def _row_data(model: ViewModel, row: Row) -> dict[str, Any]:
    """Return a row as plain data, without empty fields."""
    data: dict[str, Any] = {"kind": row.kind, "depth": row.depth, "text": row.text}
    if row.node is not None:
        data |= _node_data(model, row, row.node)
    return {key: value for key, value in data.items() if value not in ("", None)}


def _node_data(model: ViewModel, row: Row, node: ViewNode) -> dict[str, Any]:
    lasted = None
    if node.began is not None:
        lasted = round(max((model.t if node.ended is None else node.ended) - node.began, 0.0), 2)
    inner = any(child.state == "failed" for child in node.children)
    running = node.state == "running"
    return {
        "path": node.path,
        "state": node.state or "waiting",
        "label": model.label(node),
        "about": text_beside_label(model, row, node),
        "why": model.messages.explain_failure(node.failure, model.language)
        if node.failure is not None and not inner
        else safe_line(node.detail),
        "began": None if node.began is None else round(node.began, 2),
        "ended": None if node.ended is None else round(node.ended, 2),
        "code": node.failure.code if node.failure is not None and not inner else "",
        "seconds": lasted if lasted is not None and (lasted >= 0.05 or running) else None,
        "progress": node.progress if running else None,
        "doing": node.doing if running else "",
    }
