"""Search of missions: filters by site, status, day and command, and a full-text index.

The index is an FTS5 table of the journal: commands, sentences and codes of every mission. It is
created by the first search and updated before each one, so that recording stays fast. Words match
by prefix, ignoring case, so that Korean particles need no special handling.
"""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from bt_exec.journal.json_text import replace_surrogates
from bt_exec.journal.recorded_mission import MissionSummary

__all__ = ["OPEN", "STATUSES", "Wanted"]

OPEN = ("running", "waiting", "interrupted")
"""Statuses of missions without an end on record."""
_WELL = ("satisfied", "running", "waiting")
STATUSES = ("satisfied", "partial", "blocked", "failed", "refused", "aborted", *OPEN)

_TABLES = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5"
    " (command, sentences, codes, tokenize = 'unicode61')",
    "CREATE TABLE IF NOT EXISTS search_open (no INTEGER PRIMARY KEY)",
)
"""Statements that create the index and the table of indexed missions without an end."""

_NEW = (
    "SELECT no, command, status, reason_code, message, outcome FROM missions"
    " WHERE no > (SELECT COALESCE(MAX(rowid), 0) FROM search)"
    " OR no IN (SELECT no FROM search_open)"
)

_NOT_SATISFIED = (
    "SELECT no FROM missions WHERE status IS NULL"
    " UNION ALL SELECT no FROM missions WHERE status < 'satisfied'"
    " UNION ALL SELECT no FROM missions WHERE status > 'satisfied'"
)
"""Query of missions that were not satisfied, in parts that each use the index of statuses."""

_WITHOUT_INDEX = (
    "SELECT no FROM missions WHERE command LIKE :part ESCAPE '\\'"
    " OR message LIKE :part ESCAPE '\\' OR reason_code LIKE :part ESCAPE '\\'"
)
_BY_INDEX = (
    "SELECT rowid FROM search WHERE search MATCH :words"
    " UNION SELECT no FROM missions WHERE command LIKE :part ESCAPE '\\'"
)


@dataclass(frozen=True)
class Wanted:
    """Search conditions on missions; empty fields are ignored.

    Attributes:
        site: Name of the site.
        day: Day on which a mission began.
        status: One of `STATUSES`.
        failed: Only missions that were not satisfied, or were interrupted.
        command: Text that the command contains, ignoring case.
        text: Prefixes of words in the command, a sentence or a code; all must match.
        before: Identifier of a mission; only older missions match.
    """

    site: str = ""
    day: date | None = None
    status: str = ""
    failed: bool = False
    command: str = ""
    text: str = ""
    before: str = ""

    def sql_condition(self, connection: sqlite3.Connection) -> tuple[str, dict[str, Any]]:
        """Return an SQL condition on ``missions`` and its parameters.

        The condition does not distinguish the statuses of missions without a recorded end, because
        these depend on their processes; see `has_wanted_status`.
        """
        parts, values = ["TRUE"], dict[str, Any]()
        if self.site:
            # "+" makes SQLite use the index of days instead of the index of sites
            parts.append("site = :site" if self.day is None else "+site = :site")
            values["site"] = self.site
        if self.day is not None:
            parts.append("day = :day")
            values["day"] = self.day.isoformat()
        if self.status:
            parts.append("status IS NULL" if self.status in OPEN else "status = :status")
            values["status"] = self.status
        if self.failed:
            parts.append(f"no IN ({_NOT_SATISFIED})")
        if self.command:
            parts.append("no IN (SELECT no FROM missions WHERE command LIKE :command ESCAPE '\\')")
            values["command"] = _like_pattern(self.command)
        if self.before:
            parts.append("no < (SELECT no FROM missions WHERE id = :before)")
            values["before"] = self.before
        if self.text:
            parts.append(f"no IN ({_full_text_query(connection, self.text, values)})")
        return " AND ".join(parts), values

    def has_wanted_status(self, line: MissionSummary) -> bool:
        """Return True if a mission that satisfies the SQL condition also has the wanted status."""
        if self.failed and line.shown_status in _WELL:
            return False
        return self.status not in OPEN or line.shown_status == self.status


def _with_composed_hangul(text: str) -> str:
    """Return text with composed Hangul; some keyboards produce decomposed syllables."""
    return unicodedata.normalize("NFC", replace_surrogates(text))


def _like_pattern(text: str) -> str:
    """Return the LIKE pattern for texts that contain `text`."""
    for sign in "\\%_":
        text = text.replace(sign, f"\\{sign}")
    return f"%{_with_composed_hangul(text)}%"


def _full_text_query(connection: sqlite3.Connection, text: str, values: dict[str, Any]) -> str:
    """Return the SQL query for missions that contain all words of a text.

    Args:
        connection: The journal, whose index is updated.
        text: The words.
        values: Parameters of the query; parameters of this condition are added.
    """
    words = [word for word in _with_composed_hangul(text).split() if any(c.isalnum() for c in word)]
    values["words"] = " ".join('"{}"*'.format(word.replace('"', '""')) for word in words)
    values["part"] = _like_pattern(text)
    return _BY_INDEX if words and _update_index(connection) else _WITHOUT_INDEX


def _update_index(connection: sqlite3.Connection) -> bool:
    """Update the index; return False if SQLite was built without FTS5."""
    try:
        for table in _TABLES:
            connection.execute(table)
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        return False
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM search WHERE rowid IN (SELECT no FROM search_open)")
    rows = connection.execute(_NEW).fetchall()
    connection.execute("DELETE FROM search_open")
    connection.executemany(
        "INSERT INTO search (rowid, command, sentences, codes) VALUES (?, ?, ?, ?)",
        (
            (row["no"], _with_composed_hangul(str(row["command"])), *_searchable_texts(row))
            for row in rows
        ),
    )
    connection.executemany(
        "INSERT INTO search_open (no) VALUES (?)",
        ((row["no"],) for row in rows if row["status"] is None),
    )
    connection.execute("COMMIT")
    return True


def _searchable_texts(row: sqlite3.Row) -> tuple[str, str]:
    """Return the sentences and the codes of a mission; damaged data has none."""
    try:
        outcome = json.loads(row["outcome"] or "{}")
    except (TypeError, ValueError):
        outcome = {}
    found = list(_outcome_texts(outcome)) if isinstance(outcome, Mapping) else []
    sentences = [str(row["message"] or ""), *(text for key, text in found if key not in _CODES)]
    codes = [str(row["reason_code"] or ""), *(text for key, text in found if key in _CODES)]
    return _with_composed_hangul("\n".join(sentences)), "\n".join(dict.fromkeys(codes))


_CODES = ("code", "reason_code", "node", "status")
_READ = ("failures", "undone", "problems", "skipped", "message", "reason_code", "status")
_DEEP = 8


def _outcome_texts(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield pairs of key and displayed text of an outcome."""

    def texts_inside(key: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, list) and depth:
            for one in value:
                yield from texts_inside(key, one, depth - 1)
        elif isinstance(value, Mapping) and depth:
            for name, one in value.items():
                if name != "evidence":
                    yield from texts_inside(str(name), one, depth - 1)

    for key in _READ:
        if key in data:
            yield from texts_inside(key, data[key], _DEEP)
