"""Comparison of two records of one mission."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from bt_exec.events import Event, NodeChanged, Progress
from bt_exec.journal import Journal
from bt_exec.journal.record_comparison import compare_records

STARTED = NodeChanged(1.0, 20, "fetch", "running")
FAILED = NodeChanged(2.0, 40, "fetch", "failed", "stuck at 0.1 rad")


@pytest.fixture
def compared(journal: Journal, script: Callable[[str], list[Event]]):
    """Return a function that records two missions after equal beginnings and compares them."""

    def recorded(events: Sequence[Event]) -> str:
        with journal.begin(command="x", language="ko") as recorder:
            for event in (*script(recorder.mission_id)[:2], *events):
                recorder.on(event)
        return recorder.mission_id

    def compared(old: Sequence[Event], new: Sequence[Event], *, timed=True, ended=True):
        return compare_records(
            (journal, recorded(old)), (journal, recorded(new)), timed=timed, ended=ended
        )

    return compared


def test_equal_records_have_no_difference_except_in_identifiers_and_progress(compared) -> None:
    progress = Progress(1.5, 30, "fetch", 0.5, "pulling")
    agreed, difference = compared([STARTED, progress, FAILED], [STARTED, FAILED])
    assert (agreed, difference) == (4, None)


@pytest.mark.parametrize(
    ("new", "recorded", "found"),
    [
        ([STARTED, replace(FAILED, detail="stuck at 0.2 rad")], "0.1 rad", "0.2 rad"),
        ([STARTED, replace(FAILED, path="other")], "NodeChanged fetch", "NodeChanged other"),
        ([STARTED], "NodeChanged fetch", ""),
    ],
)
def test_first_difference_names_both_events(compared, new, recorded, found) -> None:
    agreed, difference = compared([STARTED, FAILED], new)
    assert (agreed, difference.t, difference.tick) == (3, 2.0, 40)
    assert recorded in difference.recorded
    assert found in difference.found
    assert bool(difference.found) is bool(found)


@pytest.mark.parametrize("timed", [True, False])
def test_times_and_ticks_are_compared_only_if_requested(compared, timed) -> None:
    late = replace(FAILED, t=2.1, tick=42)
    assert (compared([STARTED, FAILED], [STARTED, late], timed=timed)[1] is not None) is timed


@pytest.mark.parametrize("ended", [True, False])
def test_further_events_are_a_difference_only_after_an_ended_mission(compared, ended) -> None:
    agreed, difference = compared([STARTED], [STARTED, FAILED], ended=ended)
    assert agreed == 3
    assert (difference is not None and difference.recorded == "") is ended
