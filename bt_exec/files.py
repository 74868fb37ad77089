"""Files and paths of users: size-limited reading, complete writing, expansion of ``~``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["expand_home", "is_pipe_or_device", "read_at_most", "whole"]


def expand_home(path: str | Path) -> Path:
    """Return a path whose ``~`` is the home of a user; that of a user who is not known stays."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser raises for unknown users


def read_at_most(path: Path, most: int) -> bytes | None:
    """Return what a file, a pipe or a device holds; None if that is more than `most` bytes.

    Raises:
        OSError: If it cannot be read.
        ValueError: If the path cannot be one.
    """
    with path.open("rb") as file:
        found = file.read(most + 1)
    return found if len(found) <= most else None


def is_pipe_or_device(path: Path) -> bool:
    """Return whether a path is there, but neither a file nor a folder.

    A pipe waits and a device never ends. The author of a path that names one means it; in a folder
    it is nothing to read.
    """
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield where to write a file; it takes its place at once, when all of it is written.

    An interrupted write leaves the old file, or none.
    """
    part = path.with_suffix(".part")
    yield part
    part.replace(path)
