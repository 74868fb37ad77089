"""What a pack works with, made ready, and the one thing the executive does to all: stop them."""

from __future__ import annotations

import _thread
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bt_exec.robot import Perception, RemoteSimulation, Robot, Simulation

__all__ = ["Rig", "stop_all", "stop_all_apart"]

_log = logging.getLogger("bt_exec")


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
