"""bt-exec: a behaviour-tree mission executive for robots.

A command becomes a typed YAML tree, py_trees ticks it, skills drive a robot, and only a failed
guard or skill makes anybody plan again. The names below are the public ones; they are imported
when they are first used, so that ``import bt_exec`` costs nothing::

    from bt_exec import Failed, Running, Steps, Verdict, condition, skill
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bt_exec.failure import (
        BtExecError,
        Failed,
        Failure,
        Problem,
        RegistrationError,
        SpecError,
        UnknownName,
        UsageError,
    )
    from bt_exec.journal import Journal
    from bt_exec.mission.session import Session
    from bt_exec.observation import World
    from bt_exec.outcome import Outcome
    from bt_exec.pack import Catalogue, Pack
    from bt_exec.rig import PackSettings, Rig, WorldSettings
    from bt_exec.robot import Motion, Observation, Perception, Robot, Simulation
    from bt_exec.site.compile_command import compile_command
    from bt_exec.site.site import Site, load_site
    from bt_exec.skill import (
        Condition,
        Label,
        Running,
        Service,
        Skill,
        Steps,
        Verdict,
        condition,
        skill,
    )

__all__ = [
    "BtExecError",
    "Catalogue",
    "Condition",
    "Failed",
    "Failure",
    "Journal",
    "Label",
    "Motion",
    "Observation",
    "Outcome",
    "Pack",
    "PackSettings",
    "Perception",
    "Problem",
    "RegistrationError",
    "Rig",
    "Robot",
    "Running",
    "Service",
    "Session",
    "Simulation",
    "Site",
    "Skill",
    "SpecError",
    "Steps",
    "UnknownName",
    "UsageError",
    "Verdict",
    "World",
    "WorldSettings",
    "compile_command",
    "condition",
    "load_site",
    "skill",
]

_HOMES = {
    "site.compile_command": "compile_command",
    "failure": (
        "BtExecError Failed Failure Problem RegistrationError SpecError UnknownName UsageError"
    ),
    "journal": "Journal",
    "pack": "Catalogue Pack",
    "outcome": "Outcome",
    "rig": "PackSettings Rig WorldSettings",
    "robot": "Motion Perception Robot Observation Simulation",
    "mission.session": "Session",
    "site.site": "Site load_site",
    "skill": "Condition Label Running Service Skill Steps Verdict condition skill",
    "observation": "World",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


def _public(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'bt_exec' has no attribute {name!r}")
    module = importlib.import_module(f"bt_exec.{_HOME[name]}")
    # the module of the same name stays what the import system makes it: it is called as `skill`
    value = module if name == _HOME[name] else getattr(module, name)
    globals()[name] = value
    return value


if not TYPE_CHECKING:  # with it, a type checker takes any name for a public one
    __getattr__ = _public


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
