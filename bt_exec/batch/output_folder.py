"""Output folders: locked by one writing process, or renamed into place when complete."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from bt_exec.batch.store import ResultStore
from bt_exec.failure import UsageError
from bt_exec.files import file_errors, write_text_atomically

__all__ = ["RunFolder", "atomic_new_folder"]


_LOCK = "run.lock"


def _lock_folder(folder: Path) -> Callable[[], None]:
    """Lock a folder; the system releases the lock when this process ends.

    Returns:
        A function that releases the lock.

    Raises:
        UsageError: If another process holds the lock; the message names that process.
        OSError: If the folder cannot be written.
    """
    file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        owner = os.read(file, 200).decode("utf-8", "replace").strip() or "another process"
        os.close(file)
        raise UsageError(
            f"{folder} is being written by {owner}; wait for it or end it, or name another folder "
            "with --out"
        ) from None
    since = datetime.now(UTC).isoformat(timespec="seconds")
    owner = f"process {os.getpid()} on {socket.gethostname()} since {since}\n"
    os.ftruncate(file, 0)
    os.write(file, owner.encode())
    return partial(os.close, file)


class RunFolder:
    """The folder of a run that can be resumed; a context manager while it is written.

    ::

        OUT/
            run.json      settings; a run is resumed only with the same settings
            run.lock      lock of the process that writes here, with its identity
            run.sqlite    items, results and amounts spent

    Args:
        folder: Path of the folder.

    Attributes:
        command: Command that creates such folders, for messages: ``bt-exec campaign``.
    """

    command: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._release: weakref.finalize[[], RunFolder] | None = None
        self._store: ResultStore | None = None

    @property
    def result_store(self) -> ResultStore:
        """The store of the run; `create_or_resume` opens it."""
        assert self._store is not None, "create_or_resume was not called"
        return self._store

    def create_or_resume(self, manifest: Mapping[str, Any], *, resume: bool) -> Self:
        """Create the folder, or resume the run in it; lock it until `close`.

        Raises:
            UsageError: If the folder contains another run, contains this run and `resume` is false,
                or is being written by another process.
        """
        file = self.folder / "run.json"
        if file.is_file():
            self._compare(manifest, resume=resume)
        elif self.folder.is_dir() and any(map(_is_foreign_file, self.folder.iterdir())):
            raise UsageError(f"{self.folder} is not empty; name another folder with --out")
        try:
            with file_errors(self.folder, "written"):
                self.folder.mkdir(parents=True, exist_ok=True)
                self._release = weakref.finalize(self, _lock_folder(self.folder))
                if not file.is_file():  # before the store: a folder with results has a manifest
                    write_text_atomically(file, json.dumps(manifest, ensure_ascii=False))
                self._store = ResultStore(self.folder / "run.sqlite")
        except UsageError:
            self.close()
            raise
        return self

    def _compare(self, manifest: Mapping[str, Any], *, resume: bool) -> None:
        before = self.run_settings()
        wanted = json.loads(json.dumps(manifest))
        changed = [key for key in wanted if before.get(key) != wanted[key]]
        if changed:
            raise UsageError(
                f"{self.folder} contains another run: {', '.join(changed)} differ; name another "
                "folder with --out"
            )
        if not resume:
            raise UsageError(f"{self.folder} contains this run already; continue it with --resume")

    def close(self) -> None:
        """Close the store and release the lock."""
        if self._store is not None:
            self._store.close()
        if self._release is not None:
            self._release()
        self._store = self._release = None

    def __enter__(self) -> Self:
        """Return the folder; `create_or_resume` must have been called before."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the store and release the lock."""
        self.close()

    def run_settings(self) -> dict[str, Any]:
        """Return the settings of the run.

        Raises:
            UsageError: If the folder contains no run.
        """
        try:
            data: dict[str, Any] = json.loads((self.folder / "run.json").read_text("utf-8"))
        except (OSError, ValueError):
            raise UsageError(f"{self.folder} contains no run of {self.command}") from None
        return data


def _is_foreign_file(path: Path) -> bool:
    """Return True if a file cannot be a leftover of an interrupted start of a run."""
    return path.suffix != ".part" and path.name != _LOCK


@contextmanager
def atomic_new_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder, which is renamed to `folder` when the context ends.

    The remains of an interrupted attempt are removed.

    Args:
        folder: Final path; must be an empty folder or not exist.

    Raises:
        UsageError: If the folder is in use, or cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty; name another folder with --out")
    part = folder.with_name(f".{folder.name}.part")
    with file_errors(folder, "written"):
        part.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(part.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"{folder} is being written by another process") from None
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        try:
            with file_errors(folder, "written"):
                yield part
                if folder.exists():
                    folder.rmdir()
                part.replace(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
            part.with_suffix(".lock").unlink(missing_ok=True)
    finally:
        os.close(lock)
