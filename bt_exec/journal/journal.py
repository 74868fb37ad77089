"""The journal: one file for all missions."""

from __future__ import annotations

import importlib.metadata
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

from bt_exec.expand_home import expand_home
from bt_exec.failure import UsageError
from bt_exec.journal.plain import clean, to_json
from bt_exec.journal.process import this_process
from bt_exec.journal.read import read_lines, read_mission, read_rows
from bt_exec.journal.record import EventRow, MissionLine, MissionRecord
from bt_exec.journal.schema import connect, prepare
from bt_exec.journal.sentences import tell_stderr
from bt_exec.journal.side_file import absorb
from bt_exec.journal.write import Recorder

__all__ = ["Booking", "Journal", "default_path"]


def default_path() -> Path:
    """Return where the journal lies unless said otherwise: in the user's data folder."""
    return platformdirs.user_data_path("bt-exec", appauthor=False) / "journal.sqlite"


class Booking(NamedTuple):
    """A mission that has its name and its line on record, and has not begun.

    Attributes:
        row: Its row in the journal.
        mission_id: Its name, ``2026-11-20-0007``.
        language: ``en`` or ``ko``.
    """

    row: int
    mission_id: str
    language: str


class Journal:
    """The record of all missions. Any number of processes may use the same file at once.

    It holds nothing open; only the recorders it hands out do.

    Attributes:
        path: The file.
        frames: The folder of the frames, a folder a mission: ``journal-frames`` beside the file.
        waiting: What is said of rows that still wait in side files; `bt_exec.journal.side_file`.

    Example::

        journal = Journal.open(None)
        with journal.begin(command="open the door", site="sim") as recorder:
            mission = Mission(..., mission_id=recorder.mission_id, listeners=[recorder])
            mission.run()
        print(journal.mission("last").status)
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.frames = path.with_name(f"{path.stem}-frames")
        self.waiting: tuple[str, ...] = ()

    @classmethod
    def open(cls, path: Path | None = None) -> Journal:
        """Open the journal at `path`, or the user's own; make it if there is none.

        Raises:
            UsageError: If it cannot be opened or written, or is no journal of this version.
        """
        path = default_path() if path is None else expand_home(path).absolute()
        prepare(path)
        journal = cls(path)
        journal.waiting = absorb(path)
        return journal

    def begin(
        self,
        *,
        command: str,
        language: str = "en",
        site: str = "",
        settings: Mapping[str, Any] | None = None,
        seeds: Mapping[str, int] | None = None,
        frames: bool = False,
        tell: Callable[[str], None] = tell_stderr,
    ) -> Recorder:
        """Give a mission its name and start its record.

        Args:
            command: What the person typed.
            language: ``en`` or ``ko``: in which language observations describe themselves.
            site: Name of the site.
            settings: The site's settings, plain data.
            seeds: The seeds of its worlds, by pack.
            frames: Whether to keep the frames that are looked at.
            tell: Called at most twice if the record cannot be written: once when that is found
                and once at the end with what is missing. Possibly on another thread.

        Raises:
            UsageError: If the journal cannot be written.
        """
        booking = self.book(
            command=command, language=language, site=site, settings=settings, seeds=seeds
        )
        return self.record(booking, frames=frames, tell=tell)

    def book(
        self,
        *,
        command: str,
        language: str = "en",
        site: str = "",
        settings: Mapping[str, Any] | None = None,
        seeds: Mapping[str, int] | None = None,
    ) -> Booking:
        """Give a mission its name and its line on record, before it can begin; see `begin`.

        Raises:
            UsageError: If the journal cannot be written.
        """
        facts = (clean(command), clean(language), clean(site))
        data = (to_json(settings or {}), to_json(seeds or {}))
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            now = time.time()
            day = datetime.fromtimestamp(now).strftime("%Y-%m-%d")
            number: int = connection.execute(
                "SELECT COALESCE(MAX(number), 0) + 1 FROM missions WHERE day = ?", (day,)
            ).fetchone()[0]
            mission_id = f"{day}-{number:04d}"
            added = connection.execute(
                "INSERT INTO missions (id, day, number, command, language, site, settings, seeds,"
                " program, started_at, process) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (mission_id, day, number, *facts, *data, _program(), now, this_process()),
            )
            connection.execute("COMMIT")
            row = added.lastrowid
            assert row is not None
            return Booking(row, mission_id, language)

    def record(
        self,
        booking: Booking,
        *,
        frames: bool = False,
        tell: Callable[[str], None] = tell_stderr,
    ) -> Recorder:
        """Start the record of a mission that was booked; it begins now.

        Raises:
            UsageError: If the journal cannot be written.
        """
        with self._connected() as connection:
            connection.execute(
                "UPDATE missions SET started_at = ? WHERE no = ?", (time.time(), booking.row)
            )
            folder = self.frames / booking.mission_id if frames else None
            return Recorder(
                self.path, booking.row, booking.mission_id, booking.language, folder, tell
            )

    def missions(
        self, limit: int | None = 20, *, site: str | None = None, day: date | None = None
    ) -> tuple[MissionLine, ...]:
        """Return the newest missions, newest first.

        Args:
            limit: How many at most; None for all.
            site: Only those of this site.
            day: Only those that began on this day.
        """
        with self._connected() as connection:
            return read_lines(connection, limit, site, day)

    def mission(self, which: str | int) -> MissionRecord:
        """Return a mission.

        Args:
            which: ``last``; a number such as ``7``, for the newest mission whose name ends in
                ``-0007``; or the whole name.

        Raises:
            UnknownName: If there is no such mission.
            UsageError: If the journal cannot be read.
        """
        with self._connected() as connection:
            return read_mission(connection, which, self.frames)

    def line(self, mission_id: str) -> MissionLine | None:
        """Return a mission as it stands in a list; None if there is none of that name.

        Raises:
            UsageError: If the journal cannot be read.
        """
        with self._connected() as connection:
            lines = read_lines(connection, 1, None, None, mission_id=mission_id)
        return lines[0] if lines else None

    def rows(self, mission_id: str, *, after: int = 0, limit: int = 1000) -> tuple[EventRow, ...]:
        """Return events of a mission as they stand on record, in order.

        Args:
            mission_id: Its whole name; of one that is not there, there are no events.
            after: Only those with a larger `EventRow.seq`.
            limit: How many at most.

        Raises:
            UsageError: If the journal cannot be read.
        """
        with self._connected() as connection:
            return read_rows(connection, mission_id, after, limit)

    def interrupted(self) -> MissionLine | None:
        """Return the newest mission that was interrupted, the first time that this is asked.

        One that was only booked and had not begun is none: nothing moved for it.

        Raises:
            UsageError: If the journal cannot be used.
        """
        with self._connected() as connection:
            untold = "status IS NULL AND told_at IS NULL"
            rows = read_lines(connection, None, None, None, only=untold)
            found = [line for line in rows if line.interrupted]
            now = time.time()
            for line in found:
                connection.execute("UPDATE missions SET told_at = ? WHERE id = ?", (now, line.id))
            return next((line for line in found if line.begun), None)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; what SQLite has to say becomes the operator's."""
        try:
            connection = connect(self.path, busy_s=5.0)
        except sqlite3.Error as error:
            raise UsageError(f"the journal {self.path} cannot be opened: {error}") from error
        try:
            connection.row_factory = sqlite3.Row
            yield connection
        except sqlite3.Error as error:
            raise UsageError(f"the journal {self.path} cannot be used: {error}") from error
        finally:
            connection.close()


def _program() -> str:
    """Return the version of bt-exec, or "" when it is not installed."""
    try:
        return importlib.metadata.version("bt-exec")
    except importlib.metadata.PackageNotFoundError:
        return ""
