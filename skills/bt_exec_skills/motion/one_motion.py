"""Robot base that executes one motion at a time: a new one replaces the current one."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

from bt_exec_skills.motion.stepped import SteppedMotion

__all__ = ["OneMotion"]

S = TypeVar("S", bound=tuple[Any, ...])


class OneMotion(Generic[S]):
    """The motion of a simulated body, if it has one.

    All methods except `ask_to_stop` must be called on the thread that advances time.

    Args:
        freeze: Stops the hardware at once.
    """

    def __init__(self, freeze: Callable[[], None]) -> None:
        self._freeze = freeze
        self._motion: SteppedMotion[S] | None = None
        self._stop_asked = False

    def start(
        self, steps: Generator[S, None, None], phases: int | None = None, *, brake: bool = True
    ) -> SteppedMotion[S]:
        """Stop the current motion and begin another one; arguments as for `SteppedMotion`."""
        if self._motion is not None:
            self._motion.stop()
        self._motion = SteppedMotion(steps, self._freeze, phases, brake=brake)
        return self._motion

    def advance(self) -> S | None:
        """Return the motion's step of the next period, or None without a motion."""
        return self._motion.advance() if self._motion is not None else None

    def ask_to_stop(self) -> None:
        """Request a stop at the next `obey`; safe from any thread and signal handler."""
        self._stop_asked = True

    def obey(self) -> None:
        """Stop the motion and freeze, if requested."""
        if self._stop_asked:
            self._stop_asked = False
            if self._motion is not None:
                self._motion.stop()
            self._freeze()

    @property
    def idle(self) -> bool:
        """Whether there is no motion."""
        return self._motion is None or self._motion.done

    @property
    def doing(self) -> str:
        """Phase of the motion; empty at rest."""
        return self._motion.doing if self._motion is not None and not self._motion.done else ""
