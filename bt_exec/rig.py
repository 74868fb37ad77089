"""Rig: the robot, perception and services of a pack, with a stop for all of them."""

from __future__ import annotations

import _thread
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field

from bt_exec.failure import describe_exception, plain_error
from bt_exec.guardian.stop_action import Guard
from bt_exec.robot import Perception, RemoteSimulation, Robot, Simulation
from bt_exec.spec.user_data_validation import UserData
from bt_exec.standby_threads import STANDBY

__all__ = [
    "PackSettings",
    "Rig",
    "RigFactory",
    "WorldSettings",
    "allocate_reserve",
    "checked_facts",
    "free_reserve",
    "stop_all",
    "stop_all_in_background",
]

STOP_S = 1.0
"""Time limit for a robot to return from `stop` [s, wall]."""

_RESERVE_BYTES = 4 << 20
_RESERVE = bytearray(_RESERVE_BYTES)  # released when memory is short, so that a stop can run

_log = logging.getLogger("bt_exec")


def checked_facts(found: Any) -> dict[str, str]:
    """Return facts as a dictionary after checking that names and values are strings.

    Raises:
        TypeError: If `found` is not a mapping of strings to strings.
    """
    if not isinstance(found, Mapping):
        raise TypeError(f"facts must map strings to strings; found {found!r:.80}")
    for fact, value in found.items():
        if not isinstance(fact, str) or not isinstance(value, str):
            raise TypeError(f"facts must map strings to strings; found {fact!r:.80}: {value!r:.80}")
    return dict(found)


class PackSettings(UserData):
    """Base class for the settings of a pack in a site file.

    Attributes:
        pack: Name of the installed pack if the site uses another name for it; otherwise empty.
        called: Names of the robot in commands, by language: ``{"en": ["cart A"]}``.
        robot: Name of a robot of the pack; the first one if empty.
    """

    pack: str = ""
    called: Mapping[Literal["en", "ko"], tuple[str, ...]] = Field(default_factory=dict)
    robot: str = ""

    def robot_names(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the names of the robot in commands, by language.

        Args:
            name: Name in the site file; used for languages without names in `called`.
        """
        plain = (name.replace("_", " "),)
        return {language: self.called.get(language) or plain for language in ("en", "ko")}

    def to_data(self) -> dict[str, Any]:
        """Return the settings of the site file as plain data, without defaults."""
        return self.model_dump(mode="json", exclude_unset=True)

    def for_rerun(self, folder: Path) -> Self:
        """Return the settings for running a recorded mission again, without lasting effects.

        A pack whose skills write files, ask questions or send messages overrides this.

        Args:
            folder: A temporary folder, for files that skills write.
        """
        del folder
        return self


class WorldSettings(UserData):
    """Base class for the initial state of a pack's simulated world.

    Values arrive as strings of ``KEY=VALUE`` pairs and are converted to the types of the fields.
    The description of a field is shown to the operator: its meaning and the allowed values.
    """


@dataclass(frozen=True)
class Rig:
    """Running parts of a pack: robot, perception, simulation and services, each optional.

    Attributes:
        robot: The robot that skills drive, or None for a pack without one.
        perception: Source of observations, or None.
        simulation: The world to advance between ticks, or None for a real robot.
        facts: Function that returns the robot's own state as facts; see `robot_facts`.
        close: Function that is called once when the rig is closed.
        services: Objects that skills and conditions request by name: a map, a speaker, a notebook.
        frame: Function that returns a picture for compilers, for a pack without perception, or
            None.
        guard: Independent stop action for the guardian process; see `bt_exec.guardian`.
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
    def is_real_time(self) -> bool:
        """Whether the robot moves in real time, not only when a simulation is stepped."""
        return self.robot is not None and self.simulation is None

    def robot_facts(self) -> dict[str, str]:
        """Return the robot's own state as facts: ``{"hand.left": "empty"}``.

        Raises:
            TypeError: If the result is not a mapping of strings to strings.
        """
        return checked_facts(self.facts()) if self.facts is not None else {}

    def is_still(self) -> bool:
        """Return True if the robot reports that it is at rest, or if there is no robot.

        Raises:
            TypeError: If the result is not a boolean.
        """
        if self.robot is None:
            return True
        still: Any = self.robot.still
        if type(still).__name__ in ("bool", "bool_"):  # accept numpy's bool without importing numpy
            return bool(still)
        raise TypeError(f"still must be True or False; found {still!r:.80}")

    def stop_and_close(self) -> None:
        """Stop the robot and close its resources (sockets, renderers)."""
        try:
            if self.robot is not None:
                self.robot.stop()
        finally:
            if self.close is not None:
                self.close()


RigFactory = Callable[[Any, Any], Rig]
"""Function that makes a rig from the site's `PackSettings` and `WorldSettings` for the pack."""


def allocate_reserve() -> None:
    """Allocate the memory reserve for stops and the end of a mission."""
    if not _RESERVE:
        _RESERVE.extend(bytes(_RESERVE_BYTES))


def free_reserve() -> None:
    """Release the memory reserve."""
    del _RESERVE[:]


def stop_all(rigs: Mapping[str, Rig], limit_s: float = STOP_S) -> dict[str, str]:
    """Stop all robots concurrently; a robot that cannot be stopped does not delay the others.

    Each robot is stopped on a separate thread. The call waits up to `limit_s` [s] for all threads
    together.

    Returns:
        Errors by the name of the rig: "raised OSError: connection lost".
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
    """Stop the robots one after another on this thread, with the reserved memory."""
    del _RESERVE[:]
    trouble = {}
    for name, rig in rigs.items():
        try:
            if rig.robot is not None:
                rig.robot.stop()
        except BaseException as error:  # noqa: BLE001 - the next robot must still be stopped
            trouble[name] = f"raised {describe_exception(error)}"
    _log.error("the robots were stopped one after another", exc_info=why)
    return trouble


class _Stop:
    """Stop of one robot on its own thread."""

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
        """Wait up to `seconds` [s] until the robot's `stop` has returned; log if it has not."""
        if not self._returned.acquire(timeout=seconds):
            _log.critical("the robot of %s %s", self._name, self.trouble)

    def _stop(self) -> None:
        try:
            self._robot.stop()
            self.trouble = ""
        except MemoryError:
            del _RESERVE[:]  # frees memory for the second attempt
            self._robot.stop()
            self.trouble = ""
        except BaseException as error:  # noqa: BLE001 - the next robot must still be stopped
            self.trouble = f"raised {describe_exception(error)}"
            _log.error(
                "the robot of %s could not be stopped", self._name, exc_info=plain_error(error)
            )
        finally:
            _UNDER_WAY.discard(self)
            self._returned.release()


_UNDER_WAY: set[_Stop] = set()
_AT_ONCE = 2  # maximum number of concurrent stop calls for one robot


def stop_all_in_background(rigs: Mapping[str, Rig]) -> None:
    """Stop every robot without waiting; for use in signal handlers and the watchdog.

    A handler interrupts the main thread anywhere, possibly while the robot's own code holds a lock
    that `stop` needs. Another thread therefore calls `stop`.
    """
    try:
        for name, rig in rigs.items():
            if rig.robot is not None:
                _Stop(name, rig.robot)
    except (MemoryError, RuntimeError) as error:  # out of memory or threads
        _stop_in_turn(rigs, error)
