"""SQLite store of a run: its items, their results and the spent budget.

Every item has a key made from its content, so that a changed or reordered list of items can be
compared with earlier results. A transaction is on disk when it returns: a killed run loses only the
tasks in progress.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError

__all__ = ["Changes", "ResultStore"]

_TABLES = (
    "CREATE TABLE IF NOT EXISTS items (place INTEGER PRIMARY KEY, key TEXT, item TEXT)",
    "CREATE UNIQUE INDEX IF NOT EXISTS item_keys ON items (key)",
    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, item TEXT, line TEXT)",
    "CREATE INDEX IF NOT EXISTS answered_items ON answers (item)",
    "CREATE TABLE IF NOT EXISTS spent (kind TEXT PRIMARY KEY, amount REAL)",
)
_CHUNK = 1000  # rows per transaction


@dataclass(frozen=True, slots=True)
class Changes:
    """Comparison of the items of a run with the existing results.

    Attributes:
        total: Number of items.
        kept: Number of items that already have a result.
        new: Number of items without a result.
        changed: Number of new items with an earlier result for other content.
        gone: Number of results whose item was removed.
    """

    total: int = 0
    kept: int = 0
    new: int = 0
    changed: int = 0
    gone: int = 0


class ResultStore:
    """Thread-safe store of the items, the results and the spent budget of one run.

    Args:
        path: The SQLite file; created if it does not exist.

    Raises:
        UsageError: If the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        with self._named_errors():
            self._connection = sqlite3.connect(path, timeout=30, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            with self._connection:
                for statement in _TABLES:
                    self._connection.execute(statement)

    def replace_items(self, items: Iterable[tuple[str, str]]) -> Changes:
        """Replace the list of items, and return its differences from the existing results.

        Args:
            items: Key and identifier of every item, in order.
        """
        rows = enumerate(items)
        with self._lock, self._named_errors(), self._connection as connection:
            connection.execute("DELETE FROM items")
            while chunk := [(place, key, item) for place, (key, item) in islice(rows, _CHUNK)]:
                connection.executemany("INSERT OR IGNORE INTO items VALUES (?, ?, ?)", chunk)
            total = self._count("SELECT count(*) FROM items")
            kept = self._count("SELECT count(*) FROM items JOIN answers USING (key)")
            changed = self._count(
                "SELECT count(*) FROM items WHERE key NOT IN (SELECT key FROM answers) "
                "AND item IN (SELECT item FROM answers)"
            )
            gone = self._count(
                "SELECT count(*) FROM answers WHERE item NOT IN (SELECT item FROM items)"
            )
        return Changes(total, kept, total - kept, changed, gone)

    def keys(self) -> dict[str, str]:
        """Return the key of every item by its identifier."""
        with self._lock:
            return dict(self._connection.execute("SELECT item, key FROM items"))

    def unanswered_keys(self) -> set[str]:
        """Return the keys of the items that have no result."""
        statement = "SELECT key FROM items WHERE key NOT IN (SELECT key FROM answers)"
        with self._lock:
            return {key for (key,) in self._connection.execute(statement)}

    def put(self, lines: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Write pairs of key and result in one transaction.

        Each result contains the identifier of its item as ``item``.
        """
        rows = [
            (key, line["item"], json.dumps(line, ensure_ascii=False, separators=(",", ":")))
            for key, line in lines
        ]
        with self._lock, self._named_errors(), self._connection as connection:
            connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)

    def results_in_order(self) -> Iterator[dict[str, Any]]:
        """Yield the existing results, in the order of their items."""
        place = -1
        while True:
            with self._lock:
                rows = self._connection.execute(
                    "SELECT place, line FROM items JOIN answers USING (key) "
                    "WHERE place > ? ORDER BY place LIMIT ?",
                    (place, _CHUNK),
                ).fetchall()
            if not rows:
                return
            for _, line in rows:
                yield json.loads(line)
            place = rows[-1][0]

    def spent(self) -> dict[str, float]:
        """Return the amount spent, by kind."""
        with self._lock:
            return dict(self._connection.execute("SELECT kind, amount FROM spent"))

    def write_spent(self, spent: Mapping[str, float]) -> None:
        """Write the amounts spent, by kind, without waiting for the disk.

        The amounts survive a kill of the process at once, but a power failure only after the next
        result is written. Waiting for the disk here, too, would cost milliseconds per request.
        """
        statement = "INSERT OR REPLACE INTO spent (kind, amount) VALUES (?, ?)"
        with self._lock, self._named_errors():
            self._connection.execute("PRAGMA synchronous = NORMAL")
            with self._connection as connection:
                connection.executemany(statement, spent.items())
            self._connection.execute("PRAGMA synchronous = FULL")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _count(self, statement: str) -> int:
        return int(self._connection.execute(statement).fetchone()[0])

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise UsageError(f"{self.path} cannot be used: {error}") from error
