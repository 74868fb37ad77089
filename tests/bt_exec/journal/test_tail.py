"""Reading of a record while it is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from bt_exec.events import Event, Observed
from bt_exec.failure import UnknownName
from bt_exec.journal import Journal
from bt_exec.journal.journal import JournalTail

Script = Callable[[str], list[Event]]


def test_tail_returns_each_event_once_and_detects_the_end(
    journal: Journal, script: Script, kept: Callable[[Event], Event]
) -> None:
    with journal.begin(command="x", language="ko") as recorder:
        tail = JournalTail(journal, recorder.mission_id)
        events = script(recorder.mission_id)
        assert tail.read() == []
        for event in events[:8]:
            recorder.on(event)
        recorder.flush()
        first = tail.read()
        assert (first, tail.ended) == ([kept(event) for event in events[:8]], "")
        for event in events[8:]:
            recorder.on(event)
        recorder.flush()
        assert (tail.read(), tail.ended) == ([kept(event) for event in events[8:]], "ended")
        assert tail.read() == []


def test_tail_of_a_killed_process_ends_as_interrupted(journal: Journal, script: Script) -> None:
    with journal.begin(command="x") as recorder:
        for event in script(recorder.mission_id)[:8]:
            recorder.on(event)
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute("UPDATE missions SET process = NULL")
    tail = JournalTail(journal, recorder.mission_id)
    assert (len(tail.read()), tail.ended) == (8, "interrupted")


def test_only_the_event_of_a_damaged_row_is_lost(journal: Journal, script: Script) -> None:
    with journal.begin(command="x") as recorder:
        for event in script(recorder.mission_id):
            recorder.on(event)
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute("UPDATE events SET data = '{' WHERE kind = 'Observed'")
    found = JournalTail(journal, recorder.mission_id).read()
    assert len(found) == len(script(recorder.mission_id)) - 1
    assert not any(isinstance(event, Observed) for event in found)


def test_plan_is_found_by_its_digest(journal: Journal, script: Script) -> None:
    with journal.begin(command="x") as recorder:
        for event in script(recorder.mission_id):
            recorder.on(event)
    plan = journal.mission("last").plans[0]
    assert journal.plan_text(plan.digest) == plan.text
    with pytest.raises(UnknownName):
        journal.plan_text("0" * 64)
