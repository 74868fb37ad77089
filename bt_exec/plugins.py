"""Plugins of installed packages, found through entry-point groups.

If two packages register the same name for different objects, loading that name is an error. Other
names are not affected.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from bt_exec.declarations.exception_description import describe_error, is_interrupt
from bt_exec.failure import RegistrationError, UnknownName, UsageError

__all__ = ["load_plugin", "plugin_names"]


def plugin_names(group: str) -> tuple[str, ...]:
    """Return the names registered in `group`, sorted."""
    return tuple(sorted(_entry_points(group)))


def load_plugin(group: str, kind: str, name: str) -> Any:
    """Return the object registered in `group` under `name`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported.
        RegistrationError: If this name is registered twice for different objects.
    """
    points = _entry_points(group)
    if name not in points:
        raise UnknownName(kind, name, points)
    point, *others = points[name]
    if others:
        owners = " and ".join(_object_and_distribution(one) for one in points[name])
        raise RegistrationError(
            f"{kind} {name!r} is registered twice: {owners}; uninstall one of them"
        )
    try:
        return point.load()
    except BaseException as error:  # third-party code may raise anything
        if is_interrupt(error):
            raise
        where = point.value
        raise UsageError(
            f"{kind} {name!r} ({where}) cannot be imported: {describe_error(error)}"
        ) from error


def _entry_points(group: str) -> dict[str, list[EntryPoint]]:
    """Return the entry points of a group by name; one for each distinct object."""
    found: dict[str, list[EntryPoint]] = {}
    for point in _all_entry_points(_package_folders()).select(group=group):
        others = found.setdefault(point.name, [])
        if all(other.value != point.value for other in others):
            others.append(point)
    return found


def _object_and_distribution(point: EntryPoint) -> str:
    """Return "OBJECT of DISTRIBUTION" for an entry point, for messages."""
    return point.value if point.dist is None else f"{point.value} of {point.dist.name}"


@lru_cache(maxsize=4)
def _all_entry_points(folders: tuple[tuple[str, int], ...]) -> Any:  # noqa: ARG001 - the key
    """Return all registered entry points; cached until one of `folders` changes.

    Python reads a file of each installed package for them. The class of the result depends on the
    version of Python; it has a method `select`.
    """
    return entry_points()


def _package_folders() -> tuple[tuple[str, int], ...]:
    """Return the folders of ``sys.path``, each with the time of its last change [ns]."""
    return tuple((folder, _changed_at(Path(folder or "."))) for folder in sys.path)


def _changed_at(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:  # sys.path may name missing folders
        return 0
