"""What a pack works with, made ready, and the one thing the executive does to all: stop them."""

from __future__ import annotations

import _thread
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from bt_exec.robot import Perception, RemoteSimulation, Robot, Simulation

__all__ = ["PackSettings", "Rig", "RigFactory", "WorldSettings", "stop_all", "stop_all_apart"]

_log = logging.getLogger("bt_exec")


class PackSettings(BaseModel):
    """What a site file says of a pack; a pack with settings of its own derives from it.

    Attributes:
        robot: Which of the pack's robots; the first one if empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    robot: str = ""

    def written(self) -> dict[str, Any]:
        """Return what the site file says, as plain data; what is left to defaults is not in it."""
        return self.model_dump(mode="json", exclude_unset=True)


class WorldSettings(BaseModel):
    """How a simulated world starts; a pack with such a world derives from it.

    Values arrive as the texts of ``KEY=VALUE`` pairs and are converted to the types of the fields.
    A field's description says what it means and what is allowed: people read it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class Rig:
    """What a pack works with, ready: robot, perception, simulation and services, each optional.

    Attributes:
        robot: What skills drive, or None for a pack that moves nothing.
        perception: How it sees, or None if it sees nothing.
        simulation: The world to advance between ticks, or None for a real robot.
        facts: Gives what the robot knows about itself, for the dry run; see `facts_now`.
        close: Called once when the rig is put away.
        services: What skills and conditions ask for by name: a map, a speaker, a notebook.
    """

    robot: Robot | None = None
    perception: Perception[Any] | None = None
    simulation: Simulation | RemoteSimulation | None = None
    facts: Callable[[], Mapping[str, str]] | None = None
    close: Callable[[], None] | None = None
    services: Mapping[str, Any] = field(default_factory=dict)

    def facts_now(self) -> dict[str, str]:
        """Return what the robot knows about itself: ``{"hand.left": "empty"}``."""
        return dict(self.facts()) if self.facts is not None else {}

    def shut(self) -> None:
        """Stop the robot and let go of what it holds open (sockets, renderers)."""
        try:
            if self.robot is not None:
                self.robot.stop()
        finally:
            if self.close is not None:
                self.close()


RigFactory = Callable[[Any, Any], Rig]
"""Makes a rig from the pack's `PackSettings` of the site and its `WorldSettings`."""


def stop_all(rigs: Mapping[str, Rig]) -> None:
    """Stop every robot now; one that cannot be reached does not keep the others moving."""
    for name, rig in rigs.items():
        if rig.robot is None:
            continue
        try:
            rig.robot.stop()
        except Exception as error:  # noqa: BLE001 - the next robot must be stopped all the same
            _log.error("the robot of %s could not be stopped", name, exc_info=error)


def stop_all_apart(rigs: Mapping[str, Rig]) -> None:
    """Stop every robot from a thread of its own: for signal handlers.

    A handler interrupts the main thread anywhere, perhaps where the robot's own code holds a lock
    that `stop` wants. `threading.Thread` takes such locks too, so the thread is a bare one.
    """
    _thread.start_new_thread(stop_all, (rigs,))
