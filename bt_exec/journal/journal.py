"""Journal: one SQLite file for all missions."""

from __future__ import annotations

import importlib.metadata
import json
import shlex
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple, Required, TypedDict, Unpack

import platformdirs

from bt_exec.events import Event, Finished
from bt_exec.failure import UnknownName, UsageError
from bt_exec.files import expand_home
from bt_exec.journal.event_row_codec import Specs
from bt_exec.journal.json_text import replace_surrogates, to_json
from bt_exec.journal.maintenance import Finding, Pruned, Retention, check, prune
from bt_exec.journal.mission_row import process_identifier
from bt_exec.journal.read import (
    decode_event,
    mission_summary,
    read_mission,
    read_rows,
    read_spec,
    read_summaries,
)
from bt_exec.journal.recorded_mission import EventRow, MissionRecord, MissionSummary
from bt_exec.journal.schema import NOT_RESUMED, connect, prepare
from bt_exec.journal.search import Wanted
from bt_exec.journal.unwritten_row_files import add_side_files
from bt_exec.journal.write import Recorder, print_to_stderr
from bt_exec.mission_outcome import FINISHED

__all__ = ["Booking", "Journal", "JournalTail", "default_path", "record_argument"]


def default_path() -> Path:
    """Return the default path of the journal, in the user's data folder."""
    return platformdirs.user_data_path("bt-exec", appauthor=False) / "journal.sqlite"


def record_argument(mission_id: str, path: str | Path | None = None) -> str:
    """Return command-line arguments that select a record: its number and, if needed, its journal.

    Args:
        mission_id: Identifier of the mission.
        path: Its journal; None if the command is typed at the prompt.
    """
    number = mission_id.rpartition("-")[2].lstrip("0") or "0"
    known = path is None or Path(path) == default_path()
    return number if known else f"{number} --journal {shlex.quote(str(path))}"


_SITES = (
    "WITH RECURSIVE found (site) AS (SELECT MIN(site) FROM missions UNION ALL"
    " SELECT (SELECT MIN(site) FROM missions WHERE site > found.site) FROM found"
    " WHERE found.site IS NOT NULL) SELECT site FROM found WHERE site IS NOT NULL"
)
"""Distinct sites, each found through the index; ``DISTINCT`` would read every mission."""

_STARTED = "EXISTS (SELECT 1 FROM events WHERE mission = no AND kind = 'SkillStarting')"
"""Condition that a skill was started in a mission."""
_STARTED_ONE = (
    "EXISTS (SELECT 1 FROM events WHERE mission = no AND kind = 'SkillStarting'"
    " AND json_valid(data) AND json_extract(data, '$.skill') IN"
    " (SELECT value FROM json_each(:skills)))"
)
"""Condition that one of the named skills was started in a mission."""
_PLANNED = (
    "EXISTS (SELECT 1 FROM events JOIN specs ON digest = json_extract(data, '$.spec')"
    " WHERE mission = no AND kind = 'Planned' AND json_valid(data) AND {skills})"
)
_PLANNED_ANY = _PLANNED.format(skills="yaml LIKE '% do: %'")
"""Condition that a plan of a mission contains a skill."""
_PLANNED_ONE = _PLANNED.format(
    skills="EXISTS (SELECT 1 FROM json_each(:skills) WHERE"
    " yaml LIKE '% do: ' || value || char(10) || '%')"
)
"""Condition that a plan of a mission contains one of the named skills."""
_STOPPED_UNPLANNED = (
    "((status IS NULL OR status = 'aborted')"
    " AND NOT EXISTS (SELECT 1 FROM events WHERE mission = no AND kind = 'Planned'))"
)
"""Condition that a mission was stopped or killed before it had a plan, or has none yet."""
_NOT_DONE_LATER = (
    "NOT EXISTS (SELECT 1 FROM missions AS later WHERE later.no > missions.no"
    " AND later.site = missions.site AND later.command = missions.command"
    " AND later.status = 'satisfied')"
)
"""Condition that no later mission carried out the command of a mission."""
_MOST_NUMBER = 1_000_000
"""Largest mission number that this program assigns; larger ones in a file are ignored."""


class MissionFacts(TypedDict, total=False):
    """Data about a mission at its start, for the journal.

    Attributes:
        command: The command as typed.
        language: ``en`` (default) or ``ko``: the language of the descriptions of observations.
        site: Name of the site.
        settings: The site's settings, plain data.
        seeds: The seeds of its worlds, by pack.
        setup: Further plain data for a replay; see `bt_exec.mission.recorded_setup`.
        session: Identifier of the session and its world; missions of one session share it.
        continues: Identifier of the mission that this one resumes.
    """

    command: Required[str]
    language: str
    site: str
    settings: Mapping[str, Any] | None
    seeds: Mapping[str, int] | None
    setup: Mapping[str, Any] | None
    session: str
    continues: str


class Booking(NamedTuple):
    """A mission that is listed in the journal before it begins.

    Attributes:
        row: Row in the journal.
        mission_id: Identifier, ``2026-11-20-0007``.
        language: ``en`` or ``ko``.
    """

    row: int
    mission_id: str
    language: str


class Journal:
    """The record of all missions. Several processes may use the same file concurrently.

    It keeps no file open; only its recorders do.

    Attributes:
        path: The file.
        frames: The folder of the frames, with a folder for each mission: ``journal-frames`` next to
            the file.
        waiting: Messages about rows that are still in side files; see
            `bt_exec.journal.unwritten_row_files`.

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
        """Open the journal at `path`, or the user's own; create it if it does not exist.

        Raises:
            UsageError: If it cannot be opened or written, or is not a journal of this version.
        """
        path = default_path() if path is None else expand_home(path).absolute()
        prepare(path)
        journal = cls(path)
        journal.waiting = add_side_files(path)
        return journal

    def begin(
        self,
        *,
        frames: bool = False,
        tell: Callable[[str], None] = print_to_stderr,
        **facts: Unpack[MissionFacts],
    ) -> Recorder:
        """Assign a mission its identifier and start its record; see `book` and `record`.

        Raises:
            UsageError: If the journal cannot be written.
        """
        return self.record(self.book(**facts), frames=frames, tell=tell)

    def book(self, **facts: Unpack[MissionFacts]) -> Booking:
        """Assign a mission its identifier and list it before it begins.

        Args:
            facts: Data about the mission; see `MissionFacts`.

        Raises:
            UsageError: If the journal cannot be written.
        """
        language = facts.get("language", "en")
        words = (
            replace_surrogates(facts["command"]),
            replace_surrogates(language),
            replace_surrogates(facts.get("site", "")),
        )
        data = (to_json(facts.get("settings") or {}), to_json(facts.get("seeds") or {}))
        session, continues = (
            replace_surrogates(facts.get("session", "")),
            replace_surrogates(facts.get("continues", "")),
        )
        origin = (session, continues, to_json(facts.get("setup") or {}))
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            now = time.time()
            day = datetime.fromtimestamp(now).strftime("%Y-%m-%d")
            number = _next_number(connection, day)
            mission_id = f"{day}-{number:04d}"
            added = connection.execute(
                "INSERT INTO missions (id, day, number, command, language, site, settings, seeds,"
                " program, started_at, process, session, continues, setup)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    mission_id,
                    day,
                    number,
                    *words,
                    *data,
                    _installed_version(),
                    now,
                    process_identifier(),
                    *origin,
                ),
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
        tell: Callable[[str], None] = print_to_stderr,
    ) -> Recorder:
        """Start the record of a booked mission, which begins now.

        Args:
            booking: The mission.
            frames: Whether to keep the frames of observations.
            tell: Called with a message if the record cannot be written, possibly on another thread:
                at the first error, and at the end if rows are missing.

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
    ) -> tuple[MissionSummary, ...]:
        """Return the newest missions, newest first.

        Args:
            limit: Maximum number; None for all.
            site: Only missions of this site.
            day: Only missions that began on this day.
        """
        return self.find(Wanted(site=site or "", day=day), limit)

    def find(self, wanted: Wanted, limit: int | None = None) -> tuple[MissionSummary, ...]:
        """Return the newest missions that meet the conditions `wanted`, newest first.

        Raises:
            UsageError: If the journal cannot be read.
        """
        with self._connected() as connection:
            return read_summaries(
                connection, limit, *wanted.sql_condition(connection), wanted.has_wanted_status
            )

    def sites(self) -> tuple[str, ...]:
        """Return the names of all sites with missions.

        Raises:
            UsageError: If the journal cannot be read.
        """
        with self._connected() as connection:
            rows = connection.execute(_SITES)
            return tuple(str(name) for (name,) in rows)

    def last_mission_with_action(self, site: str, skills: Iterable[str]) -> MissionSummary | None:
        """Return the newest mission of a site that started one of `skills`.

        Missions that still run do not count.

        Raises:
            UsageError: If the journal cannot be read.
        """
        return next(iter(self.missions_with_actions(site, skills, limit=1)), None)

    def missions_with_actions(
        self,
        site: str,
        skills: Iterable[str],
        *,
        day: date | None = None,
        without: str = "",
        limit: int | None = None,
    ) -> tuple[MissionSummary, ...]:
        """Return the missions of a site that started one of `skills`, newest first.

        Two kinds of missions are included although they started none of the skills: those that did
        not end well and whose plan contains one, and those that were stopped or killed before they
        had a plan. Missions that are still running are not included.

        Args:
            site: Name of the site.
            skills: Names of the skills.
            day: Only missions that began on this day.
            without: Identifier of a session whose missions do not count.
            limit: Maximum number; None for all.

        Raises:
            UsageError: If the journal cannot be read.
        """
        only = (
            f"site = :site AND (:day = '' OR day = :day) AND (:session = '' OR session != :session)"
            f" AND ({_STARTED_ONE} OR {_STOPPED_UNPLANNED}"
            f" OR ((status IS NULL OR status NOT IN {FINISHED}) AND {_PLANNED_ONE}))"
        )
        values = {
            "site": site,
            "day": "" if day is None else day.isoformat(),
            "session": without,
            "skills": json.dumps([*skills]),
        }
        with self._connected() as connection:
            return read_summaries(
                connection, limit, only, values, lambda line: line.begun and line.has_ended
            )

    def missions_of_day(self, site: str, day: date) -> tuple[MissionSummary, ...]:
        """Return the missions of a site that began on a day, newest first.

        Of a mission that was resumed, only the last part is included: it contains the result.

        Raises:
            UsageError: If the journal cannot be read.
        """
        only = f"site = :site AND day = :day AND {NOT_RESUMED}"
        with self._connected() as connection:
            return read_summaries(connection, None, only, {"site": site, "day": day.isoformat()})

    def running_elsewhere(self, site: str) -> MissionSummary | None:
        """Return the newest mission of a site that another process is running, or None.

        Raises:
            UsageError: If the journal cannot be read.
        """
        only = "site = :site AND status IS NULL AND process != :process"
        values = {"site": site, "process": process_identifier()}
        with self._connected() as connection:
            lines = read_summaries(connection, 50, only, values)
        return next((line for line in lines if line.shown_status == "running"), None)

    def last_unfinished(self, site: str, session: str = "") -> MissionSummary | None:
        """Return the newest mission of a site that was not finished and not resumed.

        A mission counts if it was interrupted or stopped before it had a plan, or if its plan has
        skills and it did not end well. It does not count if it still runs, or if a later mission
        carried out its command.

        Args:
            site: Name of the site.
            session: Only missions of this session; of all if empty.

        Raises:
            UsageError: If the journal cannot be read.
        """
        only = (
            f"site = :site AND (status IS NULL OR (status NOT IN {FINISHED} AND {_PLANNED_ANY})"
            f" OR {_STOPPED_UNPLANNED})"
            f" AND (:session = '' OR session = :session) AND {NOT_RESUMED}"
            f" AND {_NOT_DONE_LATER}"
        )
        with self._connected() as connection:
            lines = read_summaries(connection, 50, only, {"site": site, "session": session})
        return next((line for line in lines if line.begun and line.has_ended), None)

    def mission(self, which: str | int) -> MissionRecord:
        """Return the record of a mission.

        Args:
            which: ``last``; a number such as ``7``, for the newest mission whose identifier ends in
                ``-0007``; or the whole identifier.

        Raises:
            UnknownName: If there is no such mission.
            UsageError: If the journal cannot be read.
        """
        with self._connected() as connection:
            return read_mission(connection, which, self.frames)

    def predecessors(self, record: MissionRecord) -> Iterator[MissionRecord]:
        """Yield the missions that a mission continues, the latest first, up to a deleted one."""
        with suppress(UnknownName):
            while record.continues:
                record = self.mission(record.continues)
                yield record

    def mission_summary(self, mission_id: str) -> MissionSummary | None:
        """Return a mission as listed; None if it does not exist.

        Raises:
            UsageError: If the journal cannot be read.
        """
        with self._connected() as connection:
            lines = read_summaries(connection, 1, "id = :id", {"id": mission_id})
        return lines[0] if lines else None

    def rows(self, mission_id: str, *, after: int = 0, limit: int = 1000) -> tuple[EventRow, ...]:
        """Return the recorded events of a mission in order.

        Args:
            mission_id: Whole identifier; an unknown mission has no events.
            after: Only events with a larger `EventRow.seq`.
            limit: Maximum number.

        Raises:
            UsageError: If the journal cannot be read.
        """
        with self._connected() as connection:
            return read_rows(connection, mission_id, after, limit)

    def plan_text(self, digest: str) -> str:
        """Return the text of a plan by its digest.

        Raises:
            UnknownName: If there is no such plan.
            UsageError: If the journal cannot be read.
        """
        with self._connected() as connection:
            return read_spec(connection, digest)

    def prune(self, retention: Retention, *, site: str = "", dry_run: bool = False) -> Pruned:
        """Remove missions beyond the retention period or size; see `bt_exec.journal.maintenance`.

        Raises:
            UsageError: If the journal cannot be used.
        """
        with self._connected() as connection:
            return prune(connection, self.path, self.frames, retention, site, dry_run=dry_run)

    def check(self, *, repair: bool = False) -> tuple[Finding, ...]:
        """Return the inconsistencies of the journal; see `bt_exec.journal.maintenance`.

        Raises:
            UsageError: If the journal cannot be used.
        """
        with self._connected() as connection:
            found = check(connection, self.path, self.frames, repair=repair)
        return (*(Finding("orphan", text) for text in self.waiting), *found)

    def session_of(self, mission_id: str) -> tuple[str, ...]:
        """Return the identifiers of a mission and the earlier ones of its session, oldest first.

        Raises:
            UsageError: If the journal cannot be read.
        """
        with self._connected() as connection:
            found = connection.execute(
                "SELECT a.id FROM missions a JOIN missions b ON b.id = ? AND a.no <= b.no"
                " WHERE a.no = b.no OR (a.session = b.session AND a.session != '') ORDER BY a.no",
                (mission_id,),
            )
            return tuple(name for (name,) in found)

    def copy_missions_before(self, mission_id: str, other: Journal) -> None:
        """Copy the missions that preceded a mission's session to another journal.

        These are the last 50 missions of the site, or more if more missions began on the day of the
        mission, and the last mission that started a skill. Only list entries, plans and skill
        starts are copied.

        Raises:
            UsageError: If one of the journals cannot be used.
        """
        earlier = (
            "INSERT OR IGNORE INTO other.missions SELECT m.* FROM missions m,"
            " (SELECT site, session, day FROM missions WHERE id = ?) b"
            " WHERE m.site = b.site AND m.session != b.session"
            " AND m.ended_at < (SELECT MIN(started_at) FROM missions WHERE session = b.session)"
        )
        day = "(SELECT COUNT(*) FROM missions WHERE day = (SELECT day FROM missions WHERE id = ?))"
        with self._connected() as connection:
            connection.execute("ATTACH DATABASE ? AS other", (str(other.path),))
            connection.execute(
                f"{earlier} ORDER BY m.no DESC LIMIT max(50, {day})", (mission_id, mission_id)
            )
            connection.execute(
                f"{earlier} AND {_STARTED} ORDER BY m.no DESC LIMIT 1", (mission_id,)
            )
            connection.execute(
                "INSERT INTO other.events SELECT * FROM events"
                " WHERE kind IN ('SkillStarting', 'Planned')"
                " AND mission IN (SELECT no FROM other.missions)"
            )
            connection.execute(
                "INSERT OR IGNORE INTO other.specs SELECT * FROM specs WHERE digest IN"
                " (SELECT json_extract(data, '$.spec') FROM other.events WHERE kind = 'Planned'"
                " AND json_valid(data))"
            )

    def next_interrupted(self) -> MissionSummary | None:
        """Return the newest interrupted mission that was not returned before, or None.

        This call marks all interrupted missions as reported, also for other processes.

        Missions that were booked but had not begun do not count, because nothing moved in them.
        Missions that another mission resumed do not count either.

        Raises:
            UsageError: If the journal cannot be used.
        """
        with self._connected() as connection:
            unfinished = "SELECT * FROM missions WHERE status IS NULL AND told_at IS NULL"
            rows = connection.execute(f"{unfinished} AND {NOT_RESUMED} ORDER BY no DESC")
            found = [(row["no"], mission_summary(connection, row)) for row in rows.fetchall()]
            found = [(number, line) for number, line in found if line.interrupted]
            now = time.time()
            for number, _ in found:
                connection.execute("UPDATE missions SET told_at = ? WHERE no = ?", (now, number))
            return next((line for _, line in found if line.begun), None)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Provide a connection; errors of SQLite are raised as `UsageError`."""
        try:
            connection = connect(self.path, busy_s=5.0)
        except sqlite3.Error as error:
            raise UsageError(f"the journal {self.path} cannot be opened: {error}") from error
        try:
            connection.row_factory = sqlite3.Row
            connection.text_factory = _decoded
            yield connection
        except sqlite3.Error as error:
            raise UsageError(f"the journal {self.path} cannot be used: {error}") from error
        finally:
            connection.close()


def _next_number(connection: sqlite3.Connection, day: str) -> int:
    """Return the next free number of a day; unreadable numbers are ignored."""
    (newest,) = connection.execute(
        "SELECT MAX(number) FROM missions WHERE day = ? AND typeof(number) = 'integer'"
        " AND number BETWEEN 0 AND ?",
        (day, _MOST_NUMBER),
    ).fetchone()
    number: int = (newest or 0) + 1
    taken = "SELECT 1 FROM missions WHERE id = ? OR (day = ? AND number = ?)"
    while connection.execute(taken, (f"{day}-{number:04d}", day, number)).fetchone():
        number += 1
    return number


def _decoded(text: bytes) -> str:
    """Return a text of the journal decoded from UTF-8; invalid bytes are replaced."""
    return text.decode("utf-8", "replace")


def _installed_version() -> str:
    """Return the version of bt-exec, or "" when it is not installed."""
    try:
        return importlib.metadata.version("bt-exec")
    except importlib.metadata.PackageNotFoundError:
        return ""


class JournalTail:
    """Follower of a mission in the journal; implements `bt_exec.journal.read.Tail`.

    Args:
        journal: The journal; another process may write it.
        mission_id: The whole identifier of the mission.
    """

    def __init__(self, journal: Journal, mission_id: str) -> None:
        self.ended = ""
        self._journal = journal
        self._mission_id = mission_id
        self._after = 0
        self._specs = Specs(journal.plan_text)

    def read(self) -> list[Event]:
        """Return the events since the last call; unreadable rows are skipped."""
        gone = self._is_gone()
        found: list[Event] = []
        while rows := self._journal.rows(self._mission_id, after=self._after):
            for row in rows:
                event = decode_event(row, self._specs, self._journal.frames / self._mission_id)
                found += [] if event is None else [event]
            self._after = rows[-1].seq
        if any(isinstance(event, Finished) for event in found):
            self.ended = "ended"
        elif gone:
            self.ended = "interrupted"
        return found

    def _is_gone(self) -> bool:
        line = self._journal.mission_summary(self._mission_id)
        return line is None or line.interrupted
