"""Maintenance of the journal: removal of old missions, and checks."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing

import pytest

from bt_exec.events import Event
from bt_exec.journal import Journal
from bt_exec.journal.maintenance import Retention

Script = Callable[[str], list[Event]]


def fill(journal: Journal, script: Script, count: int, *, frames: bool = False) -> list[str]:
    names = []
    for _ in range(count):
        with journal.begin(command="x", language="ko", site="lab", frames=frames) as recorder:
            for event in script(recorder.mission_id):
                recorder.on(event)
        names.append(recorder.mission_id)
    return names


def change(journal: Journal, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute(statement, values)


def count(journal: Journal, table: str) -> int:
    with closing(sqlite3.connect(journal.path)) as connection:
        return int(connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])


def ids(journal: Journal) -> list[str]:
    return [line.id for line in reversed(journal.missions(None))]


def test_missions_older_than_the_limit_are_removed_completely(
    journal: Journal, script: Script
) -> None:
    names = fill(journal, script, 3, frames=True)
    change(journal, "UPDATE missions SET started_at = ? WHERE no < 3", time.time() - 10 * 86400)
    planned = journal.prune(Retention(days=7), dry_run=True)
    assert (planned.missions, ids(journal)) == (tuple(names[:2]), names)
    done = journal.prune(Retention(days=7))
    assert done == planned
    assert done.freed_bytes > 0
    assert ids(journal) == names[2:]
    assert not (journal.frames / names[0]).exists()
    assert (journal.frames / names[2]).is_dir()
    assert journal.mission(names[2]).plans[0].text
    assert journal.check() == ()


def test_oldest_missions_are_removed_down_to_a_size(journal: Journal, script: Script) -> None:
    names = fill(journal, script, 4)
    assert journal.prune(Retention(megabytes=1000)).missions == ()
    done = journal.prune(Retention(megabytes=1e-6))
    assert done.missions == tuple(names)
    assert [count(journal, t) for t in ("missions", "events", "specs")] == [0, 0, 0]


def test_running_missions_and_other_sites_are_kept(journal: Journal, script: Script) -> None:
    fill(journal, script, 1)
    with journal.begin(command="runs", site="lab") as recorder:
        assert journal.prune(Retention(megabytes=1e-6), site="yard").missions == ()
        journal.prune(Retention(megabytes=1e-6))
        assert ids(journal) == [recorder.mission_id]


def test_no_mission_is_removed_without_a_limit(journal: Journal, script: Script) -> None:
    fill(journal, script, 2)
    assert journal.prune(Retention()).missions == ()


def test_intact_journal_has_no_findings(journal: Journal, script: Script) -> None:
    fill(journal, script, 2, frames=True)
    assert journal.check() == ()


@pytest.mark.parametrize(
    ("damage", "kind", "said", "repairs"),
    [
        ("DELETE FROM missions WHERE no = 1", "orphan", "rows of events belong to no", True),
        ("DELETE FROM specs", "missing", "plan of event", False),
        ("UPDATE events SET data = '{' WHERE seq = 2", "unreadable", "1 events of mission", False),
        ("UPDATE missions SET settings = 'x'", "unreadable", "list entry of mission", False),
        (
            "UPDATE missions SET status = NULL, process = NULL",
            "missing",
            "end of mission",
            True,
        ),
    ],
)
def test_damage_is_found_and_repaired_where_possible(
    journal: Journal, script: Script, damage: str, kind: str, said: str, repairs: bool
) -> None:
    fill(journal, script, 1)
    change(journal, damage)
    found = [one for one in journal.check() if one.kind == kind]
    assert found
    assert said in found[0].what
    assert any(one.repaired for one in journal.check(repair=True)) is repairs
    assert bool(journal.check()) is not repairs


def test_repair_fills_in_the_recorded_end(journal: Journal, script: Script) -> None:
    (name,) = fill(journal, script, 1)
    change(journal, "UPDATE missions SET status = NULL, ended_at = NULL, process = NULL")
    assert journal.mission(name).line.interrupted
    journal.check(repair=True)
    line = journal.mission(name).line
    assert (line.status, line.message, line.interrupted) == ("satisfied", "다 했습니다.", False)


def test_interrupted_mission_and_orphaned_frames_are_reported(
    journal: Journal, script: Script
) -> None:
    with journal.begin(command="x") as recorder:
        recorder.on(script(recorder.mission_id)[0])
    change(journal, "UPDATE missions SET process = NULL")
    (journal.frames / "2020-01-01-0001").mkdir(parents=True)
    assert sorted(one.kind for one in journal.check()) == ["orphan", "unfinished"]
    journal.check(repair=True)
    assert not (journal.frames / "2020-01-01-0001").exists()


def test_resumed_mission_is_not_reported_as_unfinished(journal: Journal, script: Script) -> None:
    with journal.begin(command="x") as interrupted:
        interrupted.on(script(interrupted.mission_id)[0])
    change(journal, "UPDATE missions SET process = NULL")
    with journal.begin(command="x", continues=interrupted.mission_id) as resumed:
        for event in script(resumed.mission_id):
            resumed.on(event)
    assert list(journal.check()) == []
    change(journal, "UPDATE missions SET status = 'refused' WHERE continues != ''")
    assert [one.kind for one in journal.check()] == ["unfinished"]


def test_damaged_journal_file_is_reported_as_one_finding(journal: Journal, script: Script) -> None:
    fill(journal, script, 30)
    with closing(sqlite3.connect(journal.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with journal.path.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * 4096)
    assert [one.kind for one in journal.check()] == ["damaged"]
