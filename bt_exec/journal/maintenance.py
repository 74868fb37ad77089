"""Maintenance of a journal: removal of old missions and integrity checks."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bt_exec.journal.mission_row import has_process_ended
from bt_exec.journal.schema import NOT_RESUMED

__all__ = ["Finding", "Pruned", "Retention", "check", "prune"]

_DAY_S = 86400.0
_UNUSED_PLANS = (
    "DELETE FROM specs WHERE digest NOT IN (SELECT json_extract(data, '$.spec') FROM events"
    " WHERE kind IN ('Planned', 'Rejected') AND json_valid(data)"
    " AND json_extract(data, '$.spec') IS NOT NULL)"
)
_MISSING_PLANS = (
    "SELECT m.id, e.seq FROM events e JOIN missions m ON m.no = e.mission"
    " WHERE e.kind IN ('Planned', 'Rejected') AND json_valid(e.data)"
    " AND json_extract(e.data, '$.spec') IS NOT NULL"
    " AND json_extract(e.data, '$.spec') NOT IN (SELECT digest FROM specs)"
)
_ORPHANS = {
    "events": (
        "SELECT COUNT(*) FROM events WHERE mission NOT IN (SELECT no FROM missions)",
        "DELETE FROM events WHERE mission NOT IN (SELECT no FROM missions)",
    ),
    "exchanges": (
        "SELECT COUNT(*) FROM exchanges WHERE mission NOT IN (SELECT no FROM missions)",
        "DELETE FROM exchanges WHERE mission NOT IN (SELECT no FROM missions)",
    ),
}
"""Statements by table that count and remove the rows without a mission."""


@dataclass(frozen=True)
class Retention:
    """Limits for keeping missions; None for no limit.

    Attributes:
        days: Maximum age [days]; missions that began earlier are removed.
        megabytes: Maximum size of the journal with its frames [MB]; the oldest missions are removed
            until the size is within the limit.
    """

    days: float | None = None
    megabytes: float | None = None


@dataclass(frozen=True)
class Pruned:
    """Missions that were removed, or would be removed without a dry run.

    Attributes:
        missions: Their identifiers, oldest first.
        freed_bytes: Approximate disk space of these missions [bytes].
    """

    missions: tuple[str, ...]
    freed_bytes: int


@dataclass(frozen=True)
class Finding:
    """Inconsistency in a journal.

    Attributes:
        kind: ``damaged``, ``orphan``, ``missing``, ``unfinished`` or ``unreadable``.
        what: The affected rows or files.
        repaired: Whether it was repaired.
    """

    kind: str
    what: str
    repaired: bool = False


def prune(
    connection: sqlite3.Connection,
    path: Path,
    frames: Path,
    retention: Retention,
    site: str,
    *,
    dry_run: bool,
) -> Pruned:
    """Remove missions beyond the retention limits; running ones are kept.

    Args:
        connection: The journal.
        path: File of the journal.
        frames: Folder of frames.
        retention: The limits.
        site: Only missions of this site; of all if empty.
        dry_run: Only return the missions that would be removed.
    """
    rows = connection.execute(
        "SELECT no, id, started_at, status, process, (SELECT COALESCE(SUM(LENGTH(data)), 0)"
        " + 60 * COUNT(*) FROM events WHERE mission = no) AS size FROM missions"
        " WHERE (:site = '' OR site = :site) ORDER BY no",
        {"site": site},
    ).fetchall()
    ended = [row for row in rows if row["status"] is not None or has_process_ended(row["process"])]
    sizes = {row["id"]: row["size"] + _size_of(frames / row["id"]) for row in ended}
    total = _size_of(frames) + (path.stat().st_size if path.exists() else 0)
    doomed = list(_missions_to_remove(ended, sizes, retention, total))
    if doomed and not dry_run:
        _remove(connection, frames, doomed)
    names = tuple(row["id"] for row in doomed)
    return Pruned(names, sum(sizes[name] for name in names))


def _missions_to_remove(
    rows: list[sqlite3.Row], sizes: dict[str, int], retention: Retention, total: int
) -> Iterator[sqlite3.Row]:
    """Yield the missions to remove, oldest first."""
    oldest = 0.0 if retention.days is None else time.time() - retention.days * _DAY_S
    limit = float("inf") if retention.megabytes is None else retention.megabytes * 1e6
    for row in rows:
        if row["started_at"] >= oldest and total <= limit:
            return
        total -= sizes[row["id"]]
        yield row


def _remove(connection: sqlite3.Connection, frames: Path, rows: list[sqlite3.Row]) -> None:
    numbers = [(row["no"],) for row in rows]
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("DELETE FROM events WHERE mission = ?", numbers)
    connection.executemany("DELETE FROM exchanges WHERE mission = ?", numbers)
    connection.executemany("DELETE FROM missions WHERE no = ?", numbers)
    connection.execute(_UNUSED_PLANS)
    connection.execute("DROP TABLE IF EXISTS search")  # new missions may reuse the row numbers
    connection.execute("COMMIT")
    connection.execute("VACUUM")
    for row in rows:
        shutil.rmtree(frames / row["id"], ignore_errors=True)


def _size_of(folder: Path) -> int:
    """Return the disk space that the files of a folder take [bytes]."""
    if not folder.is_dir() or folder.is_symlink():
        return 0
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def check(
    connection: sqlite3.Connection, path: Path, frames: Path, *, repair: bool
) -> tuple[Finding, ...]:
    """Return the inconsistencies of a journal.

    Args:
        connection: The journal.
        path: File of the journal.
        frames: Folder of frames.
        repair: Whether to remove orphans, and to complete the list entries of ended missions.
    """
    if said := _integrity_errors(connection):
        return (Finding("damaged", f"{path}: {said}"),)
    connection.execute("BEGIN IMMEDIATE" if repair else "BEGIN")
    found = (
        *_orphan_rows(connection, repair=repair),
        *_missing_plans(connection),
        *_unreadable(connection),
        *_unfinished(connection, repair=repair),
        *_orphan_frames(connection, frames, repair=repair),
    )
    connection.execute("COMMIT")
    return found


def _integrity_errors(connection: sqlite3.Connection) -> str:
    """Return the result of SQLite's integrity check; empty if the file is sound."""
    try:
        ((said,), *_) = connection.execute("PRAGMA integrity_check").fetchall()
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if said == "ok" else str(said)


def _orphan_rows(connection: sqlite3.Connection, *, repair: bool) -> Iterator[Finding]:
    for table, (count_them, remove_them) in _ORPHANS.items():
        (count,) = connection.execute(count_them).fetchone()
        if count:
            if repair:
                connection.execute(remove_them)
            yield Finding("orphan", f"{count} rows of {table} belong to no mission", repair)
    if repair and (removed := connection.execute(_UNUSED_PLANS).rowcount) > 0:
        yield Finding("orphan", f"{removed} plans belonged to no mission", True)


def _missing_plans(connection: sqlite3.Connection) -> Iterator[Finding]:
    for row in connection.execute(_MISSING_PLANS).fetchall():
        yield Finding("missing", f"plan of event {row['seq']} of mission {row['id']}")


def _unreadable(connection: sqlite3.Connection) -> Iterator[Finding]:
    rows = connection.execute(
        "SELECT m.id, COUNT(*) AS n FROM events e JOIN missions m ON m.no = e.mission"
        " WHERE NOT json_valid(e.data) OR e.t IS NULL GROUP BY m.no"
    )
    for row in rows.fetchall():
        yield Finding("unreadable", f"{row['n']} events of mission {row['id']}")
    rows = connection.execute(
        "SELECT id FROM missions WHERE NOT json_valid(settings) OR NOT json_valid(setup)"
        " OR (outcome IS NOT NULL AND NOT json_valid(outcome))"
    )
    for row in rows.fetchall():
        yield Finding("unreadable", f"list entry of mission {row['id']}")


def _unfinished(connection: sqlite3.Connection, *, repair: bool) -> Iterator[Finding]:
    """Yield findings about interrupted missions, and about ended ones that look unfinished.

    An interrupted mission that was resumed is not reported. A mission looks unfinished if its
    recorded end is missing in its row.
    """
    unended = (
        "SELECT no, id, process, (SELECT data FROM events WHERE mission = no"
        " AND kind = 'Finished' AND json_valid(data)) AS finished FROM missions"
        " WHERE status IS NULL"
    )
    open_ones = {row["no"] for row in connection.execute(f"{unended} AND {NOT_RESUMED}")}
    for row in connection.execute(unended).fetchall():
        if not has_process_ended(row["process"]):
            continue
        if row["finished"] is None:
            if row["no"] in open_ones:
                yield Finding("unfinished", f"mission {row['id']} was interrupted")
            continue
        if repair:
            end = json.loads(row["finished"])["outcome"]
            connection.execute(
                "UPDATE missions SET status = ?, reason_code = ?, message = ?, outcome = ?,"
                " ended_at = started_at + ? WHERE no = ?",
                (
                    *(end["status"], end["reason_code"], end["message"], json.dumps(end)),
                    *(end.get("wall_seconds", 0.0), row["no"]),
                ),
            )
        yield Finding("missing", f"end of mission {row['id']} in the list", repair)


def _orphan_frames(
    connection: sqlite3.Connection, frames: Path, *, repair: bool
) -> Iterator[Finding]:
    if not frames.is_dir():
        return
    known = {row["id"] for row in connection.execute("SELECT id FROM missions")}
    for folder in sorted(frames.iterdir()):
        if folder.is_dir() and not folder.is_symlink() and folder.name not in known:
            if repair:
                shutil.rmtree(folder, ignore_errors=True)
            yield Finding("orphan", f"{folder} belongs to no mission", repair)
