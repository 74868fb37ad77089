"""Robot interface of the tabletop pack: everything that its skills use.

A simulator in this process and one that is reached over HTTP implement `TableRobot`; skills never
know which. Points are in the room's frame [m].
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias, runtime_checkable

from bt_exec.failure import Failed
from bt_exec.robot import Motion, Robot
from bt_exec_skills.tabletop.environment import Environment, Point

__all__ = ["Motion", "Reading", "Side", "Spot", "TableRobot"]

Side: TypeAlias = Literal["in", "next_to", "left_of", "right_of", "in_front_of", "behind"]
"""Where a thing is put, relative to another: ``in`` is into or onto it; the rest as the robot sees
it from where it stands."""
Spot: TypeAlias = tuple[float, ...]
"""A point on a table, x and y [m, room frame]; empty for wherever there is room."""


class Reading(Protocol):
    """The world being read: at once in a simulation here, in a while over a network."""

    @property
    def done(self) -> bool:
        """Whether it has ended, well or not."""

    @property
    def environment(self) -> Environment | None:
        """Environment that was read; None before the end, or after a failure."""

    @property
    def failure(self) -> Failed | None:
        """Reason why nothing was read: ``SIMULATOR_UNREACHABLE``."""


@runtime_checkable
class TableRobot(Robot, Protocol):
    """A mobile base with an arm and a hand.

    A motion starts at once and ends by itself; starting one stops the one before. `Motion.failure`
    says that it could not be carried out, with one of the codes ``UNREACHABLE``, ``NO_PATH``,
    ``STUCK``, ``MISSED``, ``EMPTY``, ``UNCERTAIN``,
    ``SIMULATOR_UNREACHABLE``, ``SIMULATOR_FAULT``, ``STOPPED``.
    Whether a thing was picked or placed is not for the motion to say: skills read the world.
    """

    def read(self) -> Reading:
        """Read where everything is, now."""

    def seen(self, since: float, now: float) -> Environment | None:
        """Return the world as read since a moment, or None: not yet; reads if need be.

        Args:
            since: What was read before is too old [s, mission clock].
            now: The present [s, mission clock].
        """

    def goto(self, at: Point) -> Motion:
        """Drive to where the arm reaches `at`, round what is in the way."""

    def pick(self, at: Point) -> Motion:
        """Bring the open hand down round what is at `at`, close it, lift and draw back."""

    def place(self, at: Point) -> Motion:
        """Bring what the hand holds down at `at`, let go and draw back."""

    @property
    def doing(self) -> str:
        """The present phase of the motion in a word or two: "driving"; empty at rest."""
