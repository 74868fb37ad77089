"""Recorded setup of a mission: the data that a replay needs in addition to the events.

::

    compiler   name and settings
    rates      tick and observation rates [Hz]
    limits     budgets and deadlines
    file       path of the site file
    confirm    which plans need the operator's confirmation
    worlds     initial state of each simulated world by pack, including defaults
    versions   bt-exec, Python, and the distributions of the packs and their requirements
    digests    SHA-256 of the site file and of the trees
    deferred   true if the command was refused or answered before the robots were opened
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution, entry_points, version
from typing import Any

from bt_exec.declarations.exception_description import declared_requirements
from bt_exec.mission.rig_construction import world_settings
from bt_exec.site.site import Site

__all__ = ["DEFERRED", "file_digests", "setup_data", "versions"]

DEFERRED = "deferred"

_REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")


def setup_data(site: Site, world: Mapping[str, str], compiler: str) -> dict[str, Any]:
    """Return the setup of the missions of a session, as plain data.

    Args:
        site: The site.
        world: Initial state of the simulated worlds, as given by the user.
        compiler: Name of the compiler in use.
    """
    return {
        "compiler": {
            "name": compiler,
            **(site.compiler.settings() if compiler == site.compiler.name else {}),
        },
        "rates": site.rates.model_dump(),
        "limits": site.limits.model_dump(),
        "confirm": site.confirm,
        "file": str(site.file),
        "worlds": {
            pack.name: world_settings(pack, world).model_dump(mode="json")
            for pack in site.catalogue.packs
            if pack.world.model_fields
        },
        "versions": versions(site.pack_kinds),
        "digests": file_digests(site),
    }


def file_digests(site: Site) -> dict[str, str]:
    """Return the SHA-256 of the site file (``site``) and of all its trees together (``trees``).

    The digest of an unreadable site file is empty.
    """
    trees = hashlib.sha256()
    for name in sorted(site.library.names()):
        data = site.library.source(name).data
        trees.update(json.dumps(data, sort_keys=True, default=str).encode("utf-8", "replace"))
    try:
        file = hashlib.sha256(site.file.read_bytes()).hexdigest()
    except OSError:
        file = ""
    return {"site": file, "trees": trees.hexdigest()}


@lru_cache(maxsize=8)
def versions(packs: tuple[str, ...]) -> Mapping[str, str]:
    """Return the versions of Python, bt-exec, and the distributions of these packs."""
    found = {"python": platform.python_version()}
    owners = {
        point.dist.name
        for point in entry_points(group="bt_exec.packs")
        if point.name in packs and point.dist is not None
    }
    own = [name for name, _ in declared_requirements()]  # includes packages of extras
    found.update(_versions_of(("bt-exec", *own)))
    for owner in sorted(owners - {"bt-exec"}):
        found.update(_versions_of((owner, *_requirements_of(owner))))
    return found


def _requirements_of(name: str) -> Iterable[str]:
    """Yield the distributions that a distribution requires, except for its extras."""
    try:
        required = distribution(name).requires or ()
    except PackageNotFoundError:
        return
    for line in required:
        if "extra ==" not in line and (match := _REQUIREMENT.match(line)):
            yield match.group()


def _versions_of(names: Iterable[str]) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # required on another platform only, or not installed
            continue
    return found
