"""Contents of a mission record: failures, states, skill calls, exchanges and identifiers."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import sqlite3
from contextlib import closing
from datetime import date
from functools import partial

import pytest

from bt_exec.events import (
    Finished,
    MissionStarted,
    NodeChanged,
    PerceptionFailed,
    Planned,
    SkillEnded,
    SkillStarting,
    Turn,
)
from bt_exec.failure import Failure, UnknownName
from bt_exec.journal import Journal
from bt_exec.journal.read import read_mission
from bt_exec.journal.schema import connect
from bt_exec.mission_outcome import Outcome
from bt_exec.planning.compiler import REPLIES

STUCK = Failure("STUCK", "it is stuck", "part/go")


def recorded(journal, *events):
    with journal.begin(command="x") as recorder:
        for event in events:
            recorder.on(event)
    return journal.mission(recorder.mission_id)


def ended(tick: int, failure: Failure | None, call: int = 1) -> SkillEnded:
    state = "done" if failure is None else "failed"
    return SkillEnded(0.0, tick, "part/go", "go", call, state, 0.5, failure=failure)


def changed(tick: int, path: str, failure: Failure | None) -> NodeChanged:
    return NodeChanged(0.0, tick, path, "failed" if failure else "done", failure=failure)


def test_failure_passed_up_the_tree_is_listed_once_and_a_repeated_one_twice(journal):
    other = dataclasses.replace(STUCK, message="still stuck")
    mission = recorded(
        journal,
        ended(3, STUCK),
        changed(3, "part/go", STUCK),
        changed(3, "part", STUCK),
        changed(3, "root", other),
        ended(3, None, 2),
        ended(7, STUCK, 3),
        changed(7, "part/go", STUCK),
    )
    assert mission.failures == (STUCK, other, STUCK)


def test_node_states_belong_to_the_requested_plan(journal, make_spec):
    mission = recorded(
        journal,
        changed(0, "early", None),
        Planned(0.0, 0, make_spec(1), 1),
        NodeChanged(0.0, 1, "a", "running"),
        NodeChanged(0.0, 2, "a", "failed"),
        Planned(0.0, 2, make_spec(2), 1),
        NodeChanged(0.0, 3, "b", "running"),
    )
    assert mission.node_states(0) == {"early": "done"}
    assert mission.node_states(1) == {"a": "failed"}
    assert mission.node_states(2) == mission.node_states() == {"b": "running"}
    assert mission.node_states(3) == {}


def test_skill_start_is_paired_with_its_own_end(journal, make_spec):
    starts = [SkillStarting(0.0, n, "part/go", "go", {"n": n}, n) for n in (1, 2, 3)]
    other = SkillStarting(0.0, 4, "part/take", "take", {}, 1)
    events = [starts[0], ended(1, STUCK, 1), starts[1], starts[2], ended(3, None, 3), other]
    mission = recorded(journal, events[0], Planned(0.0, 2, make_spec(2), 1), *events[1:])
    assert [(run.plan, run.start, run.end) for run in mission.skills] == [
        (0, starts[0], ended(1, STUCK, 1)),
        (2, starts[1], None),
        (2, starts[2], ended(3, None, 3)),
        (2, other, None),
    ]


def test_failed_observation_is_listed_with_the_observations(journal):
    blind = PerceptionFailed(0.0, 1, "door", "no picture")
    assert recorded(journal, blind).observations == (blind,)


def test_exchanges_are_in_order_with_the_plan_of_their_request(journal, make_spec):
    with journal.begin(command="x") as recorder:
        for number, answer in enumerate(("one", "two", "three")):
            recorder.record_exchange(
                compiler="claude", model="m", request=answer, answer=answer, usage={"n": number}
            )
            recorder.on(Planned(0.0, number, make_spec(number + 1), 1))
    found = journal.mission("last").exchanges
    assert [(e.plan, e.answer, e.usage) for e in found] == [
        (0, "one", {"n": 0}),
        (1, "two", {"n": 1}),
        (2, "three", {"n": 2}),
    ]


def test_unreadable_row_is_reported_and_the_others_are_read(journal):
    mission = recorded(journal, Turn(0.0, 1, {"n": 1}), Turn(0.0, 2, {"n": 2}))
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute("UPDATE events SET data = '{' WHERE seq = 1")
    mission = journal.mission("last")
    assert mission.turns == ({"n": 2},)
    (unreadable,) = mission.unreadable
    assert unreadable.startswith("1 Turn: Expecting property name")


def test_unknown_mission_error_lists_the_twenty_newest(journal):
    names = [journal.begin(command="x") for _ in range(22)]
    for recorder in names:
        recorder.close()
    with pytest.raises(UnknownName) as told:
        journal.mission("2020-01-01-9999")
    assert set(told.value.known) == {recorder.mission_id for recorder in names[2:]}


def test_mission_list_has_twenty_lines_by_default(journal):
    for _ in range(22):
        journal.begin(command="x").close()
    assert [len(journal.missions(*limit)) for limit in ((), (None,), (21,), (0,))] == [
        20,
        22,
        21,
        0,
    ]


def test_fields_of_an_empty_record_have_defaults(journal):
    journal.begin(command="x").close()
    mission = journal.mission("last")
    assert (mission.settings, mission.seeds, mission.line.site) == ({}, {}, "")
    assert (mission.line.language, mission.line.reason_code, mission.line.message) == ("en", "", "")
    assert (mission.line.ended_at, mission.exchanges, mission.refusals) == (None, (), ())
    assert (mission.frames_kept, mission.frames_dropped) == (0, 0)
    assert mission.line.started_at.tzinfo is not None
    assert mission.frames == journal.frames / mission.id
    assert mission.program


def test_mission_numbers_restart_each_day(journal: Journal):
    journal.begin(command="x").close()
    journal.begin(command="x").close()
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute("UPDATE missions SET day = '2020-01-01', id = '2020-01-01-000' || no")
    with journal.begin(command="x") as recorder:
        assert recorder.mission_id.endswith("-0001")


def test_record_is_read_in_one_transaction(journal):
    """All tables are read in the state of one moment."""
    with journal.begin(command="x") as recorder:
        recorder.on(Turn(0.0, 1, {"n": 1}))

    def another_process(statement: str) -> None:
        if "FROM events" in statement:
            with closing(sqlite3.connect(journal.path)) as other, other:
                other.execute("DELETE FROM events")

    with closing(connect(journal.path)) as connection:
        connection.row_factory = sqlite3.Row
        connection.set_trace_callback(another_process)
        found = read_mission(connection, recorder.mission_id, journal.path.parent)
    assert found.events == (Turn(0.0, 1, {"n": 1}),)
    assert journal.mission("last").events == ()


def test_booking_reserves_a_mission_name_before_the_mission_begins(journal: Journal):
    booking = journal.book(command="x", language="ko", site="s", seeds={"seed": 3})
    line = journal.mission_summary(booking.mission_id)
    assert (line.command, line.language, line.begun, line.interrupted) == ("x", "ko", False, False)
    assert journal.mission(booking.mission_id).line == line
    with journal.record(booking) as recorder:
        recorder.on(Turn(0.0, 1, {"n": 1}))
    begun = journal.mission_summary(booking.mission_id)
    assert begun.begun
    assert begun.started_at >= line.started_at
    assert journal.mission(booking.mission_id).seeds == {"seed": 3}


def test_rows_are_returned_in_pages(journal: Journal):
    with journal.begin(command="x") as recorder:
        for number in range(5):
            recorder.on(Turn(0.0, number, {"n": number}))
    rows = journal.rows(recorder.mission_id, limit=3)
    assert [(row.seq, row.kind, row.tick) for row in rows] == [
        (1, "Turn", 0),
        (2, "Turn", 1),
        (3, "Turn", 2),
    ]
    assert [row.seq for row in journal.rows(recorder.mission_id, after=3)] == [4, 5]
    assert rows[0].data == '{"report":{"n":0}}'
    assert journal.rows("2020-01-01-0001") == ()
    assert journal.mission_summary("2020-01-01-0001") is None


def interrupt(journal: Journal, *commands: str) -> str:
    """Begin missions without ending them, and return the identifier of the last one."""
    for command in commands:
        with journal.begin(command=command, site="door") as recorder:
            recorder.on(Turn(0.0, 1, {"n": 1}))
    return recorder.mission_id


def finish(journal: Journal, script, command: str, continues: str = "") -> str:
    """Record a mission with an ending, and return its status."""
    with journal.begin(command=command, site="door", continues=continues) as recorder:
        for event in script(recorder.mission_id):
            recorder.on(event)
    return journal.mission_summary(recorder.mission_id).status


def test_booked_mission_is_not_reported_as_interrupted(journal: Journal, monkeypatch):
    with journal.begin(command="begun") as recorder:
        recorder.on(Turn(0.0, 1, {"n": 1}))
    journal.book(command="booked")
    monkeypatch.setattr("bt_exec.journal.read.has_process_ended", lambda process: True)
    assert journal.next_interrupted().command == "begun"
    assert journal.next_interrupted() is None


def test_resumed_mission_is_not_reported_as_interrupted(journal: Journal, script, monkeypatch):
    lost = interrupt(journal, "lost", "resumed")
    finish(journal, script, "resumed", continues=lost)
    monkeypatch.setattr("bt_exec.journal.read.has_process_ended", lambda process: True)
    assert journal.next_interrupted().command == "lost"


def test_newest_mission_that_was_neither_finished_nor_resumed_is_unfinished(
    journal: Journal, script, monkeypatch
):
    monkeypatch.setattr("bt_exec.journal.read.has_process_ended", lambda process: True)
    lost = interrupt(journal, "lost", "resumed")
    assert finish(journal, script, "resumed", continues=lost) == "satisfied"
    assert journal.last_unfinished("door").command == "lost"
    assert journal.last_unfinished("door", "another session") is None
    assert journal.last_unfinished("building") is None


def test_missions_of_a_day_contain_the_last_part_of_a_resumed_mission(
    journal: Journal, script, monkeypatch
):
    monkeypatch.setattr("bt_exec.journal.read.has_process_ended", lambda process: True)
    first = interrupt(journal, "first")
    interrupt(journal, "other")
    finish(journal, script, "first", continues=first)
    today = journal.missions_of_day("door", date.today())
    assert [line.command for line in today] == ["first", "other"]
    assert [line.status for line in today] == ["satisfied", "unfinished"]
    assert journal.missions_of_day("building", date.today()) == ()
    assert journal.missions_of_day("door", date(2020, 1, 1)) == ()


def test_mission_that_was_stopped_before_its_plan_is_unfinished(journal: Journal):
    with journal.begin(command="stopped", site="door") as recorder:
        name = recorder.mission_id
        recorder.on(MissionStarted(0.0, 0, name, "stopped", "en", "door"))
        recorder.on(Finished(0.0, 0, Outcome(name, "stopped", "aborted", "ABORTED", "")))
    assert journal.last_unfinished("door").command == "stopped"
    assert [line.id for line in journal.missions_with_actions("door", ["open"])] == [name]


@pytest.mark.parametrize("planned", [False, True])
def test_mission_that_was_killed_before_its_first_skill_counts_as_acting(
    journal: Journal, make_spec, monkeypatch, planned: bool
):
    with journal.begin(command="killed", site="door") as recorder:
        recorder.on(MissionStarted(0.0, 0, recorder.mission_id, "killed", "en", "door"))
        if planned:
            recorder.on(Planned(0.0, 0, make_spec(1), 1))
    journal.book(command="only booked", site="door")
    listed = partial(journal.missions_with_actions, "door", ["open_door", "move"])
    assert listed() == ()  # it still runs
    monkeypatch.setattr("bt_exec.journal.read.has_process_ended", lambda process: True)
    assert [line.command for line in listed()] == ["killed"]
    assert journal.last_unfinished("door").command == "killed"


def test_mission_is_not_unfinished_if_its_command_succeeded_later(
    journal: Journal, script, monkeypatch
):
    monkeypatch.setattr("bt_exec.journal.read.has_process_ended", lambda process: True)
    interrupt(journal, "lost", "done later")
    assert finish(journal, script, "done later") == "satisfied"
    assert journal.last_unfinished("door").command == "lost"


@pytest.mark.parametrize(
    ("which", "listed"),
    [("9", [4, 5, 6]), ("0000000099", range(1, 7)), ("2020-01-01-0001", range(1, 7))],
)
def test_unknown_number_error_lists_the_nearest_ones(journal: Journal, which: str, listed):
    for _ in range(6):
        journal.book(command="x")
    with pytest.raises(UnknownName) as told:
        journal.mission(which)
    assert [int(name[-4:]) for name in told.value.known] == list(listed)
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute("UPDATE missions SET number = number + 30 WHERE no > 4")
    with pytest.raises(UnknownName) as told:
        journal.mission("5")
    assert [int(name[-4:]) for name in told.value.known] == [2, 3, 4]


def test_booked_mission_gets_its_start_time_when_it_begins(journal: Journal, monkeypatch):
    wall = iter([1_000_000.0, 1_000_500.0])
    monkeypatch.setattr("bt_exec.journal.journal.time.time", lambda: next(wall))
    booking = journal.book(command="x")
    assert journal.mission_summary(booking.mission_id).started_at.timestamp() == 1_000_000.0
    journal.record(booking).close()
    assert journal.mission_summary(booking.mission_id).started_at.timestamp() == 1_000_500.0


def test_line_of_a_mission_is_found_by_its_id(journal: Journal):
    first, second = (journal.book(command=command, site=command) for command in ("one", "two"))
    assert journal.mission_summary(first.mission_id).command == "one"
    assert journal.mission_summary(second.mission_id).site == "two"


@pytest.mark.parametrize(
    ("change", "begun"),
    [
        ("UPDATE missions SET told_at = 1", False),
        ("UPDATE missions SET status = 'aborted'", True),
        ("INSERT INTO events VALUES (1, 1, 0.0, 0, 0, 'Turn', NULL, NULL, '{}')", True),
        ("INSERT INTO events VALUES (1, 1, 0.0, 0, 0, 'Dance', NULL, NULL, '{}')", True),
    ],
)
def test_mission_with_an_event_or_a_status_has_begun(journal: Journal, change: str, begun: bool):
    booking = journal.book(command="x")
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute(change)
    assert journal.mission_summary(booking.mission_id).begun is begun
    assert journal.mission("last").line.begun is begun


def test_page_has_a_thousand_rows_by_default(journal: Journal):
    booking = journal.book(command="x")
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.executemany(
            "INSERT INTO events VALUES (1, ?, 0.0, 0, 0, 'Turn', NULL, NULL, '{}')",
            [(number,) for number in range(1, 1003)],
        )
    assert [row.seq for row in journal.rows(booking.mission_id)] == list(range(1, 1001))


def test_program_version_is_empty_when_not_installed(journal: Journal, monkeypatch):
    def unknown(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", unknown)
    journal.begin(command="x").close()
    assert journal.mission("last").program == ""


def test_mission_line_agrees_with_its_record(journal: Journal, script):
    with journal.begin(command="x", language="ko", site="s") as recorder:
        for event in script(recorder.mission_id):
            recorder.on(event)
    mission = journal.mission("last")
    assert journal.missions() == (mission.line,)
    line = mission.line
    assert (line.id, line.command, line.language, line.site) == (mission.id, "x", "ko", "s")
    assert (line.status, line.reason_code, line.message) == ("satisfied", "OK", "다 했습니다.")
    assert (line.interrupted, line.begun) == (False, True)
    assert line.ended_at.tzinfo is not None
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute("UPDATE missions SET outcome = NULL, ended_at = NULL, process = NULL")
    (line,) = journal.missions()
    assert (line.seconds, line.ended_at, line.interrupted) == (None, None, False)


def test_last_mission_is_the_newest_one_except_replies(journal: Journal):
    for command in ("one", "two", "thanks"):
        journal.begin(command=command).close()
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        reply = "UPDATE missions SET reason_code = ? WHERE command = ?"
        connection.execute(reply, (sorted(REPLIES)[0], "thanks"))
    assert journal.mission("last").command == "two"
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute("UPDATE missions SET reason_code = ?", (sorted(REPLIES)[-1],))
    assert journal.mission("last").command == "thanks"  # there is no other mission
