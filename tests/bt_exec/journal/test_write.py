"""Writer of the journal: batching, retries, limits and shutdown."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bt_exec.events import Finished, Progress, SkillEnded, SkillStarting, Turn
from bt_exec.journal import Journal
from bt_exec.journal import write as writing
from bt_exec.mission_outcome import Outcome

LOCKED = sqlite3.OperationalError("database is locked")


class Connection:
    """Connection that logs its statements and raises the configured errors."""

    def __init__(self, real: sqlite3.Connection) -> None:
        self.real = real
        self.log: list[str] = []
        self.errors: dict[str, Exception] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def execute(self, statement: str, *values: Any) -> Any:
        self._note(statement)
        return self.real.execute(statement, *values)

    def executemany(self, statement: str, rows: Any) -> Any:
        self._note("rows")
        return self.real.executemany(statement, rows)

    def _note(self, what: str) -> None:
        self.log.append(what)
        if what in self.errors:
            raise self.errors[what]


class Wall:
    """Clock that the test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class Wakes:
    """Replacement of the event that wakes the writer. Each wait runs one step of the script."""

    def __init__(self, *script: Callable[[], object]) -> None:
        self.script = iter(script)
        self.waited: list[float] = []

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        next(self.script)()

    def clear(self) -> None:
        """Do nothing."""

    set = clear


class ByHand:
    """Recorder whose writer is run by the test."""

    def __init__(self, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
        made: list[Connection] = []
        connect = writing.connect

        def noting(path: Any) -> Connection:
            made.append(Connection(connect(path)))
            return made[-1]

        class Resting(threading.Thread):
            def start(self) -> None:
                """Do nothing."""

            def join(self, timeout: float | None = None) -> None:
                """Do nothing."""
                waited.append(timeout)

        self.waited = waited = []  # type: list[float | None]
        self.told: list[str] = []
        self.wall = Wall()
        monkeypatch.setattr(writing, "connect", noting)
        monkeypatch.setattr(writing.threading, "Thread", Resting)
        monkeypatch.setattr(writing, "time", self.wall)
        self.recorder = journal.begin(command="x", tell=self.told.append)
        (self.connection,) = made
        self.connection.log.clear()

    def turns(self, *numbers: int) -> None:
        for number in numbers:
            self.recorder.on(Turn(0.0, number, {}))

    def run(self, *script: Callable[[], object]) -> list[float]:
        """Run the writer with this script and return its wait times [s]."""
        wakes = Wakes(*script)
        self.recorder._wake = wakes  # type: ignore[assignment]
        self.recorder._run()
        return wakes.waited

    def end(self) -> None:
        self.recorder._closing = True


@pytest.fixture
def by_hand(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> Iterator[ByHand]:
    on = ByHand(journal, monkeypatch)
    yield on
    on.connection.errors.clear()
    on.connection.real.close()


COMMITTED = ["BEGIN IMMEDIATE", "rows", "COMMIT"]


def test_gathered_rows_are_written_in_one_transaction(by_hand, journal):
    waited = by_hand.run(
        lambda: by_hand.turns(1, 2),
        lambda: None,  # no rows, no transaction
        lambda: by_hand.turns(3),
        by_hand.end,
    )
    assert waited == [0.1] * 4
    assert by_hand.connection.log == COMMITTED * 2
    assert [event.tick for event in journal.mission("last").events] == [1, 2, 3]


def test_waiting_rows_are_written_when_the_mission_ends(by_hand, journal):
    by_hand.run(lambda: (by_hand.turns(1), by_hand.end()))
    assert [event.tick for event in journal.mission("last").events] == [1]


def test_failed_transaction_is_rolled_back_and_the_journal_recovers(by_hand, journal):
    """Without a rollback no further transaction could begin."""

    def broken() -> None:
        by_hand.connection.errors["rows"] = sqlite3.OperationalError("disk I/O error")
        by_hand.turns(1)

    def well() -> None:
        by_hand.connection.errors.clear()
        by_hand.wall.now += 1.5
        by_hand.turns(2)

    by_hand.run(broken, well, by_hand.end)
    assert by_hand.connection.log == ["BEGIN IMMEDIATE", "rows", "ROLLBACK", *COMMITTED]
    assert [event.tick for event in journal.mission("last").events] == [1, 2]
    assert (by_hand.recorder.problem, by_hand.recorder.lost) == ("", 0)
    assert by_hand.told == [
        f"{journal.path} cannot be written (disk I/O error); no skill starts meanwhile"
    ]


def test_transaction_that_never_began_is_not_rolled_back(by_hand):
    def locked() -> None:
        by_hand.connection.errors["BEGIN IMMEDIATE"] = LOCKED
        by_hand.turns(1)

    by_hand.run(lambda: (locked(), by_hand.end()))
    assert by_hand.connection.log == ["BEGIN IMMEDIATE"]
    assert by_hand.recorder.problem == "database is locked"


def test_failed_rollback_is_reported(by_hand):
    def broken() -> None:
        by_hand.connection.errors["rows"] = ValueError("no such rows")
        by_hand.connection.errors["ROLLBACK"] = sqlite3.OperationalError("no room for the undo")
        by_hand.turns(1)

    by_hand.run(lambda: (broken(), by_hand.end()))
    (told,) = by_hand.told
    assert "(no room for the undo)" in told
    assert by_hand.recorder.problem == "ValueError: no such rows"
    assert by_hand.recorder.lost == 1


def test_failed_write_is_retried_once_a_second(by_hand):
    tried: list[float] = []

    def later(seconds: float) -> Callable[[], None]:
        def pass_time() -> None:
            tried.append(by_hand.connection.log.count("BEGIN IMMEDIATE"))
            by_hand.wall.now += seconds

        return pass_time

    by_hand.connection.errors["BEGIN IMMEDIATE"] = LOCKED
    by_hand.turns(1)
    by_hand.run(later(0), later(0.5), later(0.5), later(0.125), later(0.5), later(1), by_hand.end)
    # at 0 s; not at 0.5 or 1.0 s; at 1.125 s; not at 1.625 s; at 2.625 s; and at the end
    assert tried == [0, 1, 1, 1, 2, 2]
    assert by_hand.connection.log.count("BEGIN IMMEDIATE") == 4


def test_flush_retries_a_failed_write_at_once(by_hand):
    """A starting skill requests a flush and must be answered whether or not the write succeeds."""
    by_hand.connection.errors["BEGIN IMMEDIATE"] = LOCKED
    asked = [writing._Flag(), writing._Flag()]
    by_hand.turns(1)
    by_hand.run(
        lambda: by_hand.recorder._inbox.append(asked[0]),
        lambda: by_hand.recorder._inbox.append(asked[1]),
        by_hand.end,
    )
    assert by_hand.connection.log == ["BEGIN IMMEDIATE"] * 3
    assert all(event.is_set() for event in asked)


def test_rows_refused_permanently_are_lost_and_counted_once(by_hand, journal):
    def refused() -> None:
        by_hand.connection.errors["rows"] = sqlite3.IntegrityError("no")
        by_hand.turns(1, 2, 3)

    def well() -> None:
        by_hand.connection.errors.clear()
        by_hand.turns(4)

    by_hand.run(refused, lambda: None, well, by_hand.end)
    assert by_hand.recorder.lost == 3
    assert [event.tick for event in journal.mission("last").events] == [4]
    assert by_hand.recorder.problem == ""
    by_hand.recorder._closing = False
    by_hand.recorder.close()
    assert by_hand.told == [
        f"{journal.path} cannot be written (IntegrityError: no); no skill starts meanwhile",
        f"3 rows of {by_hand.recorder.mission_id} could not be written: IntegrityError: no",
    ]


def test_event_that_cannot_be_encoded_is_lost_and_the_others_are_kept(by_hand, journal):
    rows = by_hand.recorder._rows
    make = rows.encode

    def of(item: Any) -> Any:
        if getattr(item, "tick", 0) == 2:
            raise RecursionError("too deep")
        return make(item)

    rows.encode = of  # type: ignore[method-assign]
    by_hand.run(lambda: by_hand.turns(1, 2, 3), by_hand.end)
    assert [event.tick for event in journal.mission("last").events] == [1, 3]
    assert by_hand.recorder.lost == 1
    assert by_hand.told == [
        f"{journal.path} cannot be written (RecursionError: too deep); no skill starts meanwhile"
    ]


def test_pending_rows_are_limited_and_the_excess_counted(by_hand, journal, monkeypatch):
    monkeypatch.setattr(writing, "PENDING", 3)
    by_hand.connection.errors["BEGIN IMMEDIATE"] = LOCKED
    by_hand.run(lambda: by_hand.turns(1, 2, 3, 4, 5), by_hand.end)
    assert (by_hand.recorder.lost, len(by_hand.recorder._pending)) == (2, 3)
    by_hand.connection.errors.clear()
    by_hand.recorder._write()
    assert [event.tick for event in journal.mission("last").events] == [1, 2, 3]


def test_only_skill_starts_and_the_end_are_flushed(by_hand):
    flushed: list[int] = []
    by_hand.recorder.flush = lambda: flushed.append(len(by_hand.recorder._inbox)) or True
    by_hand.turns(1)
    by_hand.recorder.on(SkillStarting(0.0, 1, "a", "b", {}, 1))
    by_hand.recorder.on(Progress(0.0, 1, "a", 0.5, "moving"))
    by_hand.turns(2)
    end = Outcome(by_hand.recorder.mission_id, "x", "satisfied", "OK", "")
    by_hand.recorder.on(Finished(0.0, 2, end))
    assert flushed == [2, 5]
    assert len(by_hand.recorder._inbox) == 5


def test_hanging_writer_is_abandoned_and_reported(journal, monkeypatch):
    enough = threading.Event()
    told: list[str] = []
    connect = writing.connect

    class Hanging(Connection):
        def execute(self, statement: str, *values: Any) -> Any:
            assert enough.wait(60)
            return super().execute(statement, *values)

    monkeypatch.setattr(writing, "connect", lambda path: Hanging(connect(path)))
    monkeypatch.setattr(writing, "PATIENCE_S", 0.02)
    recorder = journal.begin(command="x", tell=told.append)
    recorder.on(SkillStarting(0.0, 1, "a", "b", {}, 1))
    assert recorder.problem == "nothing written within 0.02 s"
    recorder.close()
    enough.set()
    recorder._thread.join(60)
    recorder._connection.close()
    assert told == [
        f"{journal.path} cannot be written (nothing written within 0.02 s); "
        "no skill starts meanwhile",
        f"{journal.path} does not respond; the end of the record of {recorder.mission_id} "
        "may be missing",
    ]


def test_failing_report_function_does_not_end_the_recording(journal, monkeypatch):
    def closed(message: str) -> None:
        raise OSError("stderr is closed")

    with journal.begin(command="x", tell=closed) as recorder:
        recorder._store_problem("disk full")
        assert recorder.problem == "disk full"
        recorder.on(SkillStarting(0.0, 1, "a", "b", {}, 1))
        assert recorder.problem == ""
    assert len(journal.mission("last").events) == 1


def test_older_commit_that_ends_late_does_not_confirm_a_newer_flush(journal, monkeypatch):
    """A commit takes longer than the flush timeout. The rows before it are written in the end."""
    monkeypatch.setattr(writing, "PATIENCE_S", 0.01)
    recorder = journal.begin(command="go")
    begun, goes_on = threading.Event(), threading.Event()
    commit = recorder._commit

    def slow(rows: Any) -> None:
        begun.set()
        assert goes_on.wait(60)
        commit(rows)

    monkeypatch.setattr(recorder, "_commit", slow)
    recorder.on(Progress(0.0, 1, "a", None, "waiting"))
    recorder._wake.set()
    assert begun.wait(60)
    recorder.on(SkillStarting(0.0, 1, "a", "a", {}, 1))
    assert "nothing written within" in recorder.recording_error()
    recorder.problem = ""  # rows of the older commit
    assert "nothing written within" in recorder.recording_error()
    monkeypatch.setattr(writing, "PATIENCE_S", 60.0)
    goes_on.set()
    assert recorder._flushed.wait(60)
    assert recorder.recording_error() == ""
    recorder.close()


def test_flush_after_the_end_returns_the_final_result(journal):
    recorder = journal.begin(command="x")
    recorder.close()
    assert recorder.flush()
    recorder.problem = "disk full"
    assert not recorder.flush()


def test_problems_are_printed_to_stderr_by_default(capsys):
    writing.print_to_stderr("disk full")
    assert capsys.readouterr().err == "journal: disk full\n"


def test_writer_has_the_documented_time_limits(by_hand):
    """These numbers are documented. They determine what a power failure can lose."""
    found = (writing.PERIOD_S, writing.PATIENCE_S, writing.RETRY_S, writing.PENDING)
    assert found == (0.1, 2.0, 1.0, 100_000)


def test_flush_and_close_wake_the_writer(journal, monkeypatch):
    monkeypatch.setattr(writing, "PERIOD_S", 3600.0)
    told: list[str] = []
    with journal.begin(command="x", tell=told.append) as recorder:
        recorder.on(SkillStarting(0.0, 1, "a", "b", {}, 1))
        assert recorder.problem == ""
        recorder.on(Turn(0.0, 1, {}))
    assert (told, len(journal.mission("last").events)) == ([], 2)


def test_end_of_a_skill_wakes_the_writer_without_delaying_the_loop(journal, monkeypatch):
    event = SkillEnded(0.0, 1, "a", "b", 1, "done", 1.0)
    monkeypatch.setattr(writing, "PERIOD_S", 3600.0)
    with journal.begin(command="x") as recorder:
        recorder.flush = None  # not called
        recorder.on(event)
        deadline = time.monotonic() + 30
        while not (found := journal.mission("last").events) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert found == (event,)


def test_writer_runs_on_a_daemon_thread(journal):
    with journal.begin(command="x") as recorder:
        assert (recorder._thread.name, recorder._thread.daemon) == ("journal", True)


def test_rows_that_no_folder_can_store_are_reported(by_hand, monkeypatch):
    monkeypatch.setattr(writing, "write_side_file", lambda *args: None)
    by_hand.connection.errors["BEGIN IMMEDIATE"] = LOCKED
    by_hand.turns(1, 2)
    by_hand.run(by_hand.end)
    by_hand.recorder._closing = False
    by_hand.recorder.close()
    said = f"2 rows of {by_hand.recorder.mission_id} could not be written: database is locked"
    assert by_hand.told[-1] == f"{said}; they could not be saved to another file either"
    assert by_hand.recorder.incomplete == by_hand.told[-1]


def test_close_waits_five_times_the_patience_and_closes_the_file(by_hand, journal):
    recorder = by_hand.recorder
    recorder.close()
    assert by_hand.waited == [10.0]
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        recorder._connection.execute("SELECT 1")
    recorder.close()
    assert by_hand.waited == [10.0]


def test_new_record_has_no_losses(by_hand):
    recorder = by_hand.recorder
    assert (recorder.problem, recorder.lost, recorder.incomplete) == ("", 0, "")
    assert recorder.mission_id.endswith("-0001")


def test_rows_that_the_writer_has_not_taken_are_written_at_the_end(by_hand, journal):
    by_hand.turns(1, 2)
    by_hand.recorder.close()
    assert by_hand.recorder.incomplete == ""
    assert len(journal.mission("last").events) == 2


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, MemoryError])
def test_writer_continues_after_an_exception_raised_in_its_thread(by_hand, journal, error):
    def raised() -> None:
        raise error

    by_hand.turns(1)
    by_hand.run(raised, lambda: setattr(by_hand.recorder, "_closing", True))
    assert len(journal.mission("last").events) == 1
