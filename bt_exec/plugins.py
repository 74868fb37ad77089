"""What installed packages register, found through entry-point groups.

One name, one owner: two packages that register the same name for different things are refused,
never "the last one wins".
"""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from bt_exec.failure import RegistrationError, UnknownName, UsageError
from bt_exec.slip import slip

__all__ = ["load_plugin", "plugin_names"]


def plugin_names(group: str, kind: str) -> tuple[str, ...]:
    """Return the names registered in `group`, sorted; `kind` is what messages call them.

    Raises:
        RegistrationError: If a name is registered twice for different things.
    """
    return tuple(sorted(_points(group, kind)))


def load_plugin(group: str, kind: str, name: str) -> Any:
    """Return what is registered in `group` under `name`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported.
        RegistrationError: If a name is registered twice for different things.
    """
    points = _points(group, kind)
    if name not in points:
        raise UnknownName(kind, name, points)
    try:
        return points[name].load()
    except Exception as error:  # third-party code may raise anything when it is imported
        where = points[name].value
        raise UsageError(f"{kind} {name!r} ({where}) cannot be imported: {slip(error)}") from error


def _points(group: str, kind: str) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in _registered(_folders()).select(group=group):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise RegistrationError(
                f"{kind} {point.name!r} is registered twice: {other.value} and {point.value}"
            )
    return found


@lru_cache(maxsize=4)
def _registered(folders: tuple[tuple[str, int], ...]) -> Any:  # noqa: ARG001 - the key
    """Every entry point that is registered: one file for each installed package.

    They have `select`; Python 3.11 and 3.12 call their class by different names.
    """
    return entry_points()


def _folders() -> tuple[tuple[str, int], ...]:
    """Where packages are looked for, each with when one was last installed there, in ns."""
    return tuple((folder, _changed(Path(folder or "."))) for folder in sys.path)


def _changed(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:  # sys.path names folders that are not there
        return 0
