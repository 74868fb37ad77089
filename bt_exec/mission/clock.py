"""Mission clock that runs in real time, or as fast as the simulation can, with the same ticks.

In both modes, simulated time advances only between ticks, by one period at a time. In real time,
the clock also waits for the deadline on the wall clock. Deadlines are absolute, so that delays do
not accumulate. A simulation in another process is advanced in lockstep, so its ticks are the same,
too. The wait for it has a time limit and ends immediately when the mission is stopped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import cached_property

from bt_exec.failure import PartBroken, SimulationLost, plain_error
from bt_exec.robot import RemoteSimulation, Simulation

__all__ = ["Clock"]

_SLICE_S = 0.02  # polling period for stop requests while waiting for a remote world [s]


def _ignore() -> None:
    """Do nothing; default callback for waits that cannot be ended early."""


class Clock:
    """The mission's clock.

    Args:
        simulations: The worlds to advance; none for a real robot.
        period_s: Time between ticks [s].
        fast: Whether to advance without waiting for the wall clock; requires a simulation.
        step_s: Time limit for a remote world to advance by one period [s, wall].

    Attributes:
        lost: Reason why the worlds cannot be advanced any more; None if they can.
    """

    def __init__(
        self,
        simulations: Sequence[Simulation | RemoteSimulation],
        period_s: float,
        *,
        fast: bool = False,
        step_s: float = 10.0,
    ) -> None:
        self.simulations = tuple(simulations)
        self.period_s = period_s
        self.fast = fast and bool(self.simulations)
        self.step_s = step_s
        self.overruns = 0
        self.lost: SimulationLost | None = None
        self._last = 0.0  # latest time reported by a simulation [s]
        self._pending: list[Future[None]] = []
        self._alarm: tuple[float, Callable[[], object]] | None = None
        self._start = time.monotonic()
        self._deadline = self._start

    @property
    def part(self) -> str:
        """Name of the part that advances the time, for error messages."""
        return "the simulation" if self.simulations else "the wait for the next tick"

    def now(self) -> float:
        """Return the simulated time or, without a simulation, the time since the start [s].

        Never raises. If a simulation cannot report its time, it counts as lost and its last time is
        returned.
        """
        if not self.simulations:
            return time.monotonic() - self._start
        try:
            time_s = float(self.simulations[0].time)
        except BaseException as error:
            if isinstance(plain_error(error), KeyboardInterrupt | PartBroken):
                raise
            self.lost = self.lost or SimulationLost(error)
            return self._last
        if not math.isfinite(time_s):
            self.lost = self.lost or SimulationLost(f"its time is {time_s}")
            return self._last
        self._last = time_s
        return time_s

    def begin(self, check_stop: Callable[[], None] = _ignore) -> None:
        """Restart the deadlines from now; call before the first tick and after a pause.

        A simulation takes a step of length 0, so that a pending stop is executed now and does not
        affect the next motion (`tests/bt_exec/mission/test_clock.py`).
        """
        self._step(0.0, check_stop)
        self._deadline = time.monotonic()

    def align(self) -> None:
        """Advance the worlds whose time is behind, so that all have the same time.

        Raises:
            SimulationLost: If a world cannot be advanced.
        """
        if len(self.simulations) < 2:
            return
        latest = max(float(world.time) for world in self.simulations)
        for world in self.simulations:
            if (behind := latest - float(world.time)) > 0:
                Clock((world,), self.period_s, step_s=self.step_s)._step(behind, _ignore)

    def advance(self, check_stop: Callable[[], None] = _ignore) -> None:
        """Advance by one period; in real time, wait for the deadline.

        Args:
            check_stop: Called while waiting for a remote world; raises to end the wait.

        Raises:
            SimulationLost: If a world cannot be advanced within its time limit.
        """
        self._step(self.period_s, check_stop)
        if self._alarm is not None and self.now() >= self._alarm[0] - 1e-9:
            (_, call), self._alarm = self._alarm, None
            call()
        if self.fast:
            return
        self._deadline += self.period_s
        rest = self._deadline - time.monotonic()
        if rest > 0:
            time.sleep(rest)
        elif rest < -self.period_s:  # more than a tick late: skip the missed deadlines
            self.overruns += 1
            self._deadline = time.monotonic()

    def call_at(self, t: float | None, call: Callable[[], object] = _ignore) -> None:
        """Schedule a call between two ticks, once the clock has reached `t` [s].

        It replaces an earlier scheduled call. If `t` is None, the earlier call is cancelled and no
        new one is scheduled.
        """
        self._alarm = None if t is None else (t, call)

    def _step(self, seconds: float, check_stop: Callable[[], None]) -> None:
        """Advance all worlds. Remote worlds are started first and compute while local ones step."""
        before = self.now()
        try:
            self._wait_for_remote_worlds(check_stop)  # finish a step whose wait was ended early
            self._start_step(seconds)
            self._wait_for_remote_worlds(check_stop)
        except SimulationLost as error:
            self.lost = error
        after = self.now()
        if self.lost is None and self.simulations and seconds > 0 and after <= before:
            self.lost = SimulationLost(f"its time stays at {after:g} s")
        if self.lost is not None:
            raise self.lost

    def _start_step(self, seconds: float) -> None:
        try:
            remote, own = self._worlds
            for far in remote:
                self._pending.append(far.start_step(seconds))
            for world in own:
                world.step(seconds)
        except BaseException as error:
            if isinstance(cause := plain_error(error), KeyboardInterrupt | PartBroken):
                raise
            raise SimulationLost(cause) from cause

    @cached_property
    def _worlds(self) -> tuple[tuple[RemoteSimulation, ...], tuple[Simulation, ...]]:
        """The remote and the local worlds; cached, because the type checks are slow."""
        remote = [world for world in self.simulations if isinstance(world, RemoteSimulation)]
        own = [world for world in self.simulations if not isinstance(world, RemoteSimulation)]
        return tuple(remote), tuple(own)

    def _wait_for_remote_worlds(self, check_stop: Callable[[], None]) -> None:
        """Wait until the remote worlds have advanced."""
        limit = time.monotonic() + self.step_s
        while self._pending:
            done, _ = wait(self._pending[:1], timeout=_SLICE_S)
            check_stop()
            if done:
                try:
                    self._pending.pop(0).result()
                except (Exception, PartBroken) as error:  # noqa: BLE001 - code of a pack
                    raise SimulationLost(error) from plain_error(error)
            elif time.monotonic() >= limit:
                self._pending.clear()
                raise SimulationLost(f"the simulation did not answer within {self.step_s:g} s")
