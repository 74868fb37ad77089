"""Life cycle of the robots of a session: robots may move only during a mission.

::

    idle ──► in mission ──► stopping ──► idle
      │                        └──► needs inspection     the stop of a robot has failed
      └──► needs inspection                              a guardian could not stop a robot

While no mission runs, a thread checks that the robots are still. It continues after the session has
ended, for as long as the process lives. A robot that moves is stopped and reported. Simulated
robots move only when their time advances, so only real ones are monitored.
"""

from __future__ import annotations

import atexit
import contextlib
import enum
import json
import logging
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from bt_exec.failure import UsageError
from bt_exec.mission.motion_stop_and_endings import moving_robots
from bt_exec.mission.robot_lock import RobotLock
from bt_exec.nodes.runtime import Unwatched
from bt_exec.rig import Rig, stop_all
from bt_exec.standby_threads import STANDBY

__all__ = ["LifeCycle", "State"]

_PERIOD_S = 0.1  # polling period for robots that should be at rest [s]
_EPISODE_S = 5.0  # maximum time between motions that count as one episode [s]
_RUNAWAY_STOPS = 10  # number of stops after which an episode of motion counts as unstoppable
_SLOWER_AFTER_S = 60.0  # time after the session's end when polling slows down [s]
_PATIENCE_S = 1.0  # maximum time that a mission waits for a poll in progress [s]
_LAST_S = 4.0  # maximum time that the end of the program waits for a poll and its report [s]

_log = logging.getLogger("bt_exec")


class State(enum.Enum):
    """State of the robots of a session."""

    IDLE = "idle"
    IN_MISSION = "in mission"
    NEEDS_INSPECTION = "needs inspection"


class LifeCycle:
    """State of the robots of a session, with a monitor while they are idle.

    Args:
        rigs: The rigs, by pack.
        locks: The locks of the real robots.
        report: Called on another thread if robots moved outside a mission, with reasons by rig.
        runaway: Called on another thread, with reasons by rig, if such a motion continues or
            resumes despite many stops. The program should exit then.

    Attributes:
        state: The current state.
        why: Reason why an inspection of the robots is required; empty if it is not.
    """

    def __init__(
        self,
        rigs: Mapping[str, Rig],
        locks: list[RobotLock],
        report: Callable[[Mapping[str, str]], object],
        runaway: Callable[[Mapping[str, str]], object] = lambda _: None,
    ) -> None:
        self.state = State.IDLE
        self.why = ""
        self._real = {name: rig for name, rig in rigs.items() if rig.is_real_time}
        self._locks = locks
        self._identities = [lock.identity for lock in locks]
        self._notes = [lock.path.with_suffix(".inspect") for lock in locks]
        self._report = report
        self._runaway = runaway
        self._stops = 0  # number of stops in the current episode of motion
        self._closed = False
        self._left: dict[str, weakref.ref[Any]] = {}
        self._moved = float("-inf")
        self._asking = threading.Lock()
        self._pid = os.getpid()
        self._ended = self._due = 0.0
        for note in self._notes:
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                self.require_inspection(str(json.loads(note.read_bytes())["why"]))
        if self._real:
            STANDBY.run(self._watch)
            _OPEN.add(self)

    @contextlib.contextmanager
    def mission(self) -> Iterator[None]:
        """Allow motion for the duration of a mission."""
        with self.paused_monitor():
            self.state, self._stops = State.IN_MISSION, 0
            try:
                yield
            finally:
                self.state = State.NEEDS_INSPECTION if self.why else State.IDLE

    @contextlib.contextmanager
    def paused_monitor(self, patience_s: float = _PATIENCE_S) -> Iterator[None]:
        """Pause the idle monitor, because drivers may support only one thread at a time.

        Args:
            patience_s: Time limit for the monitor to finish; its driver may hang [s].
        """
        taken = self._asking.acquire(timeout=patience_s)
        try:
            yield
        finally:
            if taken:
                self._asking.release()

    def require_inspection(self, why: str) -> None:
        """Reject missions, in later sessions as well, until the robot is inspected."""
        self.why = self.why or why
        for note in self._notes:
            with contextlib.suppress(OSError):
                note.write_text(json.dumps({"why": self.why, "at": time.time()}))

    def mark_inspected(self) -> None:
        """Allow missions again after an inspection of the robot.

        Raises:
            UsageError: If the file that requires the inspection cannot be removed.
        """
        for note in self._notes:
            try:
                note.unlink(missing_ok=True)
            except OSError as error:
                raise UsageError(f"cannot remove the note {note}: {error.strerror}") from error
        self.why, self.state = "", State.IDLE

    def detach(self) -> None:
        """Detach from the session; robots that are still referenced elsewhere stay monitored."""
        self._closed = True
        self._locks = []
        for name, rig in self._real.items():
            with contextlib.suppress(TypeError):  # a class with slots may not allow weak references
                self._left[name] = weakref.ref(rig.robot)
        self._real = {}
        if self._left:
            self._ended = self._due = time.monotonic()
            _ENDED.append(self)
            _start_idle_monitor()

    # -- idle monitor ----------------------------------------------------------------------------

    def _watch(self) -> None:
        while self._real and os.getpid() == self._pid:
            time.sleep(_PERIOD_S)
            self._look_if_idle()

    def _look_if_idle(self) -> None:
        if self._asking.acquire(blocking=False):
            try:
                self.stop_moving_robots()
            except Exception as error:  # noqa: BLE001 - the monitor must continue
                _log.error("the monitor of idle robots", exc_info=error)
            finally:
                self._asking.release()

    def _poll_when_due(self) -> bool:
        """Poll the robots of an ended session if due; return True if any are left to monitor."""
        now = time.monotonic()
        if now >= self._due:
            self._look_if_idle()
            slower = max(1.0, (now - self._ended) / _SLOWER_AFTER_S)
            self._due = now + _PERIOD_S * slower
        return bool(self._left) and os.getpid() == self._pid

    def stop_moving_robots(self) -> None:
        """Stop and report robots that move outside a mission."""
        rigs = dict(self._real) or self._remaining_robots()
        moving = moving_robots(rigs, Unwatched())
        if not moving:
            return
        again = time.monotonic() - self._moved < _EPISODE_S
        self._stops = self._stops + 1 if again else 1
        with contextlib.ExitStack() as stack:
            if self._closed:  # after the session, another process may drive the robot
                try:
                    for identity in self._identities:
                        stack.callback(RobotLock(identity).release)
                except UsageError:
                    self._left.clear()
                    return
            trouble = stop_all({name: rigs[name] for name in moving})
        reasons = {name: trouble.get(name, why) for name, why in moving.items()}
        if self._stops == _RUNAWAY_STOPS:
            self._runaway(reasons)
        self._moved = time.monotonic()
        if again:
            return
        for name, why in reasons.items():
            _log.critical(
                "the robot of %s moved while no mission ran (%s); it is stopped", name, why
            )
        self._report(reasons)

    def _remaining_robots(self) -> dict[str, Rig]:
        """Return the robots of an ended session whose drivers still respond."""
        found: dict[str, Rig] = {}
        for name, reference in list(self._left.items()):
            try:
                robot = reference()
                if robot is not None:
                    found[name] = Rig(robot)
                    found[name].is_still()
            except Exception:  # noqa: BLE001 - a closed driver may raise anything
                del found[name]
            if name not in found:
                del self._left[name]
        return found


_OPEN: weakref.WeakSet[LifeCycle] = weakref.WeakSet()
_ENDED: deque[LifeCycle] = deque()
_WATCHED_IN: set[int] = set()
"""IDs of the processes in which a thread monitors the robots of ended sessions."""


def _start_idle_monitor() -> None:
    """Start the monitor of robots of ended sessions unless it is running."""
    if os.getpid() not in _WATCHED_IN:
        try:
            STANDBY.run(partial(_look_at_ended, _ENDED))
        except RuntimeError as error:  # must not prevent the session from closing
            _log.error("the robots are not monitored: %s", error)
        else:
            _WATCHED_IN.add(os.getpid())


def _look_at_ended(cycles: deque[LifeCycle]) -> None:
    while True:
        time.sleep(_PERIOD_S)
        for _ in range(len(cycles)):
            cycle = cycles.popleft()
            if cycle._poll_when_due():
                cycles.append(cycle)


@atexit.register
def _stop_moved_at_exit() -> None:
    """Stop robots that were moved by earlier exit functions."""
    for cycle in list(_OPEN):
        if cycle._pid == os.getpid():
            with contextlib.suppress(Exception), cycle.paused_monitor(_LAST_S):
                cycle.stop_moving_robots()
