"""Decoding of a mission's row, cell by cell, and identification of the process that runs it.

SQLite stores any value in any column, and a file can be damaged. An unreadable cell gets a neutral
value and is reported, so that it affects neither the other cells nor other missions. The identity
of the process shows whether an unfinished mission is still running.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from bt_exec.journal.event_row_codec import outcome_from_data
from bt_exec.journal.recorded_mission import DAMAGED, MissionSummary
from bt_exec.language.messages import LANGUAGES
from bt_exec.mission_outcome import EXIT_CODES, Outcome

__all__ = ["MissionRow", "has_process_ended", "process_identifier"]

_T = TypeVar("_T")
_NAME = re.compile(r"\d{4}-\d{2}-\d{2}-\d{4,}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class MissionRow:
    """One row of the table ``missions``.

    Args:
        row: The row, by column names.

    Attributes:
        damaged: Unreadable columns, each with the value found.
    """

    def __init__(self, row: sqlite3.Row) -> None:
        self._row = row
        self.damaged: list[str] = []

    @property
    def number(self) -> int:
        """Number of the row, assigned by SQLite."""
        return int(self._row["no"])

    def text(self, column: str) -> str:
        """Return a cell as text; empty for NULL."""
        value = self._row[column]
        if value is None or isinstance(value, str):
            return value or ""
        if isinstance(value, bytes):
            return self._note_unreadable(column, value.decode("utf-8", "replace"))
        return self._note_unreadable(column, str(value))

    def name(self) -> str:
        """Return the mission's identifier; a damaged one is rebuilt from its day and number."""
        name, day, number = self.text("id"), self.text("day"), self._row["number"]
        if _NAME.fullmatch(name) or not (isinstance(number, int) and _DAY.fullmatch(day)):
            return name
        return self._note_unreadable("id", f"{day}-{number:04d}")

    def mapping(self, column: str) -> Mapping[str, Any]:
        """Return a cell as a JSON object; empty if it is not one."""
        try:
            value = json.loads(self._row[column])
        except (TypeError, ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        return self._note_unreadable(column, dict[str, Any]())

    def count(self, column: str) -> int:
        """Return a cell as a count; 0 if it is not one."""
        value = self._row[column]
        return value if isinstance(value, int) and value >= 0 else self._note_unreadable(column, 0)

    def time(self, column: str) -> datetime | None:
        """Return a cell as a local time; None for NULL and for invalid values."""
        value = self._row[column]
        if value is None:
            return None
        try:
            return datetime.fromtimestamp(value).astimezone()
        except (TypeError, ValueError, OverflowError, OSError):
            return self._note_unreadable(column, None)

    def outcome(self) -> Outcome | None:
        """Return the outcome of the mission; None if it has not ended or the cell is unreadable."""
        text = self._row["outcome"]
        if text is None:
            return None
        try:
            found: Outcome = outcome_from_data(json.loads(text))
        except Exception:  # noqa: BLE001 - any error means that this cell is damaged
            return self._note_unreadable("outcome", None)
        return found

    def line(self, *, begun: bool, gone: bool) -> MissionSummary:
        """Return the row as a list entry.

        Args:
            begun: Whether any event of the mission is on record.
            gone: Whether the process that ran it has ended.
        """
        self.damaged.clear()
        outcome = self.outcome()
        seconds = None if outcome is None else outcome.sim_seconds
        language = self.text("language")
        if language not in LANGUAGES:
            language = self._note_unreadable("language", "en")
        return MissionSummary(
            id=self.name(),
            command=self.text("command"),
            language=language,
            site=self.text("site"),
            status=self._status(outcome),
            reason_code=self.text("reason_code"),
            message=self.text("message"),
            started_at=self.time("started_at") or self._day(),
            ended_at=self.time("ended_at"),
            seconds=seconds if seconds is not None and math.isfinite(seconds) else None,
            interrupted=self._row["status"] is None and gone,
            begun=begun,
            damaged=tuple(self.damaged),
            failure=None if outcome is None else outcome.decisive_failure,
            state={} if outcome is None else outcome.state,
            ages={} if outcome is None else outcome.ages,
        )

    def _status(self, outcome: Outcome | None) -> str:
        status = self._row["status"]
        if status is None:
            return "unfinished"
        if status in EXIT_CODES:
            return str(status)
        return self._note_unreadable("status", DAMAGED if outcome is None else outcome.status)

    def _day(self) -> datetime:
        """Return the day of the mission, used if its start time is unreadable."""
        found = _DAY.match(self.name()) or _DAY.match(self.text("day"))
        try:
            return datetime.fromisoformat(found[0] if found else "").astimezone()
        except (ValueError, OverflowError):
            return datetime.fromtimestamp(0, UTC).astimezone()

    def _note_unreadable(self, column: str, instead: _T) -> _T:
        words = f"{column}: {str(self._row[column])[:40]!r}"
        if words not in self.damaged:
            self.damaged.append(words)
        return instead


def process_identifier() -> str:
    """Return an identifier of this process: host, process number and start time.

    The start time (available on Linux) distinguishes processes that reuse the same number.
    """
    return f"{platform.node()} {os.getpid()} {_start_time_of(os.getpid())}"


def has_process_ended(process: str | None) -> bool:
    """Return True if a process has ended, given its `process_identifier`.

    A process on another host counts as running. None, in old records, counts as ended.
    """
    if process is None:
        return True
    host, _, rest = process.partition(" ")
    number, _, started = rest.partition(" ")
    if host != platform.node() or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False  # the process exists and belongs to another user
    return _start_time_of(int(number)) != started


def _start_time_of(number: int) -> str:
    """Return the start time of a process in ticks since boot; "" where it is not available.

    A zombie process, which has ended and waits for its parent, has no start time.
    """
    try:
        text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *fields = text.rpartition(")")[2].split()  # the process name may contain brackets
    return "" if state in ("Z", "X") else fields[18]  # field 22 of /proc/PID/stat
