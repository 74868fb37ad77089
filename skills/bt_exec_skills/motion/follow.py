"""How a skill follows a motion to its end."""

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
        motion: Just started.
        doing: Gives its present phase in a word or two.
        interrupted: Called after each step; a text that is not empty ends the motion.

    Returns:
        Why the motion was interrupted; empty if it ended by itself. `Motion.failure` says whether
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
