"""A watchdog over every call into code of packs: skills, conditions, cameras, hooks, listeners.

The loop is one thread, so a part that does not return holds up guards, timeouts and stops. While a
mission runs, a second thread looks at what the loop is calling. A call that takes too long *hangs*:

1. Every robot is stopped, from a thread of its own, and again as long as the call lasts.
2. The call is broken off where the language allows: on the main thread a signal (``SIGURG``, which
   nobody else wants) raises `PartBroken` inside the part; sleeps, locks and sockets end with it.
3. The mission fails with ``STEP_HUNG`` and the part's name. The part is not called again.

What Python cannot break off, the loop waits for: code in C that neither returns nor looks for
signals, a part that swallows every exception, a session that runs on another thread than the main
one. The robot is stopped all the same; only code that also keeps the interpreter's lock can prevent
that, so a driver needs a heartbeat of its own.
"""

from __future__ import annotations

import _thread
import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from bt_exec.failure import PartBroken
from bt_exec.rig import Rig
from bt_exec.site.site import Site

__all__ = ["Watchdog", "hang_s"]

P = ParamSpec("P")
R = TypeVar("R")

_HANG_S = 0.5  # of a site that says nothing, with a real robot [s]
_HANG_SIMULATED_S = 30.0  # and where everything is simulated [s]
_LOOKS = 4  # how often the watchdog looks while a call may take its time
_PERIOD_S = 0.1  # it looks at least this often [s]

_log = logging.getLogger("bt_exec")


@dataclass(slots=True, eq=False)
class _Call:
    """A call under way.

    Attributes:
        part: Who is called.
        limit_s: How long it may take [s].
        until: When it hangs [s, clock of the watchdog].
        again: Whether it is waited for, and called again.
        hangs: Whether it took too long.
    """

    part: str
    limit_s: float
    until: float
    again: bool
    hangs: bool = False

    def broken(self) -> PartBroken:
        return PartBroken(self.part, f"did not return within {self.limit_s:g} s", "STEP_HUNG")


class Watchdog:
    """Watches the calls of one thread. Use it as a context manager on that thread.

    Args:
        limit_s: How long a call may take [s, wall].
        stop: Stops every robot, without waiting; called on the watchdog's thread.
        now: The clock; tests have their own.

    Attributes:
        hung: The parts that hung; they are not called again.
    """

    def __init__(
        self,
        limit_s: float,
        stop: Callable[[], object],
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limit_s = limit_s
        self.now = now
        self.hung: set[str] = set()
        self._stop = stop
        self._calls: list[_Call] = []
        self._thread = 0  # whose calls these are
        self._earlier: Any = None
        self._end = _thread.allocate_lock()

    def call(self, part: str, function: Callable[P, R], /, *args: P.args, **more: P.kwargs) -> R:
        """Call `function` as the work of `part`, and return what it returns.

        Raises:
            PartBroken: If the call hangs, or the part did before.
        """
        return self.within(self.limit_s, part, function, *args, **more)

    def within(
        self,
        limit_s: float,
        part: str,
        function: Callable[P, R],
        /,
        *args: P.args,
        **more: P.kwargs,
    ) -> R:
        """Do as `call`, with a limit of its own [s]."""
        if part in self.hung:
            raise PartBroken(part, "did not return and is not called again", "STEP_HUNG")
        return self._watched(
            _Call(part, limit_s, self.now() + limit_s, again=False), function, *args, **more
        )

    def waited(
        self,
        limit_s: float,
        part: str,
        function: Callable[P, R],
        /,
        *args: P.args,
        **more: P.kwargs,
    ) -> R:
        """Do as `within` for a part that is waited for and called again: the record."""
        return self._watched(
            _Call(part, limit_s, self.now() + limit_s, again=True), function, *args, **more
        )

    def _watched(
        self, call: _Call, function: Callable[P, R], /, *args: P.args, **more: P.kwargs
    ) -> R:
        depth = len(self._calls)
        self._calls.append(call)
        try:
            result = function(*args, **more)
        except BaseException as error:
            del self._calls[depth:]
            if call.hangs and not isinstance(error, PartBroken):
                raise call.broken() from error
            raise
        del self._calls[depth:]
        if call.hangs:
            raise call.broken()
        return result

    # -- the watchdog's own thread -------------------------------------------------------------

    def __enter__(self) -> Watchdog:
        """Begin to watch the calling thread."""
        self._thread = threading.get_ident()
        if self._on_main():
            with contextlib.suppress(ValueError):  # an interpreter that takes no signals
                self._earlier = signal.signal(signal.SIGURG, self._break_off)
        self._end.acquire()
        _thread.start_new_thread(self._watch, (self._end,))
        return self

    def __exit__(self, *_: object) -> None:
        """Watch no more."""
        self._calls.clear()
        self._end.release()
        if self._earlier is not None:
            signal.signal(signal.SIGURG, self._earlier)
            self._earlier = None

    def _on_main(self) -> bool:
        return self._thread == threading.main_thread().ident

    def _watch(self, end: Any) -> None:
        period = min(self.limit_s / _LOOKS, _PERIOD_S)
        while not end.acquire(timeout=period):
            now = self.now()
            late = [call for call in list(self._calls) if now > call.until]
            if late:
                self._bite(late[-1])
        end.release()  # for the next one who enters

    def _bite(self, call: _Call) -> None:
        """Stop the robots; break the call off, with all that it is a part of."""
        if not call.hangs:
            for each in list(self._calls):
                each.hangs = True
            if not call.again:
                self.hung.add(call.part)
            _log.critical(
                "%s did not return within %g s; the robot is stopped", call.part, call.limit_s
            )
        self._stop()
        if not call.again and self._earlier is not None:
            signal.pthread_kill(self._thread, signal.SIGURG)

    def _break_off(self, *_: object) -> None:
        """Raise inside the call that hangs; called by the signal, on the main thread."""
        if self._calls and (call := self._calls[-1]).hangs and not call.again:
            self._calls.clear()  # all of them end with it
            raise call.broken()


def hang_s(site: Site, rigs: Mapping[str, Rig]) -> float:
    """Return how long a call of somebody's code may take at a site [s]."""
    if site.limits.hang_s is not None:
        return site.limits.hang_s
    real = any(rig.robot is not None and rig.simulation is None for rig in rigs.values())
    return _HANG_S if real else _HANG_SIMULATED_S
