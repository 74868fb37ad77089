"""Selection of the visible rows: finished subtrees are folded, and hidden rows are counted."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from rich.cells import cell_len

from bt_exec.failure import Failure
from bt_exec.skill import Verdict
from bt_exec.tui.plan_rows import ViewNode
from bt_exec.tui.terminal_text import safe_line, wrap
from bt_exec.tui.view_model import Past, ViewModel
from bt_exec.tui.view_state import Display

__all__ = ["NARROW", "Row", "all_rows", "fit_rows", "focus_index"]

NARROW = 60
"""Width below which rows show fewer details [cells]."""

_NOTE_LINES = 3
_OPEN = ("running", "failed", "stopped")  # states of nodes that are not folded


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the displayed tree.

    Attributes:
        kind: ``node``, ``note`` (explains the row above), ``change`` (a new plan), ``remark`` (a
            change by a pass) or ``gap`` (a count of hidden steps).
        depth: Depth of indentation.
        text: Text of a row that is not a node; empty for nodes.
        node: The node, if `kind` is ``node``.
        weight: Priority of removal if rows do not fit; rows with the largest value are removed
            first.
        first: Whether this is the first line of a note; further lines have no elbow sign.
        folded: Number of steps folded into the row.
    """

    kind: str
    depth: int
    text: str = ""
    node: ViewNode | None = None
    weight: int = 2
    first: bool = True
    folded: int = 0


def all_rows(
    model: ViewModel,
    width: int,
    *,
    room: int | None = None,
    ended: bool = False,
    display: Display | None = None,
) -> list[Row]:
    """Return all rows of a mission.

    Args:
        model: State of the mission.
        width: Width of a row [cells].
        room: Number of rows above which remarks are left out and subtrees that were not reached
            are folded; None for no limit.
        ended: Whether to replace the unreached steps by one row that counts them.
        display: Display state of the view.
    """
    display = display or Display()
    if ended:
        return _with_counted_gaps(
            [*_Maker(model, width, display, fold=True).all_rows()], model.translated_text
        )
    whole = _Maker(model, width, display, fold=False)
    if room is None:
        return list(whole.all_rows())
    rows = list(islice(whole.all_rows(), room + 1))
    if len(rows) > room:
        rows = list(islice(whole.all_rows(remarks=False), room + 1))
    if len(rows) > room:
        rows = list(_Maker(model, width, display, fold=True).all_rows(remarks=False))
    return rows


def fit_rows(
    rows: Sequence[Row], room: int, translate: Callable[[str], str] = safe_line
) -> list[Row]:
    """Return at most `room` rows in order, with a count in place of each group of hidden rows.

    Running rows and their notes have priority, then the rows nearest to them. `translate` returns a
    count in the command's language.
    """
    if len(rows) <= room:
        return list(rows)
    focus = focus_index(rows)
    owner = 0  # notes belong to the row that they explain
    keys = []
    for index, row in enumerate(rows):
        owner = index if row.kind != "note" and row.first else owner
        keys.append((row.weight, abs(owner - focus), index))
    order = [index for _, _, index in heapq.nsmallest(room, keys)]
    gaps = _Gaps(rows, translate)
    for count in range(room, 0, -1):
        shown = gaps.rows_with_gaps(sorted(order[:count]))
        if len(shown) <= room:
            return shown
    return [rows[focus]][:room]


def focus_index(rows: Sequence[Row]) -> int:
    """Return the index of the last running row; if none runs, of the last row with a state."""
    last = 0
    for index in range(len(rows) - 1, -1, -1):
        node = rows[index].node
        if node is None or node.state is None:
            continue
        if node.state == "running":
            return index
        last = last or index
    return last


class _Gaps:
    """Counter of hidden steps between shown rows; prefix sums make each selection fast."""

    def __init__(self, rows: Sequence[Row], translate: Callable[[str], str]) -> None:
        self._rows = rows
        self._translate = translate
        self._nodes = [*accumulate((row.kind == "node" for row in rows), initial=0)]
        self._steps = [
            *accumulate((1 + row.folded if row.kind == "node" else 0 for row in rows), initial=0)
        ]
        self._open = [*accumulate(map(_is_unfinished, rows), initial=0)]

    def rows_with_gaps(self, kept: Sequence[int]) -> list[Row]:
        """Return the rows at the indices `kept`, in order, with a row that counts each gap."""
        shown: list[Row] = []
        begin = 0
        for index in (*kept, len(self._rows)):
            if index == begin + 1:
                shown.append(self._rows[begin])  # a row with a count would take as much space
            elif self._nodes[index] > self._nodes[begin]:
                first = bisect_right(self._nodes, self._nodes[begin]) - 1
                word = "more" if self._open[index] > self._open[begin] else "done"
                count = self._steps[index] - self._steps[begin]
                shown.append(
                    Row("gap", self._rows[first].depth, self._translate(f"{count} {word}"))
                )
            shown.extend(self._rows[index : index + 1])
            begin = index + 1
        return shown


def _is_unfinished(row: Row) -> bool:
    """Return True if a row belongs to a node that is not done."""
    return row.node is not None and row.node.state not in ("done", "skipped", "kept", "unmet")


def _with_counted_gaps(rows: Sequence[Row], translate: Callable[[str], str]) -> list[Row]:
    """Return the rows, with all rows without a state replaced by one row that counts the steps."""
    left = [row for row in rows if row.node is not None and row.node.state is None]
    steps = sum(row.node.steps for row in left if row.node)
    kept = [row for row in rows if row.node is None or row.node.state is not None]
    if not steps or not any(row.kind == "node" for row in kept):
        return list(rows)
    word = translate(f"{steps} steps not run" if steps > 1 else "1 step not run")
    return [*kept, Row("gap", min(row.depth for row in left), word)]


class _Maker:
    def __init__(self, model: ViewModel, width: int, display: Display, *, fold: bool) -> None:
        self.model = model
        self.width = width
        self.display = display
        self.fold = fold

    def all_rows(self, *, remarks: bool = True) -> Iterator[Row]:
        model, narrowed = self.model, self.display.is_filtered
        for number, past in enumerate(model.past if not narrowed else (), 2):
            yield from self.rows_of_earlier_plan(past, number, last=number == len(model.past) + 1)
        for text in model.pass_notes() if remarks and not narrowed else ():
            for index, line in enumerate(
                _shortened(wrap(f"{model.translated_text('note')} · {text}", self.width - 4))
            ):
                yield Row("remark", 0, line, weight=3, first=index == 0)
        for root in model.forest.roots:
            yield from self.rows_of_node(root, 0, top=len(model.forest.roots) == 1)

    def rows_of_earlier_plan(self, past: Past, number: int, *, last: bool) -> Iterator[Row]:
        weight = 1 if last else 4
        for node in past.failed:
            yield Row("node", 1, node=node, weight=weight)
            yield from self.row_notes(node, 1, weight)
        text = f"{self.model.translated_text(f'plan {number}')} · {past.change}"
        lines = wrap(text, self.width - (2 if cell_len(text) <= self.width - 2 else 4))
        for index, line in enumerate(_shortened(lines)):
            yield Row("change", 0, line, weight=1 if last else 3, first=index == 0)

    def rows_of_node(self, node: ViewNode, depth: int, *, top: bool = False) -> Iterator[Row]:
        if not self.display.is_shown(self.model, node):
            return
        weight = {"running": 0, "failed": 1}.get(node.state or "", 2)
        if node.children and self.is_unfolded(node, top=top):
            yield Row("node", depth, node=node, weight=weight)
            for child in node.children:
                yield from self.rows_of_node(child, depth + 1)
        else:
            yield Row("node", depth, node=node, weight=weight, folded=node.inside)
        if node.state is not None:
            yield from self.row_notes(node, depth, weight)

    def is_unfolded(self, node: ViewNode, *, top: bool = False) -> bool:
        display = self.display
        if node.path in display.folds:
            return display.folds[node.path]
        if top or display.unfolded or display.filter:
            return True
        return not self.fold if node.state is None else node.state in _OPEN

    def row_notes(self, node: ViewNode, depth: int, weight: int) -> Iterator[Row]:
        """Yield the notes of a row: its failure, its guard, and the condition that it waits for."""
        texts: list[str] = []
        translate = self.model.translated_text
        if node.state == "failed" and not any(c.state == "failed" for c in node.children):
            texts.append(self.failure_text(node))
            texts += [translate("continues anyway")] if node.passed else []
        elif node.state == "running":
            if node.spec.guard is not None:
                guard = self.model.condition_phrase(node.spec.guard)
                texts.append(f"{translate('while')} {guard} · {self.guard_text(node.guard)}")
            if node.answer is not None and node.answer.holds is None:
                why = translate(node.answer.why)
                texts.append(f"{translate('not sure yet')}: {why}" if why else translate("looking"))
        elif node.state in ("stopped", "unmet"):
            texts.append(node.detail)
        elif node.state == "done" and getattr(node.spec, "tell", False) and node.answer:
            texts.append(self.model.answer(node.path, node.answer))
        texts += self.recovered_failures(node)
        for text in filter(None, texts):
            lines = wrap(safe_line(text), self.width - 2 * depth - 6)
            for index, line in enumerate(_shortened(lines)):
                yield Row("note", depth, line, weight=weight, first=index == 0)

    def recovered_failures(self, node: ViewNode) -> list[str]:
        """Return texts for failed attempts before a success; for a running node, only the last."""
        first = len(node.tries) if node.state == "running" else 1
        if node.state not in ("running", "done"):
            return []
        return [
            ": ".join(filter(None, (self.attempt_text(number, failure), why)))
            for number, failure in enumerate(node.tries, 1)
            if number >= first and (why := self.model.failure_reason(failure)) is not None
        ]

    def attempt_text(self, number: int, failure: Failure) -> str:
        """Return a text with the number of an attempt, and the failure code in verbose views."""
        parts = (self.model.translated_text(f"attempt {number}"), self.model.failure_code(failure))
        return " · ".join(filter(None, parts))

    def guard_text(self, verdict: Verdict | None) -> str:
        """Return a text for the last verdict of a guard."""
        if verdict is None:
            return self.model.translated_text("not asked yet")
        words = {True: "holds", False: "broken", None: "not known"}
        word = self.model.translated_text(words[verdict.holds])
        return f"{word} ({self.model.translated_text(verdict.why)})" if verdict.why else word

    def failure_text(self, node: ViewNode) -> str:
        """Return why a node failed, with the code in narrow views, because their rows show none."""
        if node.failure is None:
            return node.detail
        message = self.model.failure_reason(node.failure) or node.detail
        code = self.model.failure_code(node.failure)
        if message in ("", node.failure.code):
            return node.failure.code if self.width < NARROW else ""
        return f"{code}: {message}" if code and self.width < NARROW else message


def _shortened(lines: Sequence[str]) -> Iterable[str]:
    if len(lines) <= _NOTE_LINES:
        return lines
    return (*lines[: _NOTE_LINES - 1], lines[_NOTE_LINES - 1] + " …")
