"""Rows of progress events: stored at a bounded rate that suffices for a replay."""

from __future__ import annotations

from bt_exec.events import Event, Progress, Turn
from bt_exec.journal.events_to_rows import PROGRESS_ROWS, PROGRESS_S, Rows


def kept(events: list[Event]) -> int:
    rows = Rows(1, "en", None)
    return sum(len(rows.encode(event)) for event in events)


def test_progress_of_a_node_is_stored_twice_a_second() -> None:
    events: list[Event] = [Progress(n / 20, n, "a", n / 200, "moving") for n in range(200)]
    assert kept(events) == 10 / PROGRESS_S


def test_progress_of_many_nodes_is_bounded_together() -> None:
    events: list[Event] = [
        Progress(n / 20, n, f"p/{i}", 0.5, "") for n in range(40) for i in range(100)
    ]
    assert kept(events) == 2 * PROGRESS_ROWS


def test_progress_of_a_reset_world_is_stored_although_its_clock_restarts() -> None:
    assert kept([Progress(90.0, 1, "a", 0.5, ""), Progress(0.0, 2, "a", 0.5, "")]) == 2


def test_rows_are_numbered_without_gaps_when_progress_is_dropped() -> None:
    rows = Rows(1, "en", None)
    events: list[Event] = [Progress(0.0, 1, "a", 0.1, ""), Progress(0.1, 1, "a", 0.2, "")]
    found = [row for event in (*events, Turn(0.2, 2, {})) for row in rows.encode(event)]
    assert [values[1] for _, values in found] == [1, 2]
