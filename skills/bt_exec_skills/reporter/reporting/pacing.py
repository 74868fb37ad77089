"""Real-time pacing of a simulation while the operator types."""

from __future__ import annotations

import time
from collections.abc import Callable

from bt_exec.robot import Simulation

__all__ = ["Pacing"]


class Pacing:
    """Real-time pacing while a reply is awaited, whatever the speed of the mission.

    Otherwise the time limit of the reply would expire before the operator has read the question.
    The simulation waits between ticks, as a clock does. Implements `bt_exec.robot.Simulation`.

    Args:
        simulation: The simulation.
        listening: Function that returns True while a reply is awaited.
        now: Wall-clock time [s].
        sleep: Function that waits [s].
    """

    def __init__(
        self,
        simulation: Simulation,
        listening: Callable[[], bool],
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._simulation, self._listening = simulation, listening
        self._now, self._sleep = now, sleep
        self._last = now()

    @property
    def time(self) -> float:
        """Implement `Simulation.time`."""
        return self._simulation.time

    def step(self, seconds: float) -> None:
        """Implement `Simulation.step`."""
        if self._listening():
            self._sleep(max(0.0, seconds - (self._now() - self._last)))
        self._last = self._now()
        self._simulation.step(seconds)
