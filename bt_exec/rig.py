"""A pack's body made ready to work, and the one thing the executive does to all: stop them."""

from __future__ import annotations

import _thread
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bt_exec.robot import Perception, Robot, Simulation

if TYPE_CHECKING:
    from bt_exec.events import Listener
    from bt_exec.journal.record import MissionLine

__all__ = ["Rig", "stop_all", "stop_all_apart"]

_log = logging.getLogger("bt_exec")


@dataclass(frozen=True)
class Rig:
    """A pack's body, ready to work: robot, eyes, and the simulation that carries them if any.

    Attributes:
        robot: What skills drive.
        perception: How it sees, or None for a blind robot.
        simulation: The world to advance between ticks, or None for a real robot.
        facts: Gives what the robot knows about itself, for the dry run; see `facts_now`.
        close: Called once when the rig is put away.
        listener: Told of every event of a mission, after it is on record, or None.
        recall: Given the missions of today, oldest first, before another begins.
        told: Gives what the robot told the operator in this mission; it opens the final message.
    """

    robot: Robot
    perception: Perception[Any] | None = None
    simulation: Simulation | None = None
    facts: Callable[[], Mapping[str, str]] | None = None
    close: Callable[[], None] | None = None
    listener: Listener | None = None
    recall: Callable[[Sequence[MissionLine]], None] | None = None
    told: Callable[[], str] | None = None

    def facts_now(self) -> dict[str, str]:
        """Return what the robot knows about itself: ``{"hand.left": "empty"}``."""
        return dict(self.facts()) if self.facts is not None else {}

    def shut(self) -> None:
        """Stop the robot and let go of what it holds open (sockets, renderers)."""
        try:
            self.robot.stop()
        finally:
            if self.close is not None:
                self.close()


def stop_all(rigs: Mapping[str, Rig]) -> None:
    """Stop every robot now; one that cannot be reached does not keep the others moving."""
    for name, rig in rigs.items():
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
