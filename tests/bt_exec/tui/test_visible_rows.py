"""Selection of rows, compared with a naive definition."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.spec.model import Do
from bt_exec.tui.plan_rows import ViewNode
from bt_exec.tui.visible_rows import Row, fit_rows
from tests.cases import examples

STATES = (None, "running", "done", "skipped", "kept", "failed")


def defined_focus(rows: Sequence[Row]) -> int:
    running = [i for i, row in enumerate(rows) if row.node and row.node.state == "running"]
    reached = [i for i, row in enumerate(rows) if row.node and row.node.state is not None]
    return (running or reached or [0])[-1]


def with_gaps(rows: Sequence[Row], kept: Sequence[int]) -> list[Row]:
    shown: list[Row] = []
    before = -1
    for index in (*kept, len(rows)):
        run = rows[before + 1 : index]
        hidden = [row for row in run if row.kind == "node"]
        if len(run) == 1:
            shown.extend(run)
        elif hidden:
            states = {row.node.state for row in hidden if row.node is not None}
            word = "done" if states <= {"done", "skipped", "kept"} else "more"
            count = sum(1 + row.folded for row in hidden)
            shown.append(Row("gap", hidden[0].depth, f"{count} {word}"))
        if index < len(rows):
            shown.append(rows[index])
        before = index
    return shown


def defined_choice(rows: Sequence[Row], room: int) -> list[Row]:
    if len(rows) <= room:
        return list(rows)
    focus, owner, keys = defined_focus(rows), 0, []
    for index, row in enumerate(rows):
        owner = index if row.kind != "note" and row.first else owner
        keys.append((row.weight, abs(owner - focus), index))
    order = [index for _, _, index in sorted(keys)]
    for count in range(room, 0, -1):
        shown = with_gaps(rows, sorted(order[:count]))
        if len(shown) <= room:
            return shown
    return [rows[focus]][:room]


@st.composite
def any_row(draw: st.DrawFn) -> Row:
    kind = draw(st.sampled_from(("node", "node", "node", "note", "change", "remark")))
    weight, first = draw(st.integers(0, 4)), draw(st.booleans())
    if kind != "node":
        return Row(kind, 0, "words", weight=weight, first=first)
    node = ViewNode("label", "", "path", Do(do="work"), state=draw(st.sampled_from(STATES)))
    folded = draw(st.integers(0, 3))
    return Row(kind, draw(st.integers(0, 3)), node=node, weight=weight, folded=folded)


@given(st.lists(any_row(), max_size=25), st.integers(1, 12))
@settings(max_examples=examples(600))
def test_selected_rows_match_the_reference_selection(rows: list[Row], room: int) -> None:
    assert fit_rows(rows, room, str) == defined_choice(rows, room)
