"""Size-limited reading of user-supplied files. Devices and pipes are rejected."""

from __future__ import annotations

from pathlib import Path

__all__ = ["is_pipe_or_device", "read_at_most"]


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
    """Whether a path is there, but neither a file nor a folder: a pipe waits, a device never ends.

    Whoever names one means it; in a folder it is nothing to read.
    """
    return path.exists() and not path.is_file() and not path.is_dir()
