"""Side files for rows that could not be written to the journal yet.

If the database is locked or full when a mission ends, its rows go into ``journal.sqlite.ID.rows``,
or into the temporary folder if that disk is full as well. The next process that opens the journal
adds them to it and removes the file. Each line of a side file names a statement of
`bt_exec.journal.events_to_rows`, so that a forged file cannot run other SQL. In the temporary
folder the file name identifies the database, and files of other users are ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bt_exec.failure import UsageError
from bt_exec.journal.events_to_rows import STATEMENTS, Row
from bt_exec.journal.json_text import to_json
from bt_exec.journal.schema import connect

__all__ = ["add_side_files", "side_file_folders", "side_files", "write_side_file"]


def write_side_file(
    journal: Path, mission_id: str, number: int, rows: Sequence[Row]
) -> Path | None:
    """Write rows of a mission into a side file; return its path, or None if no folder accepts it.

    Args:
        journal: The database.
        mission_id: The mission's identifier.
        number: The mission's row.
        rows: The rows that the database did not accept, in order.
    """
    names = {statement: name for name, statement in STATEMENTS.items()}
    lines: list[object] = [[mission_id, number]]
    lines += [[names[statement], values] for statement, values in rows]
    text = "".join(to_json(line) + "\n" for line in lines)
    for part, prefix in _create_files(journal, ".part"):
        path = part.with_name(f"{prefix}{mission_id}.rows")
        try:
            part.write_text(text, encoding="utf-8")
            part.replace(path)
        except OSError:
            _remove(part)
        else:
            return path
    return None


def _create_files(journal: Path, suffix: str) -> Iterator[tuple[Path, str]]:
    """Yield a new empty file in each folder of `side_file_folders` that can be written.

    Its name is random and only its owner may access it, so that no planted link is followed.
    """
    for folder, prefix in side_file_folders(journal):
        try:
            file, name = tempfile.mkstemp(suffix, prefix, folder)
        except OSError:
            continue
        os.close(file)
        yield Path(name), prefix


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def side_files(journal: Path) -> tuple[Path, ...]:
    """Return the side files of a journal, oldest mission first."""
    found: list[Path] = []
    for folder, prefix in side_file_folders(journal):
        with contextlib.suppress(OSError):
            mine = (
                path
                for path in folder.iterdir()
                if path.name.startswith(prefix)
                and path.suffix == ".rows"
                and _is_regular_file_of_user(path)
            )
            found += sorted(mine)
    return tuple(found)


def side_file_folders(journal: Path) -> tuple[tuple[Path, str], ...]:
    """Return the possible folders of side files, with the prefix of the file names there."""
    where = hashlib.sha256(str(journal.resolve()).encode()).hexdigest()[:12]
    temporary = Path(tempfile.gettempdir())
    return (journal.parent, f"{journal.name}."), (temporary, f"{journal.name}.{where}.")


def _is_regular_file_of_user(path: Path) -> bool:
    """Return True if a path is a plain file of this user; a shared folder may contain others."""
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and _is_own(found)


def _is_own(found: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or found.st_uid == os.getuid()


def _read_side_file(path: Path) -> str:
    """Return the text of a side file without following a link.

    Raises:
        OSError: If it cannot be read, is a link or belongs to another user.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), encoding="utf-8") as opened:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode) or not _is_own(found):
            raise PermissionError(f"{path} belongs to another user")
        return opened.read()


def add_side_files(journal: Path) -> tuple[str, ...]:
    """Add the side files of a journal to it, each completely or not at all.

    Returns:
        A message for each file that had to be kept, for the operator.
    """
    return tuple(filter(None, (_add_side_file(journal, path) for path in side_files(journal))))


def _add_side_file(journal: Path, path: Path) -> str:
    """Add one side file to the journal and remove it; return a message if that fails."""
    try:
        (mission_id, number), *rows = _parse_side_file(path)
        with contextlib.closing(connect(journal)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            found = connection.execute("SELECT id FROM missions WHERE no = ?", (number,))
            if found.fetchone() != (mission_id,):
                why = f"the journal has no mission {mission_id}"
                return f"unsaved rows of the record are kept in {path}: {why}"
            for name, values in rows:
                connection.execute(STATEMENTS[name], values)
            connection.execute("COMMIT")
        path.unlink()
    except FileNotFoundError:
        return ""  # another process has added the file
    except (OSError, sqlite3.Error, UsageError, OverflowError) as error:
        return f"unsaved rows of the record are kept in {path}: {error}"
    return ""


def _parse_side_file(path: Path) -> list[tuple[str, Any]]:
    """Return the mission and the rows of a side file.

    Raises:
        UsageError: If it is not a side file.
    """
    try:
        pairs = [json.loads(line) for line in _read_side_file(path).splitlines()]
        lines = [(str(name), values) for name, values in pairs]
    except (ValueError, TypeError) as error:
        raise UsageError("it contains no journal rows") from error
    values = [isinstance(row, list) for _, row in lines[1:]]
    if not lines or not all(values) or any(name not in STATEMENTS for name, _ in lines[1:]):
        raise UsageError("it contains no journal rows")
    return lines


class SavedMission(NamedTuple):
    """A separate journal with the record of one mission.

    Attributes:
        path: The file.
        events: Number of its events and exchanges.
    """

    path: Path
    events: int


def save_mission(
    connection: sqlite3.Connection,
    journal: Path,
    mission_id: str,
    number: int,
    rows: Sequence[Row],
) -> SavedMission | None:
    """Save the record of one mission as a separate journal; return it, or None on failure.

    Args:
        connection: Connection to a journal whose file was moved or deleted.
        journal: Former path of the journal.
        mission_id: The mission's identifier.
        number: The mission's row.
        rows: Further rows of the mission.
    """
    for path, _ in _create_files(journal, f".{mission_id}.sqlite"):
        try:
            connection.execute("VACUUM INTO ?", (str(path),))
            with contextlib.closing(connect(path)) as copy:
                copy.execute("DELETE FROM events WHERE mission != ?", (number,))
                copy.execute("DELETE FROM exchanges WHERE mission != ?", (number,))
                copy.execute("DELETE FROM missions WHERE no != ?", (number,))
                for statement, values in rows:
                    copy.execute(statement, values)
                copy.execute("VACUUM")
                count = "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM exchanges)"
                (events,) = copy.execute(count).fetchone()
        except sqlite3.Error:
            _remove(path)
        else:
            return SavedMission(path, events)
    return None
