"""Selection of rows: running paths open, finished subtrees folded, hidden rows counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from bt_exec.failure import Failure
from bt_exec.skill import Verdict
from bt_exec.tui.model import Past, ViewModel
from bt_exec.tui.nodes import ViewNode
from bt_exec.tui.text import clean, wrap

__all__ = ["NARROW", "Row", "choose", "rows_of"]

NARROW = 60
"""Cells under which rows carry less."""

_NOTE_LINES = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the tree.

    Attributes:
        kind: ``node``, ``note`` (explains the row above), ``change`` (a new plan), ``remark`` (what
            passes changed in the plan) or ``gap``.
        depth: How far it is indented.
        text: The note, the change or the gap's count; empty for nodes.
        node: The node, for ``node``.
        weight: What must go first when rows do not fit: the largest.
        first: Whether a note starts here; its next lines have no elbow.
        folded: How many steps are inside the row.
    """

    kind: str
    depth: int
    text: str = ""
    node: ViewNode | None = None
    weight: int = 2
    first: bool = True
    folded: int = 0


def rows_of(model: ViewModel, width: int, *, room: int | None = None) -> list[Row]:
    """Return every row of a mission that may be shown in `width` cells.

    When there are more rows than `room`, remarks go and subtrees that were not reached are folded.
    """
    maker = _Maker(model, width, fold=False)
    rows = list(maker.all())
    if room is not None and len(rows) > room:
        rows = [row for row in rows if row.kind != "remark"]
    if room is not None and len(rows) > room:
        maker = _Maker(model, width, fold=True)
        rows = [row for row in maker.all() if row.kind != "remark"]
    return rows


def choose(rows: Sequence[Row], room: int, told: Callable[[str], str] = clean) -> list[Row]:
    """Return the rows that fit into `room`, in order, gaps counted.

    Running rows and what explains them stay; of the others, those nearest to what happens now.
    `told` says a count in the command's language.
    """
    if len(rows) <= room:
        return list(rows)
    focus = _focus(rows)
    owner = 0  # notes go with the row that they explain
    keys = []
    for index, row in enumerate(rows):
        owner = index if row.kind != "note" and row.first else owner
        keys.append((row.weight, abs(owner - focus), index))
    order = [index for _, _, index in sorted(keys)]
    for count in range(room, 0, -1):
        shown = _with_gaps(rows, sorted(order[:count]), told)
        if len(shown) <= room:
            return shown
    return [rows[focus]][:room]


def _focus(rows: Sequence[Row]) -> int:
    """Return where things happen: the last running row, else the last that has a state."""
    last = 0
    for index, row in enumerate(rows):
        if row.node is not None and row.node.state is not None:
            last = index
    running = [i for i, row in enumerate(rows) if row.node and row.node.state == "running"]
    return running[-1] if running else last


def _with_gaps(rows: Sequence[Row], kept: Sequence[int], told: Callable[[str], str]) -> list[Row]:
    shown: list[Row] = []
    before = -1
    for index in (*kept, len(rows)):
        run = rows[before + 1 : index]
        hidden = [row for row in run if row.kind == "node"]
        if len(run) == 1:
            shown.extend(run)  # a count would take the same row
        elif hidden:
            states = {row.node.state for row in hidden if row.node is not None}
            word = "done" if states <= {"done", "skipped", "kept"} else "more"
            count = sum(1 + row.folded for row in hidden)
            shown.append(Row("gap", hidden[0].depth, told(f"{count} {word}")))
        if index < len(rows):
            shown.append(rows[index])
        before = index
    return shown


class _Maker:
    def __init__(self, model: ViewModel, width: int, *, fold: bool) -> None:
        self.model = model
        self.width = width
        self.fold = fold

    def all(self) -> Iterator[Row]:
        model = self.model
        for number, past in enumerate(model.past, 2):
            yield from self.earlier(past, number, last=number == len(model.past) + 1)
        for text in model.remarks():
            for index, line in enumerate(
                _cut(wrap(f"{model.told('note')} · {text}", self.width - 4))
            ):
                yield Row("remark", 0, line, weight=3, first=index == 0)
        for root in model.forest.roots:
            yield from self.visit(root, 0, top=len(model.forest.roots) == 1)

    def earlier(self, past: Past, number: int, *, last: bool) -> Iterator[Row]:
        weight = 1 if last else 4
        for node in past.failed:
            yield Row("node", 1, node=node, weight=weight)
            yield from self.notes(node, 1, weight)
        text = f"{self.model.told(f'plan {number}')} · {past.change}"
        lines = wrap(text, self.width - (2 if cell_len(text) <= self.width - 2 else 4))
        for index, line in enumerate(_cut(lines)):
            yield Row("change", 0, line, weight=1 if last else 3, first=index == 0)

    def visit(self, node: ViewNode, depth: int, *, top: bool = False) -> Iterator[Row]:
        weight = {"running": 0, "failed": 1}.get(node.state or "", 2)
        if node.children and (top or self.opened(node)):
            yield Row("node", depth, node=node, weight=weight)
            for child in node.children:
                yield from self.visit(child, depth + 1)
        else:
            inside = sum(1 for _ in node.walk()) - 1
            yield Row("node", depth, node=node, weight=weight, folded=inside)
        yield from self.notes(node, depth, weight)

    def opened(self, node: ViewNode) -> bool:
        if node.state is None:
            return not self.fold
        return node.state in ("running", "failed", "stopped")

    def notes(self, node: ViewNode, depth: int, weight: int) -> Iterator[Row]:
        """Explain a row: why it failed, what guards it, what it waits for."""
        texts: list[str] = []
        told = self.model.told
        if node.state == "failed" and not any(c.state == "failed" for c in node.children):
            texts.append(self.why(node))
            texts += [told("goes on all the same")] if node.passed else []
        elif node.state == "running":
            if node.spec.guard is not None:
                guard = self.model.question(node.spec.guard)
                texts.append(f"{told('while')} {guard} · {self.said(node.guard)}")
            if node.answer is not None and node.answer.holds is None:
                why = told(node.answer.why)
                texts.append(f"{told('not sure yet')}: {why}" if why else told("looking"))
        elif node.state == "stopped":
            texts.append(node.detail)
        elif node.state == "done" and getattr(node.spec, "tell", False) and node.answer:
            texts.append(self.model.answer(node.path, node.answer))
        texts += self.tries(node)
        for text in filter(None, texts):
            lines = wrap(clean(text), self.width - 2 * depth - 6)
            for index, line in enumerate(_cut(lines)):
                yield Row("note", depth, line, weight=weight, first=index == 0)

    def tries(self, node: ViewNode) -> list[str]:
        """Return why earlier attempts failed: all that were recovered, the last while it runs."""
        first = len(node.tries) if node.state == "running" else 1
        if node.state not in ("running", "done"):
            return []
        return [
            ": ".join(filter(None, (self.attempt(number, failure), why)))
            for number, failure in enumerate(node.tries, 1)
            if number >= first and (why := self.model.why(failure)) is not None
        ]

    def attempt(self, number: int, failure: Failure) -> str:
        """Return which attempt it was, with the code for authors."""
        parts = (self.model.told(f"attempt {number}"), self.model.code(failure))
        return " · ".join(filter(None, parts))

    def said(self, verdict: Verdict | None) -> str:
        """Return what a guard says."""
        if verdict is None:
            return self.model.told("not asked yet")
        words = {True: "holds", False: "broken", None: "not known"}
        word = self.model.told(words[verdict.holds])
        return f"{word} ({self.model.told(verdict.why)})" if verdict.why else word

    def why(self, node: ViewNode) -> str:
        """Return why a node failed; the code stands here where the row has no room for it."""
        if node.failure is None:
            return node.detail
        message = self.model.why(node.failure) or node.detail
        code = self.model.code(node.failure)
        if message in ("", node.failure.code):
            return node.failure.code if self.width < NARROW else ""
        return f"{code}: {message}" if code and self.width < NARROW else message


def _cut(lines: Sequence[str]) -> Iterable[str]:
    if len(lines) <= _NOTE_LINES:
        return lines
    return (*lines[: _NOTE_LINES - 1], lines[_NOTE_LINES - 1] + " …")
