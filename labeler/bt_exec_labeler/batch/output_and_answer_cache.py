"""Output folder of a run, and the cache of answers.

::

    OUT/
        run.json            input and settings; a run is resumed only with the same ones
        run.lock            lock of the process that writes to the folder
        run.sqlite          moments, answers and amounts spent
        records.jsonl       records, in the order of the moments (written at the end)
        drops.jsonl         dropped moments, with all reasons (written at the end)
        provenance.jsonl    labeler and number of requests of each moment (written at the end)

The cache is a plain SQLite file, because existing packages for disk caches are unmaintained or
store pickles, which execute code when they are loaded.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from bt_exec.batch.output_folder import RunFolder
from bt_exec.failure import UsageError
from bt_exec.files import file_errors

__all__ = ["Cache", "Output", "default_cache", "read_lines"]


_FILES = ("records", "drops", "provenance")
_ABOUT = ("item", "role", "episode", "t", "mid_step_id")


class Output(RunFolder):
    """Output folder of ``bt-exec label run``. To write it, use it as a context manager.

    Args:
        folder: Path of the folder.
    """

    command = "bt-exec label run"

    def _compare(self, manifest: Mapping[str, Any], *, resume: bool) -> None:
        super()._compare(manifest, resume=resume)
        if (self.folder / "parts").is_dir():
            raise UsageError(
                f"{self.folder} was written by an earlier version; label again into another "
                "folder with --out: answers of models come from the cache"
            )

    def write_json_lines(self) -> None:
        """Write the JSON Lines files from the run's store."""
        made = {name: self.folder / f"{name}.jsonl.part" for name in _FILES}
        files = {name: path.open("w", encoding="utf-8") for name, path in made.items()}
        try:
            for line in self.result_store.results_in_order():
                about = {key: line[key] for key in _ABOUT}
                about["kind"] = line["kind"]
                about |= {"flaws": line["flaws"]} if line["flaws"] else {}
                kind = "records" if line["record"] is not None else "drops"
                body = {"record": line["record"]} if kind == "records" else {"why": line["why"]}
                files[kind].write(_json({**about, **body}) + "\n")
                files["provenance"].write(_json({**about, **line["provenance"]}) + "\n")
        finally:
            for file in files.values():
                file.close()
        for name, path in made.items():
            path.replace(self.folder / f"{name}.jsonl")

    def record_lines(self) -> list[dict[str, Any]]:
        """Return the lines of ``records.jsonl``.

        Raises:
            UsageError: If there is no run, or `write_json_lines` was not called.
        """
        self.run_settings()
        return list(read_lines(self.folder / "records.jsonl"))

    def dropped_lines(self) -> list[dict[str, Any]]:
        """Return the lines of ``drops.jsonl``.

        Raises:
            UsageError: If there is no run, or `write_json_lines` was not called.
        """
        self.run_settings()
        return list(read_lines(self.folder / "drops.jsonl"))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Return the objects of a JSON Lines file.

    Raises:
        UsageError: If a line cannot be read.
    """
    try:
        with file_errors(path, "read"), path.open(encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                try:
                    yield json.loads(text)
                except json.JSONDecodeError as error:
                    raise UsageError(f"{path}:{number} is not JSON: {error}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_TABLE = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, line TEXT NOT NULL)"


def default_cache() -> Path:
    """Return the default path of the cache file, in the user's cache folder."""
    return platformdirs.user_cache_path("bt-exec", appauthor=False) / "labels.sqlite"


class Cache:
    """Cache of answers by key. Several threads and processes may use the same file.

    Args:
        path: SQLite file; created if it does not exist.
        scope: Identifier of the labeler and its settings. Only answers of this scope are visible.

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
        """Return the cached answers by key; keys without an answer are left out."""
        marks = ",".join("?" * len(keys))
        statement = f"SELECT key, line FROM answers WHERE key IN ({marks})"  # noqa: S608 - only placeholders
        with self._lock:
            rows = self._connection.execute(
                statement, [self._scoped_key(key) for key in keys]
            ).fetchall()
        known = {full: json.loads(line) for full, line in rows}
        return {key: known[self._scoped_key(key)] for key in keys if self._scoped_key(key) in known}

    def put(self, lines: Mapping[str, Mapping[str, Any]]) -> None:
        """Store answers by key."""
        rows = [
            (self._scoped_key(key), json.dumps(line, ensure_ascii=False))
            for key, line in lines.items()
        ]
        with self._lock, self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)

    def _scoped_key(self, key: str) -> str:
        return f"{self.scope}/{key}"

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
