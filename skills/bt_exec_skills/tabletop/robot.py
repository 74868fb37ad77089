"""Robot interface of the tabletop pack: all functions that its skills use.

A simulator in this process and one that is accessed over HTTP implement `TableRobot`; skills work
with both. Points are in the room's frame [m].
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias, runtime_checkable

from bt_exec.failure import Failed
from bt_exec.robot import Motion, Robot
from bt_exec_skills.tabletop.environment_state import Environment, Point

__all__ = ["Motion", "Reading", "Side", "Spot", "TableRobot"]

Side: TypeAlias = Literal["in", "next_to", "left_of", "right_of", "in_front_of", "behind"]
"""Relation of a placed object to its target.

``in`` is into or onto it; the others are sides as seen by the robot.
"""
Spot: TypeAlias = tuple[float, ...]
"""Point on a table, x and y [m, room frame]; empty for any free point."""


class Reading(Protocol):
    """Reading of the world: immediate in a local simulation, delayed over a network."""

    @property
    def done(self) -> bool:
        """Whether it has ended, with or without success."""

    @property
    def environment(self) -> Environment | None:
        """Environment that was read; None before the end, or after a failure."""

    @property
    def failure(self) -> Failed | None:
        """Reason why the reading failed: ``SIMULATOR_UNREACHABLE``."""


@runtime_checkable
class TableRobot(Robot, Protocol):
    """Mobile base with an arm and a hand.

    A motion starts at once and ends by itself. Starting one stops the previous one.
    `Motion.failure` reports a motion that could not be executed with one of the codes
    ``UNREACHABLE``, ``NO_PATH``, ``STUCK``, ``MISSED``, ``EMPTY``, ``UNCERTAIN``,
    ``SIMULATOR_UNREACHABLE``, ``SIMULATOR_FAULT``, ``STOPPED``. Whether an object was picked or
    placed is determined by skills, which read the world.
    """

    def read(self) -> Reading:
        """Start to read the current positions."""

    def world_since(self, since: float, now: float) -> Environment | None:
        """Return the world as read since a time, or None if it is not yet available.

        A reading is started if needed.

        Args:
            since: Earlier readings are too old [s, mission clock].
            now: Current time [s, mission clock].
        """

    def goto(self, at: Point) -> Motion:
        """Drive to where the arm reaches `at`, around obstacles."""

    def pick(self, at: Point) -> Motion:
        """Lower the open hand around the object at `at`, close it, lift and retract."""

    def place(self, at: Point) -> Motion:
        """Lower the held object at `at`, release it and retract."""

    @property
    def doing(self) -> str:
        """Present phase of the motion in a word or two: "driving"; empty at rest."""
