"""Watchdog for calls into pack code: skills, conditions, cameras, hooks and listeners.

The loop is a single thread, so a part that does not return delays guards, timeouts and stops. While
a mission runs, a second thread monitors the calls of the loop. A call that takes too long *hangs*:

1. Every robot is stopped. The stop is repeated until the call has returned.
2. The call is interrupted where the language allows: on the main thread a signal (``SIGURG``)
   raises `PartBroken` inside the part, which also ends sleeps and waits for locks and sockets. A
   part that swallows the exception, or blocks again while it cleans up, is interrupted again.
3. The mission fails with ``STEP_HUNG`` and the part's name. No part of the plan is called again.
4. A part that cannot be interrupted is *abandoned*: the mission is ended from the watchdog's
   thread. The program has to exit then, because its loop never continues.

C code that holds the GIL blocks this thread, too. The guardian covers that case and the death of
the process (`bt_exec.guardian`).
"""

from __future__ import annotations

import _thread
import contextlib
import logging
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any, ParamSpec, TypeVar

from bt_exec.failure import PartBroken, plain_error
from bt_exec.nodes.runtime import CurrentCall
from bt_exec.rig import Rig
from bt_exec.site.site import Site
from bt_exec.standby_threads import STANDBY

__all__ = ["FORKED", "Watchdog", "hang_s"]

FORKED = 70
"""Exit code of a forked child that returns into the loop of its parent."""

P = ParamSpec("P")
R = TypeVar("R")

_HANG_S = 0.5  # default time limit of a call with a real robot [s]
_HANG_SIMULATED_S = 30.0  # default time limit of a call if everything is simulated [s]
_POLLS = 4  # minimum number of polls within the time limit of a call
_PERIOD_S = 0.1  # maximum time between two polls [s]
_DELAY_S = 0.25  # delay of a poll above which this thread was blocked [s]
_GRACE = 5  # number of polls between two interruptions, as time for clean-up
_ATTEMPTS = 5  # number of interruptions of a call before it is abandoned
_ABANDON_S = 3.0  # minimum time before a call is abandoned [s]

_RAISED = (Exception, SystemExit, KeyboardInterrupt, PartBroken)

_log = logging.getLogger("bt_exec")


@dataclass(slots=True, eq=False)
class _Call:
    """A call in progress.

    Attributes:
        part: Name of the part.
        limit_s: Time limit [s].
        until: Deadline [s, clock of the watchdog].
        again: Whether the part may be called again after it hung.
        hangs: Whether the deadline has passed.
        polls: Number of polls that found the call hanging.
    """

    part: str
    limit_s: float
    until: float
    again: bool
    hangs: bool = False
    polls: int = 0

    def hang_error(self) -> PartBroken:
        return PartBroken(self.part, f"did not return within {self.limit_s:g} s", "STEP_HUNG")


class Watchdog:
    """Watchdog for the calls of one thread. Use it as a context manager on that thread.

    Args:
        limit_s: Time limit of a call [s, wall].
        stop: Stops every robot, without waiting; called on the watchdog's thread.
        abandon: Called once, on the watchdog's thread, if a call cannot be interrupted.
        now: The clock; `time.monotonic` if not given.

    Attributes:
        hung: The parts that hung; they are not called again.
        present: The current call of the tick.
        excused: The part that was being called while the process was suspended.
        first: The first hang of a part that must not be called again; None if there was none.
    """

    def __init__(
        self,
        limit_s: float,
        stop: Callable[[], object],
        *,
        abandon: Callable[[PartBroken], object] = lambda _: None,
        now: Callable[[], float] | None = None,
    ) -> None:
        self.limit_s = limit_s
        self.now = now or time.monotonic
        self.hung: set[str] = set()
        self.first: PartBroken | None = None
        self.excused = ""
        self.present = CurrentCall(limit_s, self.now)
        self._period_s = min(limit_s / _POLLS, _PERIOD_S)
        self._stop = stop
        self._abandon = abandon
        self._abandoned = False
        self._calls: list[_Call] = []
        self._thread = 0  # thread of the watched calls
        self._pid = os.getpid()
        self._earlier: Any = None
        self._end = _thread.allocate_lock()

    def call(self, part: str, function: Callable[P, R], /, *args: P.args, **more: P.kwargs) -> R:
        """Call `function` on behalf of `part` and return its result.

        Raises:
            PartBroken: If the call hangs, or the part hung before.
        """
        return self.call_within(self.limit_s, part, function, *args, **more)

    def call_within(
        self,
        limit_s: float,
        part: str,
        function: Callable[P, R],
        /,
        *args: P.args,
        **more: P.kwargs,
    ) -> R:
        """Call `function` as `call` does, with a separate time limit [s]."""
        if part in self.hung:
            raise PartBroken(part, "did not return and is not called again", "STEP_HUNG")
        return self._call_under_watch(
            _Call(part, limit_s, self.now() + limit_s, again=False), function, *args, **more
        )

    def call_recorder(
        self,
        limit_s: float,
        part: str,
        function: Callable[P, R],
        /,
        *args: P.args,
        **more: P.kwargs,
    ) -> R:
        """Call `function` as `call_within` does, for the recorder.

        The recorder may be called again after it hung.
        """
        return self._call_under_watch(
            _Call(part, limit_s, self.now() + limit_s, again=True), function, *args, **more
        )

    def _call_under_watch(
        self, call: _Call, function: Callable[P, R], /, *args: P.args, **more: P.kwargs
    ) -> R:
        depth = len(self._calls)
        self._calls.append(call)
        try:
            result = function(*args, **more)
        except BaseException as error:
            del self._calls[depth:]
            if call.hangs and os.getpid() != self._pid:
                os._exit(FORKED)
            safe_error = plain_error(error)
            if call.hangs and not isinstance(safe_error, PartBroken):
                raise call.hang_error() from safe_error
            if safe_error is not error:
                raise safe_error from None
            raise
        del self._calls[depth:]
        if call.hangs:
            if os.getpid() != self._pid:
                os._exit(FORKED)
            raise call.hang_error()
        return result

    def mark_forked(self) -> None:
        """Mark this process as a child forked by pack code, in which no call may return."""
        for call in self._calls:
            call.hangs = True
        self.present.clock = _exit_forked_child
        if self.present.is_active:
            self.present.began = -math.inf

    # -- on the watchdog's thread -------------------------------------------------------------

    def __enter__(self) -> Watchdog:
        """Start watching the calling thread.

        Raises:
            RuntimeError: If no thread can be started for it.
        """
        self._thread = threading.get_ident()
        if self._is_on_main():
            with contextlib.suppress(ValueError):  # raised outside the main interpreter
                self._earlier = signal.signal(signal.SIGURG, self._interrupt)
        self._end.acquire()
        try:
            STANDBY.run(self._watch_calls)
        except BaseException:
            self.__exit__()
            raise
        _ENTERED.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop watching."""
        _ENTERED.discard(self)
        self._calls.clear()
        self.present.reset()
        self._end.release()
        if self._earlier is not None:
            signal.signal(signal.SIGURG, self._earlier)
            self._earlier = None

    def _is_on_main(self) -> bool:
        return self._thread == threading.main_thread().ident

    def _watch_calls(self) -> None:
        wall, used = time.monotonic(), time.process_time()
        while True:
            try:
                if self._end.acquire(timeout=self._period_s):
                    break
                gap_s, used_s = time.monotonic() - wall, time.process_time() - used
                wall, used = wall + gap_s, used + used_s
                if gap_s > self._period_s + _DELAY_S and used_s < gap_s / 2:
                    self._extend_deadlines(gap_s)
                self._check_calls()
            except _RAISED as error:  # out of memory, or raised by a part in all threads
                os.write(2, b"bt-exec: the watchdog: " + type(error).__name__.encode() + b"\n")
        self._end.release()  # so that the watchdog can be entered again

    def _extend_deadlines(self, seconds: float) -> None:
        """Extend the deadlines of calls, because the whole process was suspended.

        The heartbeat of the loop ends the mission in that case. A part that blocks this thread by
        holding the GIL uses CPU time, so its deadline is not extended.
        """
        if active := self._active_calls():
            self.excused = active[-1].part
        for call in list(self._calls):
            call.until += seconds
        self.present.began += seconds

    def _check_calls(self) -> None:
        now = self.now()
        late: list[_Call | CurrentCall] = [call for call in list(self._calls) if now > call.until]
        if self.present.is_late(now):
            late.append(self.present)
        if late:
            self._handle_hang(late[-1])

    def _active_calls(self) -> list[_Call | CurrentCall]:
        """Return the calls in progress, the innermost one last."""
        return [*self._calls, self.present] if self.present.is_active else [*self._calls]

    def _handle_hang(self, call: _Call | CurrentCall) -> None:
        """Stop the robots and interrupt a hanging call with its enclosing calls."""
        first = not call.hangs
        try:
            if first:
                self._mark_hanging(call)
        finally:
            self._stop()
        if first:
            _log.critical(
                "%s did not return within %g s; the robot is stopped", call.part, call.limit_s
            )
        if not call.again:
            self._interrupt_or_abandon(call)

    def _mark_hanging(self, call: _Call | CurrentCall) -> None:
        """Mark a call and its enclosing calls as hanging."""
        for each in self._active_calls():
            each.hangs = True
            each.polls = 0 if each is call else 1  # the exception also ends the enclosing calls
        if not call.again:
            self.hung.add(call.part)
            self.first = self.first or call.hang_error()

    def _interrupt_or_abandon(self, call: _Call | CurrentCall) -> None:
        """Interrupt a call repeatedly; abandon it if that has no effect."""
        if self._earlier is not None and call.polls % _GRACE == 0:
            signal.pthread_kill(self._thread, signal.SIGURG)
        call.polls += 1
        # polls are counted instead of time, because a part may change the clocks
        most = max(_ATTEMPTS * _GRACE, _ABANDON_S / self._period_s)
        if not self._abandoned and call.polls > most:
            self._abandoned = True
            why = "did not return and could not be interrupted"
            _log.critical("%s %s; the robot is stopped", call.part, why)
            self._abandon(PartBroken(call.part, why, "STEP_HUNG"))

    def _interrupt(self, _: int, frame: FrameType | None) -> None:
        """Raise `PartBroken` inside the hanging call; signal handler on the main thread.

        A call that is just returning is not interrupted, because `_watched` reports the delay.
        """
        if frame is not None and frame.f_code is _WATCHED:
            return
        if (calls := self._active_calls()) and (call := calls[-1]).hangs and not call.again:
            raise call.hang_error()


_WATCHED = Watchdog._call_under_watch.__code__
_ENTERED: set[Watchdog] = set()


def _exit_forked_child() -> float:
    """End this process, a forked child that must not run the loop of its parent."""
    os._exit(FORKED)


def _disown_all() -> None:
    for watchdog in _ENTERED:
        watchdog.mark_forked()


os.register_at_fork(after_in_child=_disown_all)


def hang_s(site: Site, rigs: Mapping[str, Rig]) -> float:
    """Return the time limit [s] for a call into pack code at a site."""
    if site.limits.hang_s is not None:
        return site.limits.hang_s
    real = any(rig.robot is not None and rig.simulation is None for rig in rigs.values())
    return _HANG_S if real else _HANG_SIMULATED_S
