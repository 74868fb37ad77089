"""Supervision of a motion by a skill, up to its end."""

from __future__ import annotations

from collections.abc import Callable

from bt_exec.robot import Motion
from bt_exec.skill import Running, Steps

__all__ = ["follow_motion"]


def follow_motion(
    motion: Motion, doing: Callable[[], str], interrupted: Callable[[], str] = lambda: ""
) -> Steps[str]:
    """Follow `motion` to its end; it is stopped in any case.

    Args:
        motion: The started motion.
        doing: Returns its current phase in a word or two.
        interrupted: Called after each step; a non-empty text ends the motion.

    Returns:
        Reason of the interruption; empty if the motion ended by itself. `Motion.failure` is None if
            it reached its goal.
    """
    why = ""
    try:
        while not (motion.done or why):
            yield Running(motion.progress, doing())
            why = interrupted()
    finally:
        motion.stop()
    return why
