"""Access to the shipped trees and configuration files.

In a wheel they are inside the package; in a clone (editable install) they are next to it.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import yaml

from bt_exec.failure import UnknownName, UsageError
from bt_exec.files import expand_home
from bt_exec.spec.shipped_yaml import read_yaml

__all__ = ["data_folder", "data_path", "default_site", "site_names", "site_path"]

_PACKAGE = Path(__file__).parents[1]


def data_folder() -> Path:
    """Return the folder that holds ``trees`` and ``configs``.

    Raises:
        UsageError: If the installation is incomplete.
    """
    for folder in (_PACKAGE / "_data", _PACKAGE.parent):
        if (folder / "trees").is_dir() and (folder / "configs").is_dir():
            return folder
    raise UsageError(
        f"the shipped trees and configs are missing beside {_PACKAGE}; reinstall bt-exec"
    )


def data_path(*parts: str) -> Path:
    """Return the path of shipped data, as in ``data_path("trees", "door")``."""
    return data_folder().joinpath(*parts)


def site_names() -> tuple[str, ...]:
    """Return the names of the shipped sites."""
    return tuple(sorted(path.stem for path in data_path("configs", "sites").glob("*.yaml")))


def default_site() -> str:
    """Return the name or file of the default site.

    The first of these that is set is used: the environment variable ``BT_EXEC_SITE``;
    ``default_site:`` in ``bt-exec/config.yaml`` in the user's configuration folder;
    ``default_site:`` in the shipped ``configs/defaults.yaml``.

    Raises:
        UsageError: If the user's configuration file cannot be read.
    """
    chosen = os.environ.get("BT_EXEC_SITE")
    own = platformdirs.user_config_path("bt-exec") / "config.yaml"
    for file in (own, data_path("configs", "defaults.yaml")):
        if not chosen and file.is_file():
            try:
                settings = read_yaml(file)
            except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
                raise UsageError(f"{file} cannot be read: {error}") from error
            chosen = settings.get("default_site") if isinstance(settings, dict) else None
            if chosen is not None and not isinstance(chosen, str):
                raise UsageError(
                    f"{file}: default_site must be the name or file of a site, not {chosen!r}"
                )
    if not chosen:
        raise UsageError(
            "no site is named, and the installation names no default; reinstall bt-exec"
        )
    return chosen


def site_path(name_or_file: str = "") -> Path:
    """Return the path of the site file for the name of a shipped site or the path of a file.

    If the argument is empty, the default site is used.

    Raises:
        UnknownName: If there is no such site and no such file.
        UsageError: If the default site cannot be determined.
    """
    name_or_file = name_or_file or default_site()
    path = expand_home(name_or_file)
    if path.suffix.lower() in (".yaml", ".yml") or path.is_file():
        return path
    shipped = data_path("configs", "sites", f"{name_or_file}.yaml")
    if not shipped.is_file():
        raise UnknownName("site", name_or_file, site_names())
    return shipped
