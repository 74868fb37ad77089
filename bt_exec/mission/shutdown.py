"""Shutdown of motion at the end of a mission: every robot is still, or its stop has failed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from bt_exec.failure import Failure, PartBroken, in_words
from bt_exec.mission.clock import Clock
from bt_exec.nodes.runtime import Watch
from bt_exec.rig import Rig, stop_all

__all__ = ["STOP_FAILED", "come_to_rest", "moving_robots"]

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
    """Wait briefly for the robots to be still, then stop them until they are.

    Args:
        rigs: The rigs of the mission, by pack.
        clock: The mission's clock.
        still_s: Time limit for a robot to come to rest, before and after the stop [s].
        watch: Watches the calls of the robots.
        stopping: Called before the robots are stopped.
        beat: Called each period as a heartbeat.

    Returns:
        The failure of a stop without effect; None if nothing moves.
    """

    def wait(again: Callable[[Mapping[str, Rig]], object] = lambda _: None) -> dict[str, str]:
        def each(moving: Mapping[str, Rig]) -> None:
            beat()
            again(moving)

        return _wait(rigs, clock, still_s, watch, each)

    if not wait():
        return None
    stopping()
    trouble = {name: f"its stop() {why}" for name, why in stop_all(rigs).items()}
    trouble = {**wait(lambda moving: stop_all(moving, clock.period_s)), **trouble}
    if clock.lost:  # nothing moves in a simulation that no longer advances
        trouble = {name: why for name, why in trouble.items() if rigs[name].simulation is None}
    if not trouble:
        return None
    message = "; ".join(f"the robot of {name}: {why}" for name, why in trouble.items())
    _log.critical("THE ROBOT DID NOT STOP; %s. Use its emergency stop", message)
    return Failure(STOP_FAILED, message, kind="robot", evidence=trouble, retryable=False)


def _wait(
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
            watch.within(clock.step_s + watch.limit_s, clock.part, clock.advance)
        except (KeyboardInterrupt, PartBroken):
            break  # a second Ctrl-C ends the wait; the record must still be completed
        except Exception as error:  # noqa: BLE001 - time does not pass: nothing to wait for
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
            if not watch.call(f"still of the robot of {name}", rig.still_now):
                moving[name] = "it still moves"
        except PartBroken as error:
            moving[name] = str(error)
        except KeyboardInterrupt:
            moving[name] = "its state cannot be read"
        except BaseException as error:  # noqa: BLE001 - a robot that cannot be asked may be moving
            moving[name] = f"still raised {in_words(error)}"
    return moving
