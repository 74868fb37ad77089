"""Robot interface of the tabletop pack: all operations that its skills use.

A simulator in this process and a simulator over HTTP implement `TableRobot`; skills work with both.
Points are in the frame of the room [m].
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias, runtime_checkable

from bt_exec.failure import Failed
from bt_exec.robot import Motion, Robot
from bt_exec_skills.tabletop.environment_state import Environment, Point

__all__ = ["Motion", "Reading", "Side", "Spot", "TableRobot"]

Side: TypeAlias = Literal["in", "next_to", "left_of", "right_of", "in_front_of", "behind"]
"""Relation of a placed object to its target.

``in`` means in or on the target; the others are sides of the target as seen by the robot.
"""
Spot: TypeAlias = tuple[float, ...]
"""Point on a table, x and y [m, room frame]; empty for any free point."""


class Reading(Protocol):
    """Reading of the world: immediate in a local simulation, delayed over a network."""

    @property
    def done(self) -> bool:
        """Whether the reading has ended, with or without success."""

    @property
    def environment(self) -> Environment | None:
        """Environment that was read; None before the end, or after a failure."""

    @property
    def failure(self) -> Failed | None:
        """Failure of the reading, such as ``SIMULATOR_UNREACHABLE``; None if it did not fail."""


@runtime_checkable
class TableRobot(Robot, Protocol):
    """Mobile base with an arm and a hand.

    A motion starts at once and ends by itself. Starting a motion stops the previous one. If a
    motion could not be executed, `Motion.failure` has one of the codes ``UNREACHABLE``,
    ``NO_PATH``, ``STUCK``, ``MISSED``, ``EMPTY``, ``UNCERTAIN``, ``SIMULATOR_UNREACHABLE``,
    ``SIMULATOR_FAULT``, ``STOPPED``. Skills read the world to determine whether an object was
    picked or placed.
    """

    def read(self) -> Reading:
        """Start to read the current positions."""

    def world_since(self, since: float, now: float) -> Environment | None:
        """Return a reading of the world that started at `since` or later; None until it arrives.

        The method starts a reading if needed.

        Args:
            since: Earliest start of the reading [s, mission clock].
            now: Current time [s, mission clock].
        """

    def goto(self, at: Point) -> Motion:
        """Drive around obstacles to a pose from which the arm reaches `at`."""

    def pick(self, at: Point) -> Motion:
        """Lower the open hand around the object at `at`, close it, lift and retract."""

    def place(self, at: Point) -> Motion:
        """Lower the held object at `at`, release it and retract."""

    @property
    def doing(self) -> str:
        """Phase of the motion in a word or two, such as "driving"; empty at rest."""
