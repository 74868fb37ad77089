"""Files in the user's cache folder: written whole or not at all, and limited in number.

They are a convenience only. What cannot be read or written there is computed anew.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import platformdirs

__all__ = ["cache_folder", "write_cache"]

_MOST_FILES = 8


def cache_folder(name: str) -> Path:
    """Return a folder of this program in the user's cache; it may be missing."""
    return Path(platformdirs.user_cache_path("bt-exec", appauthor=False)) / name


def write_cache(path: Path, data: bytes) -> None:
    """Write a file if possible, readable for its owner only; delete the oldest beside it."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
        files = sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for old in files[:-_MOST_FILES]:
            old.unlink(missing_ok=True)
