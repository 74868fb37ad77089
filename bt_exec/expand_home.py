"""Expansion of ``~`` in user-supplied paths."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["expand_home"]


def expand_home(path: str | Path) -> Path:
    """Return a path whose ``~`` is the home of a user; that of a user who is not known stays."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser raises for unknown users
