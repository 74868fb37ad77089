"""Time: real, or as fast as the simulation goes. The ticks are the same either way.

Simulated time passes between ticks and only there, one period at a time, on both clocks; the real
one also waits for the deadline on the wall. Deadlines are absolute, so lateness does not add up.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from bt_exec.robot import Simulation

__all__ = ["Clock"]


class Clock:
    """The mission's clock.

    Args:
        simulations: The worlds to advance; none for a real robot.
        period_s: Time between ticks [s].
        fast: Do not wait for the wall. Needs a simulation.
    """

    def __init__(
        self, simulations: Sequence[Simulation], period_s: float, *, fast: bool = False
    ) -> None:
        self.simulations = tuple(simulations)
        self.period_s = period_s
        self.fast = fast and bool(self.simulations)
        self.overruns = 0
        self._start = time.monotonic()
        self._deadline = self._start

    def now(self) -> float:
        """Return the time [s]: simulated if there is a simulation, since the start otherwise."""
        if self.simulations:
            return self.simulations[0].time
        return time.monotonic() - self._start

    def begin(self) -> None:
        """Start counting deadlines from now; call before the first tick and after a pause.

        A simulation that was asked to stop while its time stood still does so now: it must not
        stop what is asked for next (`tests/bt_exec/mission/test_clock.py`).
        """
        for simulation in self.simulations:
            simulation.step(0.0)
        self._deadline = time.monotonic()

    def advance(self) -> None:
        """Let one period pass; on the wall, wait for the deadline."""
        for simulation in self.simulations:
            simulation.step(self.period_s)
        if self.fast:
            return
        self._deadline += self.period_s
        rest = self._deadline - time.monotonic()
        if rest > 0:
            time.sleep(rest)
        elif rest < -self.period_s:  # a whole tick late: go on from here, do not rush to catch up
            self.overruns += 1
            self._deadline = time.monotonic()
