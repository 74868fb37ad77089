"""Motion that executes a generator of steps, and its supervision by a skill."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Generic, TypeAlias, TypeVar

from bt_exec.failure import Failed
from bt_exec.robot import Motion
from bt_exec.skill import Running, Steps

__all__ = ["MotionSteps", "SteppedMotion", "follow_motion"]

S = TypeVar("S", bound=tuple[Any, ...])
MotionSteps: TypeAlias = Generator[tuple[float, str], None, None]
"""Generator of progress 0..1 and phase, once per control period; raises `Failed` on failure."""


class SteppedMotion(Generic[S]):
    """Handle of a motion; implements `bt_exec.robot.Motion`.

    Args:
        steps: Generator of the steps. A step is a tuple that begins with progress 0..1 and phase.
        freeze: Function that stops the hardware at once; called when the motion is interrupted.
        phases: Usual number of phases, if progress restarts from 0 in each phase. All phases have
            equal weight, and the reported progress never decreases. None if steps give the progress
            of the whole motion.
        brake: Whether to call `freeze` also when the motion reaches its goal. A base needs this,
            because it would roll on; an arm does not, because it keeps its target.
    """

    def __init__(
        self,
        steps: Generator[S, None, None],
        freeze: Callable[[], None],
        phases: int | None = None,
        *,
        brake: bool = True,
    ) -> None:
        self._steps = steps
        self._freeze = freeze
        self._phases = phases
        self._brake = brake
        self._begun = 0
        self.done = False
        self.progress = 0.0
        self.failure: Failed | None = None
        self.doing = "planning"

    def advance(self) -> S | None:
        """Return the step for the next period, or None if the motion has ended."""
        if self.done:
            return None
        try:
            step = next(self._steps)
        except StopIteration:
            self.done, self.progress = True, 1.0
            if self._brake:
                self._freeze()
        except Failed as failed:
            self.done, self.failure = True, failed
            self._freeze()
        else:
            self._note(step[0], step[1])
            return step
        return None

    def _note(self, progress: float, phase: str) -> None:
        whole = min(progress, 1.0)
        if phase not in (self.doing, "planning"):
            self._begun += 1
        self.doing = phase
        if self._phases is not None:
            whole = (max(self._begun - 1, 0) + whole) / max(self._phases, self._begun)
        self.progress = max(self.progress, min(whole, 1.0))

    def stop(self) -> None:
        """End the motion immediately; does nothing if it is done."""
        if self.done:
            return
        self.done, self.failure = True, Failed("STOPPED", "it was asked to stop")
        self._steps.close()
        self._freeze()


def follow_motion(
    motion: Motion, doing: Callable[[], str], interrupted: Callable[[], str] = lambda: ""
) -> Steps[str]:
    """Follow `motion` to its end, and stop it in any case.

    Args:
        motion: The started motion.
        doing: Function that returns the current phase in a word or two.
        interrupted: Function called after each step; a non-empty text interrupts the motion.

    Returns:
        Reason for the interruption; empty if the motion ended by itself. `Motion.failure` is None
            if the motion reached its goal.
    """
    why = ""
    try:
        while not (motion.done or why):
            yield Running(motion.progress, doing())
            why = interrupted()
    finally:
        motion.stop()
    return why
