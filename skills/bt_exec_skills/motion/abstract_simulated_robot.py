"""Base class of simulated robots: time in whole control periods, one motion at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

from bt_exec_skills.motion.stepped_motion import SteppedMotion

__all__ = ["OneMotion", "Periods", "SimulatedBody"]


class Periods:
    """Division of time into whole control periods; the remainder is carried over to the next step.

    Args:
        period_s: Control period [s].
    """

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._owed_s = 0.0

    def take(self, seconds: float) -> int:
        """Return the whole periods in `seconds` plus the remainder; keep the new remainder."""
        count = 0
        self._owed_s += seconds
        while self._owed_s > self._period_s / 2:
            self._owed_s -= self._period_s
            count += 1
        return count


S = TypeVar("S", bound=tuple[Any, ...])


class OneMotion(Generic[S]):
    """Holder of the current motion of a simulated robot, if any.

    All methods except `request_stop` must be called on the thread that advances time.

    Args:
        freeze: Function that stops the hardware at once.
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
        """Return the motion's step for the next period, or None without a motion."""
        return self._motion.advance() if self._motion is not None else None

    def request_stop(self) -> None:
        """Request a stop, which `apply_stop_request` executes; safe from threads and signals."""
        self._stop_asked = True

    def apply_stop_request(self) -> None:
        """Stop the motion and freeze the hardware, if a stop was requested."""
        if self._stop_asked:
            self._stop_asked = False
            if self._motion is not None:
                self._motion.stop()
            self._freeze()

    @property
    def idle(self) -> bool:
        """Whether no motion is running."""
        return self._motion is None or self._motion.done

    @property
    def doing(self) -> str:
        """Phase of the motion; empty at rest."""
        return self._motion.doing if self._motion is not None and not self._motion.done else ""


class SimulatedBody(Generic[S]):
    """Base class of simulated robots; implements `bt_exec.robot.Robot` and `Simulation`.

    A subclass implements `freeze` and `moving`, and starts motions with `start`. All methods except
    `stop` must be called on the thread that calls `step`.

    Args:
        world: The simulated world; its time passes only in its `advance`.
        period_s: Control period [s].
    """

    def __init__(self, world: Any, period_s: float) -> None:
        self.world = world
        self._motion: OneMotion[S] = OneMotion(self.freeze)
        self._periods = Periods(period_s)

    def freeze(self) -> None:
        """Stop the hardware at once."""
        raise NotImplementedError

    @property
    def moving(self) -> bool:
        """Whether any joint moves."""
        raise NotImplementedError

    def advance_world(self, step: S | None) -> None:
        """Advance the world by one control period.

        Args:
            step: The motion's step for this period, or None without a motion.
        """
        del step
        self.world.advance()

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.world.time)

    def step(self, seconds: float) -> None:
        """Advance motion and world by `seconds`, in whole control periods."""
        for _ in range(self._periods.take(seconds)):
            self._motion.apply_stop_request()
            self.advance_world(self._motion.advance())
        self._motion.apply_stop_request()

    def stop(self) -> None:
        """Freeze the robot; safe from any thread and from a signal handler."""
        self._motion.request_stop()

    @property
    def still(self) -> bool:
        """Whether the robot has no motion and no moving joint."""
        return self._motion.idle and not self.moving

    @property
    def doing(self) -> str:
        """Phase of the motion; empty at rest."""
        return self._motion.doing

    def start(
        self, steps: Generator[S, None, None], phases: int | None = None, *, brake: bool = False
    ) -> SteppedMotion[S]:
        """Stop the current motion and begin another one; arguments as for `SteppedMotion`."""
        return self._motion.start(steps, phases, brake=brake)
