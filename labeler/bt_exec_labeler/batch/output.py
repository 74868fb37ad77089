"""Output folder of a run: one writer at a time, complete at any time, joined at the end.

::

    OUT/
        run.json            what is labelled, and how: a run is resumed only with the same settings
        run.lock            the process that writes here
        run.sqlite          moments, answers and amounts spent
        records.jsonl       records, in the order of the moments (written at the end)
        drops.jsonl         what was dropped, with every reason (written at the end)
        provenance.jsonl    labeler and number of requests of each moment (written at the end)
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import weakref
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from bt_exec.failure import UsageError
from bt_exec_labeler.batch.store import MomentStore

__all__ = ["Output", "read_lines"]

_FILES = ("records", "drops", "provenance")
_ABOUT = ("item", "role", "episode", "t", "mid_step_id")


class Output:
    """The folder of a run; a context manager while it is written.

    Args:
        folder: Where it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._release: weakref.finalize[[int], Output] | None = None
        self._store: MomentStore | None = None

    @property
    def store(self) -> MomentStore:
        """The store of the run; `begin` opens it."""
        assert self._store is not None, "Output.begin was not called"
        return self._store

    def begin(self, manifest: Mapping[str, Any], *, resume: bool) -> Output:
        """Create the folder, or resume the run in it; own it until `close`.

        Raises:
            UsageError: If the folder holds another run, holds this run and `resume` is false, or
                is being written by another process.
        """
        file = self.folder / "run.json"
        if file.is_file():
            self._compare(manifest, resume=resume)
        elif self.folder.is_dir() and any(map(_is_foreign, self.folder.iterdir())):
            raise UsageError(f"{self.folder} is not empty; name another folder with --out")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._own()
            if not file.is_file():  # first: a folder with answers always says whose they are
                _write(file, json.dumps(manifest, ensure_ascii=False))
            self._store = MomentStore(self.folder / "run.sqlite")
        except OSError as error:
            self.close()
            raise UsageError(f"{self.folder} cannot be written: {error.strerror}") from error
        except UsageError:
            self.close()
            raise
        return self

    def _compare(self, manifest: Mapping[str, Any], *, resume: bool) -> None:
        before = self.manifest()
        wanted = json.loads(json.dumps(manifest))
        changed = [key for key in wanted if before.get(key) != wanted[key]]
        if changed:
            raise UsageError(
                f"{self.folder} holds another run: {', '.join(changed)} differ; name another "
                "folder with --out"
            )
        if (self.folder / "parts").is_dir():
            raise UsageError(
                f"{self.folder} was written by an earlier version; label again into another "
                "folder with --out: answers of models come from the cache"
            )
        if not resume:
            raise UsageError(f"{self.folder} holds this run already; go on with it: --resume")

    def _own(self) -> None:
        """Take the lock of the folder; the system releases it when this process ends."""
        path = self.folder / "run.lock"
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.read(file, 200).decode("utf-8", "replace").strip() or "another process"
            os.close(file)
            raise UsageError(
                f"{self.folder} is being written by {owner}; wait for it or end it, or name "
                "another folder with --out"
            ) from None
        since = datetime.now(UTC).isoformat(timespec="seconds")
        owner = f"process {os.getpid()} on {socket.gethostname()} since {since}\n"
        os.ftruncate(file, 0)
        os.write(file, owner.encode())
        self._release = weakref.finalize(self, os.close, file)

    def close(self) -> None:
        """Close the store and release the lock."""
        if self._store is not None:
            self._store.close()
        if self._release is not None:
            self._release()
        self._store = self._release = None

    def __enter__(self) -> Output:
        """Return the folder; `begin` was called."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def manifest(self) -> dict[str, Any]:
        """Return what is labelled here, and how.

        Raises:
            UsageError: If there is no run.
        """
        try:
            data: dict[str, Any] = json.loads((self.folder / "run.json").read_text("utf-8"))
        except (OSError, ValueError):
            raise UsageError(f"{self.folder} holds no run of bt-exec label run") from None
        return data

    def join(self) -> None:
        """Write the files that people and tools read, from the store."""
        made = {name: self.folder / f"{name}.jsonl.part" for name in _FILES}
        files = {name: path.open("w", encoding="utf-8") for name, path in made.items()}
        try:
            for line in self.store.lines():
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

    def records(self) -> list[dict[str, Any]]:
        """Return the records of a joined run.

        Raises:
            UsageError: If there is no run, or it was not joined.
        """
        self.manifest()
        return list(read_lines(self.folder / "records.jsonl"))

    def drops(self) -> list[dict[str, Any]]:
        """Return what a joined run dropped, each line with its reasons.

        Raises:
            UsageError: If there is no run, or it was not joined.
        """
        self.manifest()
        return list(read_lines(self.folder / "drops.jsonl"))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Return the objects of a JSON Lines file.

    Raises:
        UsageError: If a line cannot be read.
    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                try:
                    yield json.loads(text)
                except json.JSONDecodeError as error:
                    raise UsageError(f"{path}:{number} is not JSON: {error}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def _is_foreign(path: Path) -> bool:
    """Return True unless a run leaves such a file before its first one is complete."""
    return path.suffix != ".part" and path.name != "run.lock"


def _write(path: Path, text: str) -> None:
    """Write a file so that it is complete, also after a crash, or absent."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
