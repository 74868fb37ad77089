"""Moments of a mission: states of the tree and sentences, in the language of its command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bt_exec.events import Event, FactsKnown, Turn
from bt_exec.journal import MissionRecord
from bt_exec.tui.lines import PlainView
from bt_exec.tui.model import ViewModel
from bt_exec.tui.nodes import ViewNode
from bt_exec.tui.pack_messages import voices
from bt_exec.tui.text import clean

__all__ = ["Moment", "moments"]

_BAD = frozenset({"failed", "rejected", "stop", "retry"})


@dataclass(frozen=True)
class Moment:
    """Changes at one time.

    Attributes:
        t: Time [s, mission clock].
        plan: The plan version in force; 0 before the first.
        nodes: The rows of the tree, if the tree changed: path, label, about, depth, state, detail,
            progress.
        sentences: New sentences, each with its level: ``info``, ``warning`` or ``error``.
    """

    t: float
    plan: int
    nodes: tuple[dict[str, Any], ...] = ()
    sentences: tuple[tuple[str, str], ...] = ()


def moments(record: MissionRecord) -> Iterator[Moment]:
    """Yield the changes, event by event."""
    _, messages = voices(record)
    said: list[str] = []
    model = ViewModel(messages=messages, wall=lambda: 0.0)
    view = PlainView(model, said.append)
    before: tuple[dict[str, Any], ...] = ()
    for event in record.events:
        said.clear()
        view.on(event)
        nodes = tuple(_rows(model)) if _may_change(event) else before
        changed = nodes if nodes != before else ()
        before = nodes
        plan = model.spec.mission.plan_version if model.spec is not None else 0
        sentences = tuple(_text_and_level(model, line) for line in said)
        if outcome := model.outcome:
            level = "info" if outcome.status == "satisfied" else "error"
            sentences = (*sentences, (level, clean(outcome.message)))
        if changed or sentences:
            yield Moment(event.t, plan, changed, sentences)


def _may_change(event: Event) -> bool:
    return not isinstance(event, FactsKnown | Turn)


def _rows(model: ViewModel) -> Iterator[dict[str, Any]]:
    def row(node: ViewNode, depth: int) -> Iterator[dict[str, Any]]:
        detail = model.why(node.failure) if node.failure is not None else node.detail
        yield {
            "path": node.path,
            "label": model.label(node),
            "about": model.about(node),
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


def _text_and_level(model: ViewModel, line: str) -> tuple[str, str]:
    """Return a line of the plain view without its time, and its level."""
    text = " ".join(line.split("s  ", 1)[-1].split())
    bad = any(text.startswith(model.fixed(word)) for word in _BAD)
    return ("warning" if bad else "info"), text
