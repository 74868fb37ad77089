"""Search for texts shown to operators that are neither sentences nor names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec.site.site import Site
from bt_exec.tui.mission_history import record_lines
from bt_exec.tui.plain_view import PlainView
from bt_exec.tui.recorded_mission_messages import mission_explanation
from bt_exec.tui.summary import summary_lines
from bt_exec.tui.terminal_text import UNICODE, without_styles
from bt_exec.tui.view_drawing import draw, tree_lines
from bt_exec.tui.view_model import ViewModel

__all__ = ["not_sentences", "shown_of"]

_INTERNAL = re.compile(
    r"\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b"  # a code
    r"|\b[a-z]+(?:_[a-z0-9]+)+\b"  # a name in Python or YAML
    r"|\b(?:sequence|fallback|parallel|offline)\b|^\W*차례로\W*$"  # a kind of node, a compiler
    r"|\$\w+|\w+:1\b|\bNone\b|\bTrue\b|\bFalse\b|[\[{]['\"]"  # references, values of Python
)
_ENGLISH = re.compile(r"[A-Za-z]{2,}")
_TYPED = re.compile(
    r"(?<!\[)'[^']*'|packs: \S+|--\w+(?: \w+=)?|KEY=VALUE"
    r"|bt-exec( \w+)*|Ctrl-[CD]|\w+\.txt|pip install \S+"
)
_NAMES = {"rad", "dB", "COCO", "JSON", "YOLO", "Enter"}
"""Units, formats and keys."""


def not_sentences(text: str, language: str, names: tuple[str, ...] = ()) -> list[str]:
    """Return the parts of a text that are neither a sentence nor a known name."""
    for name in names:
        text = text.replace(name, " ")
    text = _TYPED.sub(" ", text)
    found = _INTERNAL.findall(text)
    if language == "ko":
        found += [word for word in _ENGLISH.findall(text) if word not in _NAMES]
    return found


class _Screens:
    """Listener that keeps screens of the live view."""

    def __init__(self, model: ViewModel, every: int) -> None:
        self.shots: list[str] = []
        self._model, self._every, self._count = model, every, 0

    def on(self, event: Any) -> None:
        """Draw a screen from time to time."""
        self._count += 1
        if self._count % self._every == 0:
            self.shots.append(without_styles(draw(self._model, 80, 40, now=event.t)))


def shown_of(
    site: Site, command: str, journal: Journal, world: dict[str, str], faults: tuple[Any, ...]
) -> Iterator[tuple[str, str]]:
    """Run a mission, and yield every text that a view shows, with the name of the view."""
    lines: list[str] = []
    model = ViewModel(wall=lambda: 0.0, messages=site.messages)
    screens = _Screens(model, 9)
    listeners = [PlainView(model, lines.append), screens]
    with Session(
        site, world=world, fast=True, journal=journal, faults=faults, listeners=listeners
    ) as session:
        outcome = session.run(command)
    record = journal.mission(outcome.mission_id)
    yield "plain", "\n".join(lines)
    yield "live", "\n".join(screens.shots)
    yield "tree", without_styles(tree_lines(model, 100))
    yield "summary", without_styles(summary_lines(outcome, 100, model=model, commands=("why",)))
    yield "why", without_styles(mission_explanation(record).lines(100, UNICODE))
    yield "record", without_styles(record_lines(record, site.messages, 100, UNICODE))
