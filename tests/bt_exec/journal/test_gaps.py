"""Reports about gaps of the journal: large evidence, a vanished journal. Files are private."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bt_exec.events import Event, NodeChanged, SkillEnded, SkillStarting, Turn
from bt_exec.failure import Failure, UsageError
from bt_exec.journal import Journal
from bt_exec.journal import write as writing
from bt_exec.journal.events_to_rows import STATEMENTS
from bt_exec.journal.schema import _restrict
from bt_exec.journal.unwritten_row_files import write_side_file
from tests.bt_exec.journal.conftest import events_of

START = SkillStarting(1.0, 3, "a", "grasp", {"arm": "right"}, 1)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _with_evidence(size: int) -> list[Event]:
    failure = Failure("SLIPPED", "lost", "a", evidence={"points": "x" * size, "angle": 0.5})
    return [
        START,
        SkillEnded(2.0, 9, "a", "grasp", 1, "failed", 1.0, failure=failure),
        NodeChanged(2.0, 9, "a", "failed", "SLIPPED", failure),
    ]


def test_large_evidence_is_shortened_and_reported(journal: Journal) -> None:
    told: list[str] = []
    with journal.begin(command="x", tell=told.append) as recorder:
        for event in _with_evidence(5_000_000):
            recorder.on(event)
    mission = journal.mission("last")
    assert mission.unreadable == ()
    assert [type(event) for event in mission.events] == [SkillStarting, SkillEnded, NodeChanged]
    (failure,) = mission.failures
    assert failure.evidence["angle"] == 0.5
    assert failure.evidence["points"].endswith("… (5000000 characters)")
    said = f"2 events of {recorder.mission_id} were too large and were recorded in shortened form"
    assert (recorder.incomplete, told) == (said, [said])


@pytest.mark.slow
@pytest.mark.parametrize(
    "evidence",
    [
        ["x" * 100] * 100_000,
        {f"k{n}": "x" * 90 for n in range(100_000)},
        [[0.123456789] * 9] * 90_000,
    ],
    ids=["a list", "a mapping", "numbers"],
)
def test_event_with_large_evidence_stays_readable(
    journal: Journal, evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "PATIENCE_S", 60.0)  # shortening takes long on a busy machine
    with journal.begin(command="x", tell=lambda _: None) as recorder:
        recorder.on(Turn(0.0, 1, {"all": evidence, "n": 1}))
    ((turn,), problem) = journal.mission("last").events, recorder.incomplete
    assert isinstance(turn, Turn)
    assert turn.report["n"] == 1
    assert "too large" in problem


def test_complete_record_reports_no_gaps(journal: Journal) -> None:
    with journal.begin(command="x") as recorder:
        for event in events_of(recorder.mission_id):
            recorder.on(event)
    assert recorder.incomplete == ""


def _replace(path: Path) -> None:
    path.unlink()
    Journal.open(path).book(command="somebody else's")


def _move(path: Path) -> None:
    path.rename(path.with_name("moved.sqlite"))
    path.write_bytes(b"another file")


@pytest.mark.parametrize("harm", [Path.unlink, _move, _replace])
def test_journal_that_vanishes_is_reported_and_its_record_saved(journal: Journal, harm) -> None:
    journal.book(command="an earlier one")
    told: list[str] = []
    recorder = journal.begin(command="x", tell=told.append)
    events = events_of(recorder.mission_id)
    for event in events[:9]:
        recorder.on(event)
    assert recorder.flush()
    harm(journal.path)
    assert not recorder.flush()  # so that no further skill starts
    for event in events[9:]:
        recorder.on(event)
    recorder.close()
    assert not recorder.is_in_journal
    (saved,) = journal.path.parent.glob(f"*.{recorder.mission_id}.sqlite")
    assert recorder.incomplete.startswith(
        f"{journal.path} was removed or replaced while {recorder.mission_id} was running; "
        f"its record is in {saved}"
    )
    assert _mode(saved) == 0o600
    kept = Journal.open(saved)
    assert [line.command for line in kept.missions(None)] == ["x"]
    mission = kept.mission("last")
    assert mission.unreadable == ()
    missing = len(events) - len(mission.events)
    assert missing == 0 or f"{missing} rows of" in recorder.incomplete
    # another connection that opens the new journal empties the log
    assert missing == 0 or harm is _replace
    if harm is _replace:
        others = Journal.open(journal.path).missions(None)
        assert [line.command for line in others] == ["somebody else's"]


def test_journal_that_is_emptied_is_reported(journal: Journal) -> None:
    recorder = journal.begin(command="x", tell=lambda _: None)
    recorder.on(START)
    journal.path.write_bytes(b"")
    recorder.on(Turn(1.0, 4, {"n": 1}))
    recorder.close()
    assert "was removed or replaced" in recorder.incomplete


def _overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"x" * path.stat().st_size)


def _delete_rows(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("DELETE FROM events")
        other.commit()


def _delete_missions(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("DELETE FROM missions")
        other.commit()


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (_overwrite, "file is not a database|malformed"),
        (_delete_rows, "removed or replaced"),
        (_delete_missions, "removed or replaced"),
    ],
)
def test_rows_missing_from_the_journal_at_the_end_are_reported(
    journal: Journal, harm: Callable[[Path], None], why: str
) -> None:
    recorder = journal.begin(command="x", tell=lambda _: None)
    for event in events_of(recorder.mission_id):
        recorder.on(event)
    assert recorder.flush()
    harm(journal.path)
    recorder.close()
    assert re.search(r"^\d+ rows of .* could not be written", recorder.incomplete)
    assert re.search(why, recorder.incomplete)


def test_lost_row_count_includes_rows_written_before_the_damage(journal: Journal) -> None:
    recorder = journal.begin(command="x", tell=lambda _: None)
    events = events_of(recorder.mission_id)
    for event in events[:9]:
        recorder.on(event)
    assert recorder.flush()
    _overwrite(journal.path)
    Path(f"{journal.path}-wal").write_bytes(b"")
    for event in events[9:]:
        recorder.on(event)
    recorder.close()
    found = re.search(r"^(\d+) rows of .* could not be written.*; (\d+) saved", recorder.incomplete)
    assert found is not None
    lost, kept = map(int, found.groups())
    assert (lost > kept, lost) == (True, recorder._rows.count)


def test_files_of_a_journal_are_readable_only_by_their_owner(journal: Journal) -> None:
    with journal.begin(command="x", frames=True) as recorder:
        for event in events_of(recorder.mission_id):
            recorder.on(event)
        recorder.flush()
        modes = {file.name: _mode(file) for file in journal.path.parent.glob("journal.sqlite*")}
    assert modes == dict.fromkeys(
        ("journal.sqlite", "journal.sqlite-shm", "journal.sqlite-wal"), 0o600
    )
    assert _mode(journal.frames / recorder.mission_id) == 0o700


def test_journal_of_an_older_version_becomes_private_when_opened(journal: Journal) -> None:
    journal.path.chmod(0o644)
    Journal.open(journal.path)
    assert _mode(journal.path) == 0o600


def test_opening_a_journal_again_keeps_the_locks_of_this_process(journal: Journal) -> None:
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        journal.path.chmod(0o644)
        _restrict(journal.path)
        again = closing(sqlite3.connect(journal.path, timeout=0.0))
        with again as other, pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")


ROWS = [(STATEMENTS["spec"], ("digest", "yaml"))]


@pytest.mark.parametrize("name", ["{}.rows", "{}.part"])
def test_side_file_is_not_written_through_a_link(
    journal: Journal, tmp_path: Path, name: str
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    link = journal.path.parent / f"journal.sqlite.{name.format('m')}"
    link.symlink_to(victim)
    path = write_side_file(journal.path, "m", 1, ROWS)
    assert path is not None
    assert victim.read_text() == "mine"
    assert not path.is_symlink()
    assert _mode(path) == 0o600


def test_link_or_pipe_in_place_of_a_side_file_is_not_touched(
    journal: Journal, tmp_path: Path
) -> None:
    with journal.begin(command="x") as recorder:
        pass
    other = write_side_file(tmp_path / "other.sqlite", recorder.mission_id, 1, ROWS)
    assert other is not None
    (journal.path.parent / "journal.sqlite.a.rows").symlink_to(other)
    os.mkfifo(journal.path.parent / "journal.sqlite.b.rows")
    assert Journal.open(journal.path).waiting == ()
    assert other.exists()


def test_skill_start_is_synchronised_to_the_disk(journal: Journal, monkeypatch) -> None:
    """In the write-ahead log of SQLite a ``FULL`` commit also synchronises all earlier ones."""
    recorder = journal.begin(command="x")
    said: list[str] = []
    recorder._connection.set_trace_callback(said.append)
    recorder.on(Turn(0.0, 1, {}))
    recorder.flush()
    recorder.on(START)
    recorder.on(Turn(1.0, 4, {}))
    recorder.flush()
    recorder.close()
    steps = [text for text in said if text.startswith(("PRAGMA", "COMMIT"))]
    assert steps == [
        *("COMMIT", "PRAGMA synchronous = FULL", "COMMIT"),
        *("PRAGMA synchronous = NORMAL", "COMMIT"),
    ]


def test_missing_tables_are_listed_in_one_sentence(journal: Journal) -> None:
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        for name in ("plans", "facts"):
            connection.execute(f"DROP VIEW {name}")
        connection.execute("ALTER TABLE exchanges DROP COLUMN usage")
    with pytest.raises(UsageError) as found:
        Journal.open(journal.path)
    assert (
        "is damaged: the tables plans, facts are missing and the column exchanges.usage is missing."
    ) in str(found.value)
