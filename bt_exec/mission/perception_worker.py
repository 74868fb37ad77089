"""Perception between ticks: captures on the loop's thread, interpretation on worker threads.

Observations are made on request. With a simulation, the loop waits for the observation at a fixed
simulated time after the capture, so that the same world gives the same ticks on every machine; with
a latency, the simulation and the interpretation run at the same time. With a real robot the loop
does not wait; the observation arrives later, with its age.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from bt_exec.events import Observed, PerceptionFailed
from bt_exec.failure import PartBroken, describe_exception, plain_error
from bt_exec.mission.clock import Clock
from bt_exec.nodes.fault_injection import Faults
from bt_exec.nodes.runtime import Runtime, known_facts
from bt_exec.observation import ObservationBuffer, Situation
from bt_exec.rig import checked_facts
from bt_exec.robot import Observation, Perception
from bt_exec.site.site import Rates

__all__ = ["PerceptionLoop", "PerceptionWorker", "validated_observation"]

P = ParamSpec("P")
R = TypeVar("R")


class PerceptionWorker:
    """Perception of one rig, run between ticks.

    Args:
        pack: Name of the pack.
        perception: The pack's perception.
        buffer: Destination of the observations.
        rates: Observation rates.
        wait: Whether to wait for an observation before the next tick (simulations).
    """

    def __init__(
        self,
        pack: str,
        perception: Perception[Any],
        buffer: ObservationBuffer[Any],
        rates: Rates,
        *,
        wait: bool,
    ) -> None:
        self.pack = pack
        self.buffer = buffer
        self.wait = wait
        self._perception = perception
        self._rates = rates
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"perception-{pack}")
        self._pending: Future[Any] | None = None
        self._stuck: Future[Any] | None = None  # a capture whose interpretation takes too long
        self._since = 0.0  # start of the pending interpretation [s, wall]
        self._due = 0.0  # time at which a simulation's observation arrives [s, mission clock]
        self._late = False  # whether a delay of the pending observation was reported
        self._last = float("-inf")
        set_clock = getattr(perception, "set_clock", None)
        if callable(set_clock):
            set_clock(buffer.now)

    def start(self, faults: Faults | None = None, *, now: bool = False) -> None:
        """Take a capture and pass it to the worker if an observation is due.

        Args:
            faults: Injected faults.
            now: Take a capture even if none is due. An observation in progress is discarded,
                because it would be outdated.

        Raises:
            TimeoutError: If `now` is set and the worker is still busy with a capture that was
                abandoned after its time limit.
        """
        if self._stuck is not None:
            if not self._stuck.done():
                if now:
                    raise TimeoutError("an earlier capture is still being interpreted")
                return
            self._stuck = None
        if self._pending is not None:
            if not now:
                return
            self._pending.cancel()
            self._pending = None
        since = self.buffer.now() - self._last + 1e-9
        due = self.buffer.asked and since >= 1 / self._rates.look_hz
        idle = self._rates.idle_look_hz > 0 and since >= 1 / self._rates.idle_look_hz
        if not (now or due or idle):
            return
        self._last = self.buffer.now()
        self._due = self._last if now else self._last + self._rates.latency_s
        faults = faults or Faults()
        capture = faults.capture(self.pack, self._perception.capture)
        self._since, self._late = time.monotonic(), False
        interpret = faults.interpreter(self.pack, self._perception.interpret)
        self._pending = self._pool.submit(interpret, capture)

    def collect(
        self, limit_s: float, ended: Callable[[], bool] = lambda: False
    ) -> Observation | None:
        """Return the observation that has arrived, after storing it; None if there is none.

        In a simulation, no observation is returned once `ended` returns True, because its arrival
        in time would depend on the speed of the machine.

        Raises:
            TimeoutError: If the observation takes longer than `limit_s` in a simulation, or longer
                than twice `limit_s` otherwise.
            ObservationRefused: If the result is not a valid observation.
            Exception: An exception raised by the perception.
        """
        if self._pending is None:
            return None
        if self.wait:
            if self.buffer.now() < self._due - _AHEAD_S:
                return None
            self._wait(limit_s, ended)
            if ended():
                return None
        if not self._pending.done():
            if not self._late and time.monotonic() - self._since >= 2 * limit_s:
                self._late = True  # raise once per capture; the late observation is still used
                raise TimeoutError(f"no observation after {2 * limit_s:g} s")
            return None
        pending, self._pending = self._pending, None
        error = pending.exception()
        if isinstance(error, KeyboardInterrupt):
            why = "raised KeyboardInterrupt"  # raised by the perception, not by the operator
            raise RuntimeError(why) from error  # noqa: TRY004 - the error is not about a wrong type
        observation = validated_observation(pending.result(), self.buffer.now())
        self.buffer.add(observation)
        return observation

    def _wait(self, limit_s: float, ended: Callable[[], bool]) -> None:
        """Wait for the worker in short steps, so that an abort is not delayed."""
        assert self._pending is not None
        waited = 0.0
        while not self._pending.done():
            try:
                self._pending.exception(timeout=0.05)
            except FutureTimeout:
                waited += 0.05
                if ended():
                    return
                if waited >= limit_s:
                    raise self._abandon_capture(limit_s) from None

    def _abandon_capture(self, limit_s: float) -> TimeoutError:
        """Abandon the pending capture. The worker gets no new one until this one is interpreted."""
        self._stuck, self._pending = self._pending, None
        return TimeoutError(f"no observation after {limit_s:g} s")

    def close(self) -> None:
        """Shut down the worker."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class PerceptionLoop:
    """Perception workers of a mission, run together between ticks.

    A perception that raises does not end the mission: it causes a `PerceptionFailed` event, and
    conditions become unknown as the observations age.

    Args:
        runtime: Rigs, clock and listeners of the mission.
        perception_workers: Perception workers by pack.
        clock: The mission's clock.
        limit_s: Time limit of a single observation [s].
        ended: Returns True if the mission is to end, which ends all waits.
    """

    def __init__(
        self,
        runtime: Runtime,
        perception_workers: Mapping[str, PerceptionWorker],
        clock: Clock,
        limit_s: float,
        ended: Callable[[], bool],
    ) -> None:
        self._runtime = runtime
        self.perception_workers = perception_workers
        self._clock = clock
        self._limit_s = limit_s
        self._ended = ended

    def start(self) -> None:
        """Start the observations that are due; returns quickly."""
        for worker in self.perception_workers.values():
            self._start(worker)

    def collect(self) -> None:
        """Collect the observations that have arrived."""
        for worker in self.perception_workers.values():
            self._collect(worker)

    def observe_all(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        """Make one observation with every perception, and wait for each within its time limit.

        Args:
            meanwhile: Called repeatedly while waiting.
        """
        for worker in self.perception_workers.values():
            limit = time.monotonic() + self._limit_s
            if self._start(worker, now=True):
                while not self._collect(worker) and time.monotonic() < limit:
                    if self._ended():
                        return
                    meanwhile()
                    time.sleep(self._clock.period_s / 5)

    def facts(self) -> dict[str, str]:
        """Return the facts reported by robots and established by the newest observations."""
        runtime = self._runtime
        buffers = {name: worker.buffer for name, worker in self.perception_workers.items()}
        return known_facts(runtime.catalogue, runtime.rigs, buffers, self._call_pack)

    def old_facts(self, old_s: float) -> dict[str, float]:
        """Return the facts of outdated observations, each with its observation time [s].

        Only the newest observation of each pack counts. It is outdated if an action ended after it,
        or if it is older than `old_s` [s].
        """
        acted, now = self._runtime.acted, self._runtime.now()
        found: dict[str, float] = {}
        for pack, worker in self.perception_workers.items():
            for one in tuple(worker.buffer.observations)[-1:]:
                if one.t < acted or now - one.t > old_s:
                    facts = self._runtime.catalogue.facts_on_site(pack, checked_facts(one.facts()))
                    found.update(dict.fromkeys(facts, one.t))
        return found

    def _call_pack(self, part: str, function: Callable[P, R], *args: P.args, **more: P.kwargs) -> R:
        """Call pack code under the watchdog.

        Raises:
            PartBroken: If it raises or hangs; the mission ends and names the part.
        """
        try:
            return self._runtime.watch.call(part, function, *args, **more)
        except (KeyboardInterrupt, PartBroken):
            raise
        except BaseException as error:
            raise PartBroken(part, f"raised {describe_exception(error)}") from error

    def situation(self) -> Situation:
        """Return the currently observed situation, for a compiler."""
        parts_by_pack = {
            pack: self._call_pack(
                f"the observation of {pack}", _situation_parts, worker.buffer.observations[-1]
            )
            for pack, worker in self.perception_workers.items()
            if worker.buffer.observations
        }
        labels = dict.fromkeys(label for found, _, _ in parts_by_pack.values() for label in found)
        text = " · ".join(text for _, text, _ in parts_by_pack.values())
        frame = next((frame for _, _, frame in parts_by_pack.values() if frame is not None), None)
        if frame is None:
            frames = (rig.frame for rig in self._runtime.rigs.values() if rig.frame is not None)
            frame = next((self._call_pack("the picture", one) for one in frames), None)
        labels_by = {pack: found for pack, (found, _, _) in parts_by_pack.items()}
        return Situation(tuple(labels), self.facts(), text, frame, labels_by)

    def _start(self, worker: PerceptionWorker, *, now: bool = False) -> bool:
        try:
            faults = self._runtime.faults
            self._runtime.watch.call(f"the camera of {worker.pack}", worker.start, faults, now=now)
        except (KeyboardInterrupt, PartBroken):
            raise
        except BaseException as error:  # noqa: BLE001 - the mission continues without perception
            self._failed(worker, error)
            return False
        return True

    def _collect(self, worker: PerceptionWorker) -> bool:
        """Collect an observation if it has arrived; return True if it has arrived or failed."""
        try:
            observation = worker.collect(self._limit_s, self._ended)
        except BaseException as error:
            if isinstance(plain_error(error), KeyboardInterrupt | PartBroken):
                raise
            self._failed(worker, error)
            return True
        if observation is None:
            return False
        runtime = self._runtime
        runtime.emit(Observed(runtime.now(), runtime.tick, worker.pack, observation))
        return True

    def _failed(self, worker: PerceptionWorker, error: BaseException) -> None:
        message = describe_exception(error)
        runtime = self._runtime
        runtime.emit(PerceptionFailed(runtime.now(), runtime.tick, worker.pack, message))


def _situation_parts(observation: Observation) -> tuple[tuple[str, ...], str, Any]:
    """Return the fields of a `Situation` from an observation: labels, summary line and picture."""
    return tuple(observation.labels()), observation.describe("en"), observation.frame


_AHEAD_S = 1e-3  # tolerance for times ahead of the clock, due to rounding [s]
_WANTED = ("t", "frame", "labels", "facts", "describe", "record")


def validated_observation(found: Any, now: float) -> Observation:
    """Return an observation after validating its type, fields and time.

    Args:
        found: Result of a perception.
        now: Time on the mission's clock [s].

    Raises:
        TypeError: If it is not an observation, or one of its methods returns a wrong type.
        ValueError: If its time is not finite, or is in the future.
    """
    missing = [name for name in _WANTED if not hasattr(found, name)]
    if missing:
        raise TypeError(f"{type(found).__name__} is not an observation: it has no {missing[0]}")
    observation: Observation = found
    t: Any = observation.t
    if not isinstance(t, Real) or not math.isfinite(t):
        raise ValueError(f"the time of an observation must be a finite number; found {t!r:.80}")
    if float(t) > now + _AHEAD_S:
        raise ValueError(f"the observation has time {float(t):g} s, but the clock shows {now:g} s")
    labels: Any = observation.labels()
    if isinstance(labels, str) or not all(isinstance(label, str) for label in labels):
        raise TypeError(f"labels must be strings; found {labels!r:.80}")
    checked_facts(observation.facts())
    line: Any = observation.describe("en")
    if not isinstance(line, str):
        raise TypeError(f"describe must return a line of text; found {line!r:.80}")
    if not isinstance(observation.record(), dict):
        raise TypeError("record must return a dict of plain data")
    return observation
