"""Cache files in the user's cache folder, written atomically and limited in number.

If a cache file cannot be read or written, its content is computed again.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import platformdirs

__all__ = ["cache_folder", "write_cache"]

_MOST_FILES = 64


def cache_folder(name: str) -> Path:
    """Return the path of a named folder in this program's cache; it may not exist."""
    return Path(platformdirs.user_cache_path("bt-exec", appauthor=False)) / name


def write_cache(path: Path, data: bytes) -> None:
    """Write a cache file that only its owner can read, and delete old ones; ignore errors."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
        files = sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for old in files[:-_MOST_FILES]:
            old.unlink(missing_ok=True)
