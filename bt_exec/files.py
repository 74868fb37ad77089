"""User files: size-limited reading, atomic writing, expansion of ``~``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bt_exec.failure import UsageError

__all__ = [
    "atomic_replacement",
    "expand_home",
    "file_errors",
    "is_pipe_or_device",
    "read_at_most",
    "write_text_atomically",
    "write_user_file",
]


def expand_home(path: str | Path) -> Path:
    """Return a path with ``~`` or ``~user`` expanded; an unknown user name is left as it is."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser raises for unknown users


def read_at_most(path: Path, most: int) -> bytes | None:
    """Return the contents of a file, pipe or device; None if longer than `most` bytes.

    Raises:
        OSError: If it cannot be read.
        ValueError: If the path is malformed, for example because it contains a null byte.
    """
    with path.open("rb") as file:
        found = file.read(most + 1)
    return found if len(found) <= most else None


def is_pipe_or_device(path: Path) -> bool:
    """Return True if a path exists and is neither a file nor a folder.

    Reading a pipe may block and a device may never end, so folder searches skip them.
    """
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def atomic_replacement(path: Path) -> Iterator[Path]:
    """Yield a temporary path; the file written there atomically replaces `path` at the end.

    An interrupted write leaves `path` unchanged. A link stays a link, and the permissions of the
    old file are kept.
    """
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{os.urandom(8).hex()}.part")
    try:
        yield part
        if target.exists():
            part.chmod(target.stat().st_mode & 0o777)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def file_errors(what: object, verb: str) -> Iterator[None]:
    """Raise errors of the operating system as a UsageError: "FILE cannot be read: …".

    Args:
        what: The file or folder.
        verb: Past participle of the operation: "read" or "written".
    """
    try:
        yield
    except OSError as error:
        raise UsageError(f"{what} cannot be {verb}: {error.strerror or error}") from error


def write_text_atomically(path: Path, text: str) -> None:
    """Write a text file atomically and flush it to disk; line endings are kept.

    Raises:
        OSError: If it cannot be written.
    """
    with atomic_replacement(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def write_user_file(path: Path, text: str, *, folders: bool = False) -> None:
    """Write a text to a file that the user named; pipes and devices are written directly.

    Args:
        path: The file.
        text: New content.
        folders: Whether missing folders are created.

    Raises:
        UsageError: If it cannot be written.
    """
    try:
        if folders:
            path.parent.mkdir(parents=True, exist_ok=True)
        if is_pipe_or_device(path):
            path.write_text(text, encoding="utf-8")
        else:
            write_text_atomically(path, text)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        where = path.parent if isinstance(error, FileExistsError) else path
        raise UsageError(f"{where}: cannot be written: {why}") from None
