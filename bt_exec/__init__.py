"""bt-exec: a behaviour-tree mission executive for robots.

A command becomes a typed YAML tree, py_trees ticks it, and skills drive a robot. Planning is
repeated only after a guard or a skill has failed. Public names by purpose:

- Skills and conditions: `skill`, `condition`, `Steps`, `Running`, `Failed`, `Verdict`, `Service`,
  `Label`, `Said`, `World`, `run_in_thread`.
- Packs and robots: `Pack`, `Catalogue`, `PackSettings`, `WorldSettings`, `Rig`, `Robot`, `Motion`,
  `Perception`, `Observation`, `Simulation`, `RemoteSimulation`, `PassContext`, `Problem`.
- Missions: `Session`, `Outcome`, `Journal`, `Listener` (with the events of `bt_exec.events`),
  `Site`, `load_site`, `compile_command`.
- Compilers: `Compiler`, `Request`, `Plan`, `Refusal`.
- Errors: `BtExecError` and its subclasses; failures of missions are values (`Failure`).
- Tests of your own code: `bt_exec.testing`.

Names are imported on first use, so that ``import bt_exec`` is cheap::

    from bt_exec import Failed, Running, Steps, Verdict, condition, skill
"""

try:  # must be first: until it runs, a Ctrl-C prints a traceback
    from bt_exec.early_interrupt import exit_on_interrupt, is_command_line

    if is_command_line():
        exit_on_interrupt()
except KeyboardInterrupt:
    from bt_exec.early_interrupt import exit_if_command_line

    exit_if_command_line()
    raise

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bt_exec.events import Listener
    from bt_exec.failure import (
        BtExecError,
        Failed,
        Failure,
        Problem,
        Refusal,
        RegistrationError,
        SpecError,
        UnknownName,
        UsageError,
    )
    from bt_exec.journal import Journal
    from bt_exec.mission.session import Session
    from bt_exec.mission_outcome import Outcome
    from bt_exec.observation import World
    from bt_exec.pack import Catalogue, Pack, PassContext
    from bt_exec.planning.compiler import Compiler, Plan, Request
    from bt_exec.rig import PackSettings, Rig, WorldSettings
    from bt_exec.robot import (
        Motion,
        Observation,
        Perception,
        RemoteSimulation,
        Robot,
        Simulation,
    )
    from bt_exec.site.compile_command import compile_command
    from bt_exec.site.site import Site, load_site
    from bt_exec.skill import (
        Condition,
        Label,
        Running,
        Said,
        Service,
        Skill,
        Steps,
        Verdict,
        condition,
        skill,
    )
    from bt_exec.standby_threads import run_in_thread

__all__ = [
    "BtExecError",
    "Catalogue",
    "Compiler",
    "Condition",
    "Failed",
    "Failure",
    "Journal",
    "Label",
    "Listener",
    "Motion",
    "Observation",
    "Outcome",
    "Pack",
    "PackSettings",
    "PassContext",
    "Perception",
    "Plan",
    "Problem",
    "Refusal",
    "RegistrationError",
    "RemoteSimulation",
    "Request",
    "Rig",
    "Robot",
    "Running",
    "Said",
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
    "run_in_thread",
    "skill",
]

_HOMES = {
    "site.compile_command": "compile_command",
    "standby_threads": "run_in_thread",
    "events": "Listener",
    "failure": (
        "BtExecError Failed Failure Problem Refusal RegistrationError SpecError UnknownName "
        "UsageError"
    ),
    "journal": "Journal",
    "pack": "Catalogue Pack PassContext",
    "planning.compiler": "Compiler Plan Request",
    "mission_outcome": "Outcome",
    "rig": "PackSettings Rig WorldSettings",
    "robot": "Motion Perception Robot Observation RemoteSimulation Simulation",
    "mission.session": "Session",
    "site.site": "Site load_site",
    "skill": "Condition Label Running Said Service Skill Steps Verdict condition skill",
    "observation": "World",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


def _import_public_name(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'bt_exec' has no attribute {name!r}")
    module = importlib.import_module(f"bt_exec.{_HOME[name]}")
    # the module `bt_exec.skill` is itself callable as the decorator, so it is not replaced here
    value = module if name == _HOME[name] else getattr(module, name)
    globals()[name] = value
    return value


if not TYPE_CHECKING:  # otherwise a type checker would accept any name
    __getattr__ = _import_public_name


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
