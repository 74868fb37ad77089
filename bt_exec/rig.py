"""Rig: the robot, perception and services of a pack, with a stop for all of them."""

from __future__ import annotations

import _thread
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from bt_exec.failure import in_words
from bt_exec.guardian.guard import Guard
from bt_exec.robot import Perception, RemoteSimulation, Robot, Simulation
from bt_exec.standby import STANDBY

__all__ = [
    "PackSettings",
    "Rig",
    "RigFactory",
    "WorldSettings",
    "free_reserve",
    "keep_reserve",
    "stop_all",
    "stop_all_apart",
    "texts_by_text",
]

STOP_S = 1.0
"""How long a robot may take to return from `stop` [s, wall]; nobody waits longer."""

_RESERVE_BYTES = 4 << 20
_RESERVE = bytearray(_RESERVE_BYTES)  # released when memory is short: a stop needs some

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
    """Settings of a pack in a site file; packs with settings derive from it.

    Attributes:
        pack: The pack, where the site gives another name to its robot; empty if they are the same.
        called: What people call the robot, by language: ``{"en": ["cart A"], "ko": ["카트 A"]}``.
        robot: Which of the pack's robots; the first one if empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pack: str = ""
    called: Mapping[Literal["en", "ko"], tuple[str, ...]] = Field(default_factory=dict)
    robot: str = ""

    def names(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the words for the robot, by language.

        Args:
            name: Its name in the site file, the default of `called`.
        """
        plain = (name.replace("_", " "),)
        return {language: self.called.get(language) or plain for language in ("en", "ko")}

    def written(self) -> dict[str, Any]:
        """Return the settings of the site file as plain data, without defaults."""
        return self.model_dump(mode="json", exclude_unset=True)

    def for_rerun(self, folder: Path) -> Self:
        """Return the settings for running a recorded mission again, without lasting effects.

        A pack whose skills write files, ask people or send messages overrides this.

        Args:
            folder: A temporary folder, for files that skills write.
        """
        del folder
        return self


class WorldSettings(BaseModel):
    """Initial state of a simulated world; packs with such a world derive from it.

    Values arrive as the texts of ``KEY=VALUE`` pairs and are converted to the types of the fields.
    A field's description says what it means and what is allowed: people read it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class Rig:
    """Working set of a pack: robot, perception, simulation and services, each optional.

    Attributes:
        robot: What skills drive, or None for a pack that moves nothing.
        perception: How it sees, or None if it sees nothing.
        simulation: The world to advance between ticks, or None for a real robot.
        facts: Gives what the robot knows about itself, for the dry run; see `facts_now`.
        close: Called once when the rig is put away.
        services: What skills and conditions ask for by name: a map, a speaker, a notebook.
        frame: Gives the picture that compilers may look at, for a pack without perception, or
            None.
        guard: How a process beside the mission stops the robot; see `bt_exec.guardian`.
    """

    robot: Robot | None = None
    perception: Perception[Any] | None = None
    simulation: Simulation | RemoteSimulation | None = None
    facts: Callable[[], Mapping[str, str]] | None = None
    close: Callable[[], None] | None = None
    services: Mapping[str, Any] = field(default_factory=dict)
    frame: Callable[[], Any] | None = None
    guard: Guard | None = None

    @property
    def real(self) -> bool:
        """Whether the robot moves by itself, not only when a simulation is stepped."""
        return self.robot is not None and self.simulation is None

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


def keep_reserve() -> None:
    """Have memory in reserve for stops and the end of a mission."""
    if not _RESERVE:
        _RESERVE.extend(bytes(_RESERVE_BYTES))


def free_reserve() -> None:
    """Release the memory that was kept in reserve."""
    del _RESERVE[:]


def stop_all(rigs: Mapping[str, Rig], limit_s: float = STOP_S) -> dict[str, str]:
    """Stop every robot now; one that cannot be reached does not keep the others moving.

    Each is stopped on a thread of its own and waited for, `limit_s` [s] in all.

    Returns:
        What went wrong, by the name of the rig: "raised OSError: connection lost".
    """
    try:
        asked = {n: _Stop(n, rig.robot) for n, rig in rigs.items() if rig.robot is not None}
    except (MemoryError, RuntimeError) as error:  # out of memory or threads
        return _stop_in_turn(rigs, error)
    until = time.monotonic() + limit_s
    for one in asked.values():
        one.wait(max(0.0, until - time.monotonic()))
    return {name: one.trouble for name, one in asked.items() if one.trouble}


def _stop_in_turn(rigs: Mapping[str, Rig], why: Exception) -> dict[str, str]:
    """Stop every robot on this thread, with the memory that was kept for it."""
    del _RESERVE[:]
    trouble = {}
    for name, rig in rigs.items():
        try:
            if rig.robot is not None:
                rig.robot.stop()
        except BaseException as error:  # noqa: BLE001 - the next robot must be stopped all the same
            trouble[name] = f"raised {in_words(error)}"
    _log.error("the robots were stopped one after another", exc_info=why)
    return trouble


class _Stop:
    """The stop of one robot, on a thread of its own."""

    def __init__(self, name: str, robot: Robot) -> None:
        self.trouble = f"did not return from stop() within {STOP_S:g} s"
        self._name = name
        self._robot = robot
        self._returned = _thread.allocate_lock()
        self._returned.acquire()
        hanging = [one for one in tuple(_UNDER_WAY) if one._robot is robot]
        if len(hanging) >= _AT_ONCE:  # repeated stops must not use up all threads
            return
        _UNDER_WAY.add(self)
        try:
            STANDBY.run(self._stop)
        except RuntimeError:  # every thread is busy and no other can be started
            self._stop()

    def wait(self, seconds: float) -> None:
        """Wait until `stop` has returned."""
        if not self._returned.acquire(timeout=seconds):
            _log.critical("the robot of %s %s", self._name, self.trouble)

    def _stop(self) -> None:
        try:
            self._robot.stop()
            self.trouble = ""
        except MemoryError:
            del _RESERVE[:]  # the second attempt has this much more
            self._robot.stop()
            self.trouble = ""
        except BaseException as error:  # noqa: BLE001 - the next robot must be stopped all the same
            self.trouble = f"raised {in_words(error)}"
            _log.error("the robot of %s could not be stopped", self._name, exc_info=error)
        finally:
            _UNDER_WAY.discard(self)
            self._returned.release()


_UNDER_WAY: set[_Stop] = set()
_AT_ONCE = 2  # calls of one robot's stop that may be under way


def stop_all_apart(rigs: Mapping[str, Rig]) -> None:
    """Stop every robot without waiting: for signal handlers and the watchdog.

    A handler interrupts the main thread anywhere, perhaps where the robot's own code holds a lock
    that `stop` wants, so another thread calls it.
    """
    try:
        for name, rig in rigs.items():
            if rig.robot is not None:
                _Stop(name, rig.robot)
    except (MemoryError, RuntimeError) as error:  # out of memory or threads
        _stop_in_turn(rigs, error)
