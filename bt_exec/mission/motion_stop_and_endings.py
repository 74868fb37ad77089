"""End of a mission: stop of all motion, endings for exceptions, and interval timers."""

from __future__ import annotations

import contextlib
import logging
import signal
from collections.abc import Callable, Mapping

from bt_exec.declarations.exception_description import source_place_text
from bt_exec.failure import (
    Failure,
    PartBroken,
    RobotStopped,
    SimulationLost,
    describe_exception,
    traceback_text,
)
from bt_exec.mission.clock import Clock
from bt_exec.mission_outcome import Ending
from bt_exec.nodes.runtime import Watch
from bt_exec.rig import Rig, stop_all

__all__ = [
    "STOP_FAILED",
    "Timers",
    "come_to_rest",
    "ending_for_exception",
    "ending_for_failure",
    "moving_robots",
]

STOP_FAILED = "STOP_FAILED"

_log = logging.getLogger("bt_exec")


def come_to_rest(
    rigs: Mapping[str, Rig],
    clock: Clock,
    still_s: float,
    watch: Watch,
    stopping: Callable[[], None],
    beat: Callable[[], None] = lambda: None,
) -> Failure | None:
    """Wait briefly until the robots are at rest; if they are not, stop them repeatedly.

    Args:
        rigs: The rigs of the mission, by pack.
        clock: The mission's clock.
        still_s: Time limit for a robot to come to rest, before and after the stop [s].
        watch: Watches the calls of the robots.
        stopping: Called before the robots are stopped.
        beat: Called each period as a heartbeat.

    Returns:
        The failure if a robot cannot be stopped; None if nothing moves.
    """

    def wait(again: Callable[[Mapping[str, Rig]], object] = lambda _: None) -> dict[str, str]:
        def each(moving: Mapping[str, Rig]) -> None:
            beat()
            again(moving)

        return _wait_until_still(rigs, clock, still_s, watch, each)

    if not wait():
        return None
    stopping()
    trouble = {name: f"its stop() {why}" for name, why in stop_all(rigs).items()}
    trouble = {**wait(lambda moving: stop_all(moving, clock.period_s)), **trouble}
    if clock.lost:  # in a simulation that no longer advances, nothing moves
        trouble = {name: why for name, why in trouble.items() if rigs[name].simulation is None}
    if not trouble:
        return None
    message = "; ".join(f"the robot of {name}: {why}" for name, why in trouble.items())
    _log.critical("THE ROBOT DID NOT STOP; %s. Use its emergency stop", message)
    return Failure(STOP_FAILED, message, kind="robot", evidence=trouble, retryable=False)


def _wait_until_still(
    rigs: Mapping[str, Rig],
    clock: Clock,
    still_s: float,
    watch: Watch,
    again: Callable[[Mapping[str, Rig]], None],
) -> dict[str, str]:
    """Let time pass until nothing moves; return the robots that may still move, with reasons.

    Each period, `again` is called with the rigs whose robots move.
    """
    limit = clock.now() + still_s
    moving = moving_robots(rigs, watch)
    for _ in range(int(still_s / clock.period_s) + 2):  # bounded even if the time does not advance
        if not moving or clock.now() >= limit:
            break
        try:
            watch.call_within(clock.step_s + watch.limit_s, clock.part, clock.advance)
        except (KeyboardInterrupt, PartBroken):
            break  # a second Ctrl-C ends the wait; the record must still be completed
        except Exception as error:  # noqa: BLE001 - without advancing time, waiting is pointless
            _log.error("the time does not advance", exc_info=error)
            break
        moving = moving_robots(rigs, watch)
        again({name: rigs[name] for name in moving})
    return moving


def moving_robots(rigs: Mapping[str, Rig], watch: Watch) -> dict[str, str]:
    """Return the robots that may be moving now, with reasons."""
    moving = {}
    for name, rig in rigs.items():
        try:
            if not watch.call(f"still of the robot of {name}", rig.is_still):
                moving[name] = "it still moves"
        except PartBroken as error:
            moving[name] = str(error)
        except KeyboardInterrupt:
            moving[name] = "its state cannot be read"
        except BaseException as error:  # noqa: BLE001 - a robot that cannot be asked may be moving
            moving[name] = f"still raised {describe_exception(error)}"
    return moving


def ending_for_exception(error: BaseException) -> Ending:
    """Return the ending for an exception; an unexpected one is reported as an internal error."""
    if isinstance(error, PartBroken):
        return ending_for_failure(error.failure())
    if isinstance(error, RobotStopped):
        return Ending("blocked", error.failure.code, error.failure)
    if isinstance(error, SimulationLost):
        return ending_for_failure(
            Failure("SIMULATION_LOST", str(error), kind="robot", retryable=False)
        )
    _log.error("internal error in the executive", exc_info=error)
    evidence = {"traceback": traceback_text(error)}
    message = describe_exception(error) + source_place_text(
        error
    )  # pack code may have replaced a function of bt-exec
    return ending_for_failure(
        Failure("EXECUTIVE_CRASHED", message, kind="robot", evidence=evidence, retryable=False)
    )


def ending_for_failure(failure: Failure) -> Ending:
    """Return the ending of a mission that failed with `failure`."""
    return Ending("failed", failure.code, failure)


_SIGNALS = {
    getattr(signal, timer): getattr(signal, name)
    for timer, name in (
        ("ITIMER_REAL", "SIGALRM"),
        ("ITIMER_VIRTUAL", "SIGVTALRM"),
        ("ITIMER_PROF", "SIGPROF"),
    )
    if hasattr(signal, timer)
}


class Timers:
    """Interval timers that pack code leaves running; timers that already ran are not touched."""

    def __init__(self) -> None:
        self._watched = [timer for timer in _SIGNALS if not signal.getitimer(timer)[0]]

    def clear(self) -> str:
        """Switch off and report running timers, unless a C library handles their signal.

        On the main thread, the signal is ignored from then on.

        Returns:
            The signal of a timer that was running, or an empty text.
        """
        found = ""
        for timer in self._watched:
            number = _SIGNALS[timer]
            if signal.getitimer(timer)[0] and signal.getsignal(number) is not None:
                found = number.name
                with contextlib.suppress(Exception):  # the timer's handler may run and raise here
                    signal.setitimer(timer, 0)
                with contextlib.suppress(Exception):  # only possible on the main thread
                    signal.signal(number, signal.SIG_IGN)  # the signal may already be pending
                _log.warning("a part left the timer of %s running; it is switched off", found)
        return found
