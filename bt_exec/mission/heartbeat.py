"""Heartbeat of the tick loop: a stall ends the mission, and a guardian receives regular beats."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import time
from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING

from bt_exec.failure import PartBroken
from bt_exec.mission.watchdog import FORKED
from bt_exec.rig import Rig
from bt_exec.site.site import Site

if TYPE_CHECKING:
    from bt_exec.guardian import Guardian

__all__ = ["STALLED", "Heartbeat", "stall_s"]

STALLED = "STALLED"
"""Code of a mission whose loop stalled for longer than the site allows."""

_PERIOD_S = 0.02  # maximum time between two readings of the boot-time clock [s]
_GROWTH_KB = 50_000  # growth of peak memory after which garbage of missions is collected [kB]
_STALL_S = 3.0  # minimum of the default gap limit with a real robot [s]


_peak_kb = 0  # peak memory of the process at the last collection


class Heartbeat:
    """Monitor of the gaps between ticks while the robot may move.

    Args:
        limit_s: Longest allowed gap [s], including suspension of the machine; None for no limit.
        guardian: Receives the heartbeats, or None.
        during: Returns the part that was being called during the stall.

    Attributes:
        due: Time of the next beat [s, monotonic].
    """

    def __init__(
        self,
        limit_s: float | None,
        guardian: Guardian | None = None,
        during: Callable[[], str] = str,
    ) -> None:
        self._limit_s = float("inf") if limit_s is None else limit_s
        self._guardian = guardian
        self._during = during
        self._pid = os.getpid()
        self._last = 0.0
        self._frozen = False
        self.due = 0.0
        self._period_s = _PERIOD_S
        if guardian is not None:
            self._period_s = min(_PERIOD_S, guardian.within_s / 8)

    def start(self) -> None:
        """Start monitoring, because the robot may move from now on.

        Existing objects, such as a plan of thousands of nodes, are excluded from garbage collection
        until `end`. A full scan of them would block every thread for a noticeable time.

        Raises:
            PartBroken: If the guardian has ended.
        """
        if not self._frozen:
            self._frozen = gc.get_freeze_count() == 0  # False if the program froze objects
        gc.freeze()
        self._last, self.due = _suspend_aware_time(), 0.0
        if self._guardian is not None:
            self._guardian.arm()

    def beat(self) -> None:
        """Record a beat; must be called in the first tick after `due`.

        Several quick ticks share a beat, because only gaps much longer than a tick matter.

        Raises:
            PartBroken: If the loop stalled for too long, or the guardian has ended or has
                stopped the robot.
        """
        self.due = monotonic() + self._period_s
        if os.getpid() != self._pid:  # a skill forked: the child must not tick
            os._exit(FORKED)
        now = _suspend_aware_time()
        gap_s, self._last = now - self._last, now
        if gap_s > self._limit_s:
            part = self._during()
            why = f"stalled for {gap_s:.1f} s (limit {self._limit_s:g} s)"
            why += f", last in {part}" if part else ""
            raise PartBroken("the loop", why, STALLED)
        if self._guardian is not None:
            self._guardian.beat(now)

    def beat_at_rest(self) -> None:
        """Send a beat while the robot comes to rest; stalls and guardian errors are ignored."""
        with contextlib.suppress(PartBroken):
            self.beat()

    def end(self) -> None:
        """Stop monitoring, because nothing moves any more."""
        if self._frozen:
            self._frozen = False
            gc.unfreeze()
            _collect_if_grown()
        if self._guardian is not None:
            self._guardian.disarm()


def _collect_if_grown() -> None:
    """Collect garbage if the process has grown, because freezing prevents full collections."""
    global _peak_kb
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if peak_kb > _peak_kb + _GROWTH_KB:
        _peak_kb = peak_kb
        gc.collect()


def _suspend_aware_time() -> float:
    """Return the time [s] of a clock that includes suspension of the machine."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def stall_s(
    site: Site, rigs: Mapping[str, Rig], hang_s: float, within_s: float | None
) -> float | None:
    """Return the longest allowed gap [s] between two ticks at a site; None for no limit.

    A guardian stops the robot after a gap of `within_s` [s]. The same limit applies here, so that
    the mission ends even if the guardian was suspended together with this process.
    """
    if site.limits.stall_s is not None:
        return site.limits.stall_s
    if within_s is not None:
        return within_s
    real = any(rig.robot is not None and rig.simulation is None for rig in rigs.values())
    return max(_STALL_S, 2 * hang_s) if real else None
