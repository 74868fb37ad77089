"""User files: size-limited reading, atomic writing, expansion of ``~``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["expand_home", "is_pipe_or_device", "read_at_most", "whole"]


def expand_home(path: str | Path) -> Path:
    """Return a path with ``~`` or ``~user`` expanded; an unknown user name is left as it is."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser raises for unknown users


def read_at_most(path: Path, most: int) -> bytes | None:
    """Return the contents of a file, pipe or device; None if longer than `most` bytes.

    Raises:
        OSError: If it cannot be read.
        ValueError: If the path is malformed, such as one with a null byte.
    """
    with path.open("rb") as file:
        found = file.read(most + 1)
    return found if len(found) <= most else None


def is_pipe_or_device(path: Path) -> bool:
    """Return whether a path exists and is neither a file nor a folder.

    Reading a pipe may block and a device may never end, so folder searches skip them.
    """
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path; the file written there atomically replaces `path` at the end.

    An interrupted write leaves the old file, or none.
    """
    part = path.with_suffix(".part")
    yield part
    part.replace(path)
