"""Motions: generators that set servo targets, one step per control period, behind a handle."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias

__all__ = ["Blocked", "Motions", "SimMotion"]

Motions: TypeAlias = Generator[tuple[float, str], None, None]
"""A motion in the making: yields (progress 0..1, phase) once per control period."""


class Blocked(Exception):  # noqa: N818 - it ends a motion, it is no error of the program
    """Raised inside a motion that cannot reach its goal.

    Args:
        code: UNREACHABLE, STUCK, MISSED, SLIPPED or NO_GRIP.
        why: What was measured, in a sentence.
    """

    def __init__(self, code: str, why: str) -> None:
        super().__init__(f"{code}: {why}")


class SimMotion:
    """The handle of a motion under way; implements `bt_exec.robot.Motion`.

    Args:
        steps: The motion.
        freeze: Makes the arms it moves stay where they are; called when it is cut short.
        phases: How many phases it usually has; progress counts them alike and never goes back.
    """

    def __init__(self, steps: Motions, freeze: Callable[[], None], phases: int = 1) -> None:
        self._steps = steps
        self._freeze = freeze
        self._phases = phases
        self._begun = 0
        self.done = False
        self.progress = 0.0
        self.blocked = False
        self.reason = ""
        self.phase = "planning"

    def advance(self) -> None:
        """Set the targets of the next control period."""
        if self.done:
            return
        try:
            progress, phase = next(self._steps)
            if phase not in (self.phase, "planning"):
                self._begun += 1
            self.phase = phase
            whole = (max(self._begun - 1, 0) + min(progress, 1.0)) / max(self._phases, self._begun)
            self.progress = max(self.progress, min(whole, 1.0))
        except StopIteration:
            self.done, self.progress = True, 1.0
        except Blocked as blocked:
            self.done, self.blocked, self.reason = True, True, str(blocked)
            self._freeze()

    def stop(self) -> None:
        """End the motion where it is; harmless when already done."""
        if self.done:
            return
        self.done, self.blocked, self.reason = True, True, "STOPPED: it was asked to stop"
        self._steps.close()
        self._freeze()
