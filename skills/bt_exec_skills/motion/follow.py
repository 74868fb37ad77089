"""How a skill follows a motion to its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bt_exec.robot import Motion
from bt_exec.skill import Running, Steps

__all__ = ["Mover", "follow_motion"]


class Mover(Protocol):
    """A robot that tells what it is doing."""

    @property
    def doing(self) -> str:
        """The present phase of its motion in a word or two; empty at rest."""


def follow_motion(
    robot: Mover, motion: Motion, interrupted: Callable[[], str] = lambda: ""
) -> Steps[str]:
    """Follow `motion` to its end; however that comes about, the motion is stopped.

    Args:
        robot: Whose motion it is.
        motion: Just started.
        interrupted: Asked after each step; what it returns, if anything, ends the motion.

    Returns:
        Why the motion was interrupted; empty if it ended by itself. `Motion.failure` says whether
        it reached its goal.
    """
    why = ""
    try:
        while not (motion.done or why):
            yield Running(motion.progress, robot.doing)
            why = interrupted()
    finally:
        motion.stop()
    return why
