"""Answer cache by content: the same clip, mid step and schema are requested once.

An own SQLite file: the disk caches on the package index are unmaintained, or store pickles, which
execute code when they are read.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from bt_exec.failure import UsageError

__all__ = ["Cache", "default_cache"]

_TABLE = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, line TEXT NOT NULL)"


def default_cache() -> Path:
    """Return the default file of the cache, in the user's cache folder."""
    return platformdirs.user_cache_path("bt-exec", appauthor=False) / "labels.sqlite"


class Cache:
    """Answers by key. Several threads and processes may use the same file.

    Args:
        path: SQLite file; created if it does not exist.
        scope: Labeler and settings of the answers. Other scopes are hidden.

    Raises:
        UsageError: If the file cannot be used.
    """

    def __init__(self, path: Path, scope: str = "") -> None:
        self.scope = scope
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=30, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            with self._connection:
                self._connection.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"the cache {path} cannot be used: {error}") from error

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the answers of some keys."""
        marks = ",".join("?" * len(keys))
        statement = f"SELECT key, line FROM answers WHERE key IN ({marks})"  # noqa: S608 - marks
        with self._lock:
            rows = self._connection.execute(statement, [self._full(key) for key in keys]).fetchall()
        known = {full: json.loads(line) for full, line in rows}
        return {key: known[self._full(key)] for key in keys if self._full(key) in known}

    def put(self, lines: Mapping[str, Mapping[str, Any]]) -> None:
        """Store answers by key."""
        rows = [
            (self._full(key), json.dumps(line, ensure_ascii=False)) for key, line in lines.items()
        ]
        with self._lock, self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)

    def _full(self, key: str) -> str:
        return f"{self.scope}/{key}"

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
