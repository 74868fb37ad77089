"""Reading and replacing files of the user as a whole."""

from __future__ import annotations

import os
from pathlib import Path

from bt_exec.failure import UsageError

__all__ = ["read_whole", "replace_file"]


def read_whole(path: Path) -> str:
    """Return the text of a file with its line ends as they are.

    Raises:
        SpecError: If it cannot be read.
    """
    from bt_exec.spec.source import scan_file

    scan_file(path)
    return path.read_bytes().decode("utf-8-sig")


def replace_file(path: Path, text: str) -> None:
    """Write a file whole or not at all; a link stays a link.

    Raises:
        UsageError: If it cannot be written.
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="")
        beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        why = (error.strerror or str(error)).lower()
        raise UsageError(f"{path}: cannot be written: {why}") from None
