"""What a pack works with, made ready, and the one thing the executive does to all: stop them."""

from __future__ import annotations

import _thread
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from bt_exec.failure import in_words
from bt_exec.robot import Perception, RemoteSimulation, Robot, Simulation

__all__ = [
    "PackSettings",
    "Rig",
    "RigFactory",
    "WorldSettings",
    "stop_all",
    "stop_all_apart",
    "texts_by_text",
]

STOP_S = 1.0
"""How long a robot may take to return from `stop` [s, wall]; nobody waits longer."""

_log = logging.getLogger("bt_exec")


def texts_by_text(found: Any) -> dict[str, str]:
    """Return facts as they must be.

    Raises:
        TypeError: If they are anything else.
    """
    if not isinstance(found, Mapping):
        raise TypeError(f"facts are texts by texts; found {found!r:.80}")
    for fact, value in found.items():
        if not isinstance(fact, str) or not isinstance(value, str):
            raise TypeError(f"facts are texts by texts; found {fact!r:.80}: {value!r:.80}")
    return dict(found)


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
        frame: Gives the picture that compilers may look at, for a pack without perception, or
            None.
    """

    robot: Robot | None = None
    perception: Perception[Any] | None = None
    simulation: Simulation | RemoteSimulation | None = None
    facts: Callable[[], Mapping[str, str]] | None = None
    close: Callable[[], None] | None = None
    services: Mapping[str, Any] = field(default_factory=dict)
    frame: Callable[[], Any] | None = None

    def facts_now(self) -> dict[str, str]:
        """Return what the robot knows about itself: ``{"hand.left": "empty"}``.

        Raises:
            TypeError: If it says something else than texts by texts.
        """
        return texts_by_text(self.facts()) if self.facts is not None else {}

    def still_now(self) -> bool:
        """Return whether the robot says that it is still; without one, yes.

        Raises:
            TypeError: If it says something else than yes or no.
        """
        if self.robot is None:
            return True
        still: Any = self.robot.still
        if type(still).__name__ in ("bool", "bool_"):  # also numpy's, without importing it
            return bool(still)
        raise TypeError(f"still is True or False; found {still!r:.80}")

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


def stop_all(rigs: Mapping[str, Rig], limit_s: float = STOP_S) -> dict[str, str]:
    """Stop every robot now; one that cannot be reached does not keep the others moving.

    Each is told from a thread of its own and waited for, `limit_s` [s] in all.

    Returns:
        What went wrong, by the name of the rig: "raised OSError: connection lost".
    """
    asked = {name: _Stop(name, rig.robot) for name, rig in rigs.items() if rig.robot is not None}
    until = time.monotonic() + limit_s
    for one in asked.values():
        one.wait(max(0.0, until - time.monotonic()))
    return {name: one.trouble for name, one in asked.items() if one.trouble}


class _Stop:
    """One robot that is told to stop, on a thread of its own."""

    def __init__(self, name: str, robot: Robot) -> None:
        self.trouble = f"did not return from stop() within {STOP_S:g} s"
        self._name = name
        self._robot = robot
        self._told = _thread.allocate_lock()
        self._told.acquire()
        try:
            _thread.start_new_thread(self._tell, ())
        except RuntimeError:  # no thread can be had: the loop does it itself
            self._tell()

    def wait(self, seconds: float) -> None:
        """Wait until it was told."""
        if not self._told.acquire(timeout=seconds):
            _log.critical("the robot of %s %s", self._name, self.trouble)

    def _tell(self) -> None:
        try:
            self._robot.stop()
            self.trouble = ""
        except BaseException as error:  # noqa: BLE001 - the next robot must be stopped all the same
            self.trouble = f"raised {in_words(error)}"
            _log.error("the robot of %s could not be stopped", self._name, exc_info=error)
        finally:
            self._told.release()


def stop_all_apart(rigs: Mapping[str, Rig]) -> None:
    """Stop every robot from a thread of its own: for signal handlers.

    A handler interrupts the main thread anywhere, perhaps where the robot's own code holds a lock
    that `stop` wants. `threading.Thread` takes such locks too, so the thread is a bare one.
    """
    _thread.start_new_thread(stop_all, (rigs,))
