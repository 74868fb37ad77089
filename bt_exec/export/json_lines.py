"""JSON Lines export of a mission, and the sequence of its changes, used by other formats.

::

    {"line": "mission", "mission_id": …, "command": …, "setup": …, "outcome": …}
    {"line": "plan", "digest": …, "version": …, "yaml": …}
    {"line": "event", "seq": …, "t": …, "tick": …, "plan": …, "kind": …, "path": …, "data": …}
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bt_exec.events import Event, FactsKnown, Turn
from bt_exec.journal import EventRow, Journal, MissionRecord
from bt_exec.journal.json_text import to_json
from bt_exec.tui.mission_history import mission_entry_data
from bt_exec.tui.plain_view import PlainView
from bt_exec.tui.plan_rows import ViewNode
from bt_exec.tui.recorded_mission_messages import catalogue_and_messages
from bt_exec.tui.terminal_text import safe_line
from bt_exec.tui.view_model import ViewModel

__all__ = ["Moment", "event_rows", "mission_header", "moments", "write_lines"]


_BAD = frozenset({"failed", "rejected", "stop", "retry"})


@dataclass(frozen=True)
class Moment:
    """Changes of a mission at one point in time.

    Attributes:
        t: Time [s, mission clock].
        plan: The plan version in force; 0 before the first.
        nodes: The rows of the tree, if the tree changed: path, label, about, depth, state, detail,
            doing, progress.
        sentences: Pairs of a level (``info``, ``warning`` or ``error``) and a new sentence.
    """

    t: float
    plan: int
    nodes: tuple[dict[str, Any], ...] = ()
    sentences: tuple[tuple[str, str], ...] = ()


def moments(record: MissionRecord) -> Iterator[Moment]:
    """Yield the changes of a recorded mission, event by event."""
    _, messages = catalogue_and_messages(record)
    model = ViewModel(messages=messages, wall=lambda: 0.0)
    view = _Sentences(model)
    before: tuple[dict[str, Any], ...] = ()
    for event in record.events:
        view.said.clear()
        view.on(event)
        nodes = tuple(_rows(model)) if _may_change(event) else before
        changed = nodes if nodes != before else ()
        before = nodes
        plan = model.spec.mission.plan_version if model.spec is not None else 0
        sentences = tuple(view.said)
        if outcome := model.outcome:
            level = "info" if outcome.status == "satisfied" else "error"
            sentences = (*sentences, (level, safe_line(outcome.message)))
        if changed or sentences:
            yield Moment(event.t, plan, changed, sentences)


class _Sentences(PlainView):
    """Plain view that collects its sentences instead of printing them.

    Attributes:
        said: Level and text of each change of the last event.
    """

    def __init__(self, model: ViewModel) -> None:
        super().__init__(model, lambda _: None)
        self.said: list[tuple[str, str]] = []

    def write_change(self, word: str, text: str) -> None:
        """Add a change and its level to `said`."""
        level = "warning" if word in _BAD else "info"
        self.said.append((level, " ".join(f"{self.model.fixed_word(word)} {text}".split())))


def _may_change(event: Event) -> bool:
    return not isinstance(event, FactsKnown | Turn)


def _rows(model: ViewModel) -> Iterator[dict[str, Any]]:
    def row(node: ViewNode, depth: int) -> Iterator[dict[str, Any]]:
        detail = model.failure_reason(node.failure) if node.failure is not None else node.detail
        yield {
            "path": node.path,
            "label": model.label(node),
            "about": model.detail_beside_label(node),
            "depth": depth,
            "state": node.state or "",
            "detail": detail,
            "doing": node.doing if node.state == "running" else "",
            "progress": node.progress if node.state == "running" else None,
        }
        for child in node.children:
            yield from row(child, depth + 1)

    for root in model.forest.roots:
        yield from row(root, 0)


def write_lines(journal: Journal, record: MissionRecord, path: Path) -> None:
    """Write a mission as JSON lines.

    Raises:
        OSError: If the file cannot be written.
    """
    with path.open("x", encoding="utf-8") as file:
        file.write(to_json({"line": "mission", **mission_header(record)}) + "\n")
        for plan in record.plans:
            facts = {"digest": plan.digest, "version": plan.version, "yaml": plan.text}
            file.write(to_json({"line": "plan", **facts}) + "\n")
        for row in event_rows(journal, record.id):
            data = {**row._asdict(), "data": json.loads(row.data)}
            file.write(to_json({"line": "event", **data}) + "\n")


def mission_header(record: MissionRecord) -> dict[str, Any]:
    """Return the data of a mission without its plans and events."""
    return {
        **mission_entry_data(record.line),
        "program": record.program,
        "session": record.session,
        "continues": record.continues,
        "settings": dict(record.settings),
        "seeds": dict(record.seeds),
        "setup": dict(record.setup),
        "outcome": None if record.outcome is None else record.outcome.to_dict(),
        "unreadable": list(record.unreadable),
    }


def event_rows(journal: Journal, mission_id: str) -> Iterator[EventRow]:
    """Yield the recorded events of a mission."""
    after = 0
    while rows := journal.rows(mission_id, after=after):
        yield from rows
        after = rows[-1].seq
