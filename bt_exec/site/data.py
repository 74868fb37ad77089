"""The one way to shipped data: trees, sites, words.

In a wheel they lie inside the package; in a clone (editable install) they lie beside it.
"""

from __future__ import annotations

from pathlib import Path

from bt_exec.failure import UnknownName, UsageError

__all__ = ["data_folder", "data_path", "site_names", "site_path"]

_PACKAGE = Path(__file__).parents[1]


def data_folder() -> Path:
    """Return the folder that holds ``trees`` and ``configs``.

    Raises:
        UsageError: If the installation is incomplete.
    """
    for folder in (_PACKAGE / "_data", _PACKAGE.parent):
        if (folder / "trees").is_dir() and (folder / "configs").is_dir():
            return folder
    raise UsageError(f"the shipped trees and configs are missing beside {_PACKAGE}; install again")


def data_path(*parts: str) -> Path:
    """Return the path of shipped data: ``data_path("trees", "door")``."""
    return data_folder().joinpath(*parts)


def site_names() -> tuple[str, ...]:
    """Return the names of the shipped sites."""
    return tuple(sorted(path.stem for path in data_path("configs", "sites").glob("*.yaml")))


def site_path(name_or_file: str) -> Path:
    """Return the file of a site given by name or by path.

    Raises:
        UnknownName: If it is neither.
    """
    path = Path(name_or_file).expanduser()
    if path.suffix in (".yaml", ".yml") or path.is_file():
        return path
    shipped = data_path("configs", "sites", f"{name_or_file}.yaml")
    if not shipped.is_file():
        raise UnknownName("site", name_or_file, site_names())
    return shipped
