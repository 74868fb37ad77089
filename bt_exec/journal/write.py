"""Record of one running mission, written in the background.

The loop only appends to a list in memory. A thread converts the collected events to rows and
commits them ten times a second, and as soon as a skill ends. Two events make the loop wait for that
thread: `SkillStarting`, so that a motion is on record before it starts, and `Finished`. These two
are committed with ``synchronous=FULL``, which syncs them and all earlier rows to the disk. Other
rows (``synchronous=NORMAL``) survive the death of the process, but after a power cut those since
the last sync may be missing.

A journal that cannot be written never ends a mission. The error is reported once, rows are kept in
memory and retried, and `Recorder.problem` gives the current state. If the journal is removed or
replaced while a mission runs, its record is saved next to it when the mission is closed.
"""

from __future__ import annotations

import _thread
import contextlib
import itertools
import sqlite3
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TypeAlias

from bt_exec.events import Event, Finished, SkillEnded, SkillStarting
from bt_exec.journal.events_to_rows import ModelExchange, Row, Rows
from bt_exec.journal.png_frames import FrameStore
from bt_exec.journal.schema import connect
from bt_exec.journal.unwritten_row_files import save_mission, write_side_file
from bt_exec.language.messages import executive_sentence

__all__ = ["Recorder", "print_to_stderr"]

PERIOD_S = 0.1  # time between commits [s]
PATIENCE_S = 2.0  # time limit of `on` for a commit [s]
RETRY_S = 1.0  # time between attempts while the journal cannot be written [s]
PENDING = 100_000  # maximum number of unwritten rows kept in memory; further ones are lost


_TRANSIENT_ERRORS = (sqlite3.OperationalError, sqlite3.DatabaseError)
"""Errors that may be temporary: they concern the file (full, locked, damaged), not a row."""


class _Flag:
    """Flag that a thread can wait for.

    Its methods allocate no memory. A `threading.Event` may stay locked when memory is short.

    Attributes:
        lost: Whether rows were lost in the write after which it was set.
    """

    def __init__(self) -> None:
        self.lost = False
        self._lock = _thread.allocate_lock()
        self._lock.acquire()

    def is_set(self) -> bool:
        """Return True if the flag is set."""
        return not self._lock.locked()

    def set(self) -> None:
        """Set the flag, so that `wait` returns."""
        try:
            self._lock.release()
        except RuntimeError:  # already set
            return

    def clear(self) -> None:
        """Clear the flag, so that `wait` blocks again."""
        self._lock.acquire(blocking=False)

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds` [s] for the flag; return whether it is set."""
        if not self._lock.acquire(timeout=seconds):
            return False
        self.set()
        return True


def print_to_stderr(message: str) -> None:
    """Print a message about the journal to stderr."""
    print(f"journal: {message}", file=sys.stderr)


_NEVER = _Flag()

_Item: TypeAlias = Event | ModelExchange | _Flag
_COUNT = (
    "SELECT (SELECT count(*) FROM events WHERE mission = no)"
    " + (SELECT count(*) FROM exchanges WHERE mission = no) FROM missions WHERE no = ?"
)


class Recorder:
    """Recorder of one mission; implements `bt_exec.events.Listener`. Made by `Journal.begin`.

    Use it as a context manager, or call `close`. Mappings inside events must not change after
    `on` was called with them.

    Args:
        path: The journal.
        number: The mission's row.
        mission_id: Identifier of the mission.
        language: Language of descriptions of observations and of error messages.
        frames: The folder for frames, or None to keep none.
        tell: Called with a message, on any thread: at the first error, and at the end if a part of
            the record is missing.

    Attributes:
        mission_id: Identifier of the mission, ``2026-11-20-0007``.
        path: The journal.
        problem: Reason why rows cannot be written at present; "" if they can.
        lost: Number of rows that will never be written.
        incomplete: Once closed, the missing parts and where they are, in the mission's language; ""
            if the record is complete.
    """

    def __init__(
        self,
        path: Path,
        number: int,
        mission_id: str,
        language: str,
        frames: Path | None,
        tell: Callable[[str], None] = print_to_stderr,
    ) -> None:
        self.mission_id = mission_id
        self.path = path
        self.problem = ""
        self.lost = 0
        self.incomplete = ""
        self._language = language
        self._number = number
        self._tell = tell
        self._last_problem = ""
        self._reported = False
        self._inbox: deque[_Item] = deque()
        self._pending: list[Row] = []
        self._tried_at = 0.0
        self._closing = False
        self._durable = False
        self._level = "NORMAL"
        self._moved = False
        self._wake = _Flag()
        self._flushed = _Flag()
        self._flushed.set()
        self._connection = connect(path)
        self._identity = _file_identity(path)
        self._frames = None if frames is None else FrameStore(frames, self._report_once, language)
        self._rows = Rows(number, language, self._frames)
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def on(self, event: Event) -> None:
        """Record `event`. Before a skill starts and at the end, return once it is on disk."""
        if self._closing:
            return
        must_be_on_disk = type(event) is SkillStarting or type(event) is Finished
        if must_be_on_disk:
            self._flushed = _NEVER  # not flushed, even if the following lines run out of memory
        self._inbox.append(event)
        if must_be_on_disk:
            self.flush()
        elif type(event) is SkillEnded:
            self._wake.set()

    def record_exchange(
        self, *, compiler: str, model: str, request: str, answer: str, usage: Mapping[str, float]
    ) -> None:
        """Record a model's raw answer with the digest of its request; callable on any thread."""
        if not self._closing:
            self._inbox.append(ModelExchange(compiler, model, request, answer, usage))

    def flush(self) -> bool:
        """Wait until all recorded events are committed; return whether they are.

        The call waits at most `PATIENCE_S`, which allows one attempt if the journal cannot be
        written.
        """
        if self._closing:
            return not self.problem
        self._flushed = done = _Flag()
        self._inbox.append(done)
        self._wake.set()
        if not done.wait(PATIENCE_S):
            self._store_problem(self.recording_error())
        return not self.recording_error()

    def recording_error(self) -> str:
        """Return the reason why events before the last `flush` are not on record, or "".

        `problem` does not suffice, because a late commit resets it.
        """
        if not self._flushed.is_set():
            return self.problem or f"nothing written within {PATIENCE_S:g} s"
        return self.problem or (self._last_problem if self._flushed.lost else "")

    @property
    def is_in_journal(self) -> bool:
        """Whether the record is in its journal file, which was not removed or replaced."""
        return not self._moved

    def close(self) -> None:
        """Write the remaining rows and close the file; no effect if already closed."""
        if self._closing:
            return
        self._closing = True
        self._wake.set()
        self._thread.join(5 * PATIENCE_S)
        if self._thread.is_alive():
            self.incomplete = self._sentence("RECORD_HANGS", path=self.path)
            self._tell(self.incomplete)
            return
        if self._frames is not None:
            self._frames.close()
            self._pending.append(self._rows.picture_count_row(self._frames))
        self._convert_events()  # the writer's thread may have ended early
        self._check_file()
        self._write()
        saved = self._save_record_of_moved_journal() if self._moved else ""
        self._connection.close()
        lost = self.lost + len(self._pending)
        lost = max(lost, 0 if self._moved else self._count_missing_rows())
        gaps = self._rows.gaps
        said = [
            saved,
            self._write_side_file(lost) if lost else "",
            self._sentence("RECORD_SHORTENED", count=gaps) if gaps else "",
        ]
        self.incomplete = "; ".join(filter(None, said))
        if self.incomplete:
            self._tell(self.incomplete)

    def _count_missing_rows(self) -> int:
        """Read the record back; return the number of rows that the journal lacks."""
        try:
            with contextlib.closing(connect(self.path)) as again:
                found = sum(int(n) for (n,) in again.execute(_COUNT, (self._number,)))
        except sqlite3.OperationalError:
            return 0  # the journal cannot be read now: too many open files, or a lock
        except sqlite3.DatabaseError as error:
            found, self._last_problem = 0, str(error)
        else:
            if not (self.lost or self._pending):
                self._last_problem = self._sentence("RECORD_NOT_THERE")
        return max(self._rows.count - found, 0)

    def _save_record_of_moved_journal(self) -> str:
        """Save the record of a journal whose file was moved or deleted; return a message."""
        mission = (self.mission_id, self._number)
        saved = save_mission(self._connection, self.path, *mission, self._pending)
        if saved is None:
            return self._sentence("RECORD_GONE", path=self.path)
        self._pending.clear()
        self.lost += max(self._rows.count - saved.events, 0)
        return self._sentence("RECORD_MOVED", path=self.path, file=saved.path)

    def _write_side_file(self, lost: int) -> str:
        """Write the remaining rows to a side file; return a message about it."""
        facts = {"lost": lost, "problem": self._last_problem}
        if not self._pending:
            return self._sentence("RECORD_LOST", **facts)
        path = write_side_file(self.path, self.mission_id, self._number, self._pending)
        if path is None:
            return self._sentence("RECORD_LOST_NOWHERE", **facts)
        return self._sentence("RECORD_KEPT_ASIDE", kept=len(self._pending), path=path, **facts)

    def _sentence(self, code: str, **facts: object) -> str:
        """Return a sentence about this record, in the mission's language."""
        return executive_sentence(code, self._language, mission=self.mission_id, **facts)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- on the writer's thread ------------------------------------------------------------------

    def _run(self) -> None:
        """Convert and write collected events until the mission is closed."""
        closing = False
        while not closing:
            try:
                self._wake.wait(PERIOD_S)
                self._wake.clear()
                closing = self._closing
                self._take_and_write()
            except BaseException as error:  # noqa: BLE001 - out of memory, or raised by a part in all threads
                self.problem = self._last_problem = type(error).__name__

    def _take_and_write(self) -> None:
        lost = self.lost
        waiting = self._convert_events()
        self._check_file()
        rested = time.monotonic() - self._tried_at > RETRY_S
        if not self.problem or waiting or rested or self._closing:
            self._write()
        for done in waiting:
            done.lost = self.lost > lost
            done.set()

    def _convert_events(self) -> list[_Flag]:
        """Convert collected events to pending rows; return the flags of waiting threads."""
        waiting = []
        for _ in range(len(self._inbox)):
            item = self._inbox[0]
            if isinstance(item, _Flag):
                waiting.append(item)
            elif len(self._pending) >= PENDING:
                self.lost += 1
            else:
                self._durable = self._durable or isinstance(item, SkillStarting | Finished)
                try:
                    self._pending += self._rows.encode(item)
                except BaseException as error:  # noqa: BLE001 - the thread must continue
                    self.lost += 1
                    self._store_problem(f"{type(error).__name__}: {error}")
            self._inbox.popleft()
        return waiting

    def _write(self) -> None:
        """Commit the pending rows, all or none; keep them on failure."""
        if self._moved:
            return  # rows written to a deleted file would be lost
        if not self._pending:
            self.problem = ""
            return
        self._tried_at = time.monotonic()
        try:
            self._commit(self._pending)
        except Exception as error:  # noqa: BLE001 - the thread must continue
            self._roll_back()
            if type(error) in _TRANSIENT_ERRORS:
                self._store_problem(str(error))
                return
            self._commit_singly()
            self._store_problem(f"{type(error).__name__}: {error}")
        else:
            self._pending.clear()
            self._durable = False
            self.problem = ""

    def _commit(self, rows: Sequence[Row]) -> None:
        level = "FULL" if self._durable else "NORMAL"
        if level != self._level:
            self._connection.execute(f"PRAGMA synchronous = {level}")
            self._level = level
        self._connection.execute("BEGIN IMMEDIATE")
        for statement, group in itertools.groupby(rows, key=lambda row: row[0]):
            self._connection.executemany(statement, [values for _, values in group])
        self._connection.execute("COMMIT")

    def _commit_singly(self) -> None:
        """Commit the pending rows that SQLite accepts, and count the others as lost."""
        pending, self._pending = self._pending, []
        for row in pending:
            try:
                self._commit([row])
            except Exception as error:  # noqa: BLE001 - a value that SQLite cannot store
                self._roll_back()
                if type(error) in _TRANSIENT_ERRORS and not self._connection.in_transaction:
                    self._pending.append(row)
                else:
                    self.lost += 1

    def _check_file(self) -> None:
        """Check that the journal is still the file that was opened; report a change once."""
        if not self._moved and _file_identity(self.path) != self._identity:
            self._moved = True
            self._store_problem(self._sentence("RECORD_NOT_THERE"))

    def _roll_back(self) -> None:
        """Roll back a failed transaction, unless SQLite has done so."""
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error as error:
                self._store_problem(str(error))

    def _store_problem(self, problem: str) -> None:
        """Store the current problem; report the first one."""
        self.problem = self._last_problem = problem
        self._report_once(self._sentence("RECORD_UNWRITABLE", path=self.path, problem=problem))

    def _report_once(self, message: str) -> None:
        """Report a message to the operator unless one was reported before in this mission."""
        if not self._reported:
            self._reported = True
            with contextlib.suppress(Exception):  # a closed stderr must not end the record
                self._tell(message)


def _file_identity(path: Path) -> tuple[int, int] | None:
    """Return the identity of the file at a path; None if it is missing or empty."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size else None
