"""Folders that appear complete or not at all."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bt_exec.failure import UsageError

__all__ = ["new_folder"]


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a folder to write to, which gets its name when it is complete.

    The remains of an interrupted attempt are removed.

    Args:
        folder: The name; must be empty or not exist.

    Raises:
        UsageError: If the folder is in use, or cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty; name another folder with --out")
    part = folder.with_name(f".{folder.name}.part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(part.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"{folder} is being written by another process") from None
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        try:
            yield part
            if folder.exists():
                folder.rmdir()
            part.replace(folder)
        except OSError as error:
            message = f"{folder} cannot be written: {error.strerror or error}"
            raise UsageError(message) from error
        finally:
            shutil.rmtree(part, ignore_errors=True)
            part.with_suffix(".lock").unlink(missing_ok=True)
    finally:
        os.close(lock)
