"""Deterministic threads: real threads that run one at a time in an order chosen by a seed.

Locks, thread starts, sleeps, clocks and signals are replaced while `Schedule.installed` is open.
Each of their uses is a scheduling point. In fine-grained runs every line of the traced files is
one, too. At a scheduling point the seed decides which thread continues. Time is simulated and
advances only when every thread waits. A run takes no longer than its computation, and the same
seed gives the same interleaving. Threads that the schedule did not start keep the real primitives.

Everything above these primitives is real: `threading.Thread`, `Event`, `Condition`, executors and
queues are Python code on top of them.
"""

from __future__ import annotations

import _thread
import concurrent.futures.thread as pools
import contextlib
import gc
import queue
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, TypeVar

__all__ = ["DeadlockError", "Schedule"]

T = TypeVar("T")

_ident = _thread.get_ident
_real_lock = _thread.allocate_lock
_real_start = _thread.start_new_thread
_real_time = time.time
_EPOCH = 1.7e9  # simulated time of day at the start of a run [s]
_LONG_S = 200.0  # a longer run counts as one that does not end


class DeadlockError(AssertionError):
    """Raised when every thread waits for another one, or when a run does not end."""


class _Ended(SystemExit):
    """Raised in the threads that are left when a run has ended."""


class _Thread:
    """Thread of a run.

    Attributes:
        number: Position in the order of thread starts.
        ready: Function that returns True if the thread can continue. None while it does not wait.
        until: Time at which the thread continues in any case [s].
        signals: Signals that were sent to the thread and not handled yet.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.baton = _real_lock()
        self.baton.acquire()
        self.ready: Callable[[], bool] | None = None
        self.until = float("inf")
        self.signals: list[int] = []
        self.sentinels: list[Lock] = []


class Lock:
    """Lock whose use is a scheduling point."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Acquire the lock, as `threading.Lock` does."""
        self._schedule.point()
        if self._held and blocking:
            limit_s = float("inf") if timeout < 0 else timeout
            self._schedule.wait(lambda: not self._held, limit_s)
        if self._held:
            return False
        self._held = True
        return True

    def release(self) -> None:
        """Release the lock."""
        if not self._held and not self._schedule.over:
            raise RuntimeError("release unlocked lock")
        self._held = False
        self._schedule.point()

    def locked(self) -> bool:
        """Return True if the lock is held."""
        return self._held

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def _at_fork_reinit(self) -> None:
        self._held = False


class Schedule:
    """Runs functions with simulated threads.

    Attributes:
        now: Simulated time [s].
        points: Scheduling points of this run so far.
        check: Function called at each change of threads and of time. It raises if an invariant is
            violated.
        random: Random generator of all decisions of this run.
        refused: Number of further threads that can be started, or None for no limit.
        over: Whether the run has ended. Its threads then leave.
        cpu: Simulated processor time [s]. It does not advance while the process is suspended.
    """

    def __init__(self, fine: Collection[str] = ()) -> None:
        self._fine = frozenset(fine)
        self._threads: dict[int, _Thread] = {}
        self._handlers: dict[int, Any] = {}
        self.over = self._busy = self._traced = False
        self.check: Callable[[], None] = lambda: None
        self.random = random.Random(0)
        self.refused: int | None = None
        self.now = self.cpu = 0.0
        self.points = 0
        self._count = 0
        self._at: list[tuple[int, Callable[[], None]]] = []
        self._broken: BaseException | None = None

    # -- a run -------------------------------------------------------------------------------------

    def run(self, seed: int, function: Callable[[], T]) -> T | None:
        """Call `function` with the interleaving of `seed`, and end the threads that it leaves.

        Returns:
            Result of `function`, or None if `quit` was called.

        Raises:
            DeadlockError: If no thread can continue.
            AssertionError: If `check` raised. The run ends there.
        """
        self.random = random.Random(seed)
        self._stays = self.random.choice((0.5, 0.8, 0.95, 0.99))
        self._traced = bool(self._fine) and self.random.random() < 0.5
        self._lines = self.random.choice((20.0, 100.0, 500.0))
        self._next_line = 1
        self.now, self.cpu, self.points, self._count = 1000.0, 0.0, 0, 0
        self.refused, self._broken = None, None
        self.over, self._busy = False, False
        self._at, self._handlers = [], {}
        self._gone = _real_lock()
        self._gone.acquire()
        me = self._new()
        self._main = _ident()
        self._threads = {self._main: me}
        earlier = sys.gettrace()
        gc.disable()
        try:
            self._trace_on()
            result = function()
        except _Ended:
            result = None
        finally:
            sys.settrace(earlier)
            self._end(me)
            gc.enable()
            if self._broken is not None:
                raise self._broken
        return result

    def after(self, points: int, call: Callable[[], None]) -> None:
        """Call a function after `points` scheduling points, on the thread that runs then."""
        self._at.append((self.points + points, call))
        self._at.sort(key=lambda one: -one[0])

    def signal_main(self, number: int) -> None:
        """Send a signal to the main thread of the run."""
        self._threads[self._main].signals.append(number)

    def spawn(self, function: Callable[[], object]) -> None:
        """Run a function on a separate thread, regardless of the limit on thread starts."""
        allowed, self.refused = self.refused, None
        self._start(function, ())
        self.refused = allowed

    def leave_if_over(self) -> None:
        """End the calling thread if the run has ended."""
        if self.over and _ident() in self._threads:
            raise _Ended

    def suspend(self, seconds: float) -> None:
        """Suspend the whole process for a while. Time advances, processor time does not."""
        self.now += seconds

    def quit(self) -> None:
        """End the run as `os._exit` ends a program."""
        self.over = True
        if _ident() != self._main:
            self._threads[self._main].baton.release()
            self._threads[_ident()].baton.acquire()
        raise _Ended

    def _end(self, me: _Thread) -> None:
        """End every other thread: each leaves at its next scheduling point."""
        self.over = True
        try:
            for one in list(self._threads.values()):
                if one is not me:
                    one.baton.release()
                    if not self._gone.acquire(timeout=20):
                        raise DeadlockError(f"thread {one.number} of the run does not end")
        finally:
            self._threads = {}

    def _new(self) -> _Thread:
        self._count += 1
        return _Thread(self._count)

    # -- scheduling --------------------------------------------------------------------------------

    def point(self) -> None:
        """Let the seed decide which thread continues."""
        me = self._threads.get(_ident())
        if me is None or self._busy or self.over:
            return
        self._trace_on()
        self.points += 1
        while self._at and self._at[-1][0] <= self.points:
            self._at.pop()[1]()
        if self.random.random() >= self._stays:
            self._hand_over(me)
        self._handle(me)

    def wait(self, ready: Callable[[], bool], limit_s: float) -> None:
        """Block the calling thread until `ready` returns True or the timeout [s] expires."""
        me = self._threads.get(_ident())
        if me is None:
            raise DeadlockError("a thread outside the run waits for one of its threads")
        if self.over:
            raise _Ended
        self._trace_on()
        until = self.now + limit_s
        while not ready() and self.now < until:
            me.ready, me.until = ready, until
            try:
                self._hand_over(me)
            finally:
                me.ready, me.until = None, float("inf")
            self._handle(me)

    def sleep(self, seconds: float) -> None:
        """Let simulated time pass for the calling thread."""
        if _ident() in self._threads:
            self.wait(lambda: False, seconds)
            self.point()
        else:
            _REAL["time.sleep"](seconds)

    def _hand_over(self, me: _Thread) -> None:
        one = self._next()
        if one is not me:
            one.baton.release()
            me.baton.acquire()
        if self.over:
            raise _Ended

    def _next(self) -> _Thread:
        """Choose the next thread. If the run is broken, it is the main thread."""
        self._busy = True
        try:
            return self._choose()
        except BaseException as error:  # noqa: BLE001 - raised again by `run`
            self._broken = self._broken or error
            self.over = True
            return self._threads[self._main]
        finally:
            self._busy = False

    def _choose(self) -> _Thread:
        self.check()
        while True:
            able = [
                one
                for one in self._threads.values()
                if one.ready is None or one.signals or one.until <= self.now or one.ready()
            ]
            if able:
                return self.random.choice(able)
            soonest = min(one.until for one in self._threads.values())
            if soonest > 1000.0 + _LONG_S:
                raise DeadlockError("no thread continues, or the run does not end")
            self.cpu += soonest - self.now
            self.now = soonest
            self.check()

    def _handle(self, me: _Thread) -> None:
        """Call the handlers of the signals that were sent to the calling thread."""
        while me.signals:
            number = me.signals.pop(0)
            handler = self._handlers.get(number)
            if handler is not None:
                handler(number, self._frame())

    def _frame(self) -> Any:
        frame: Any = sys._getframe(1)
        while frame.f_code.co_filename == __file__ and frame.f_back is not None:
            frame = frame.f_back
        return frame

    # -- lines -------------------------------------------------------------------------------------

    def _trace_on(self) -> None:
        # an exception in a trace function would end tracing
        if self._traced and sys.gettrace() is None:
            sys.settrace(self._trace)

    def _trace(self, frame: Any, _: str, __: Any) -> Any:
        return self._line if frame.f_code.co_filename in self._fine else None

    def _line(self, _: Any, event: str, __: Any) -> Any:
        if event == "line" and not self._busy and not self.over:
            self._next_line -= 1
            if self._next_line <= 0:
                self._next_line = 1 + int(self.random.expovariate(1 / self._lines))
                me = self._threads[_ident()]
                self._hand_over(me)
                self._handle(me)
        return self._line

    # -- replaced primitives -----------------------------------------------------------------------

    def _start(self, function: Callable[..., object], args: Any, more: Any = None) -> int:
        if _ident() not in self._threads:
            return _real_start(function, args, more or {})
        if self.over:
            raise _Ended
        self.point()
        if self.refused is not None:
            self.refused -= 1
            if self.refused < 0:
                raise RuntimeError("can't start new thread")
        new = self._new()

        def live() -> None:
            new.baton.acquire()
            try:
                if not self.over:
                    self._trace_on()
                    function(*args, **(more or {}))
            except SystemExit:
                pass
            finally:
                sys.settrace(None)
                self._leave(new)

        known = _real_lock()
        known.acquire()

        def begin() -> None:
            # an ended thread may have had this identifier; `current_thread` would return it
            threading._active.pop(_ident(), None)  # type: ignore[attr-defined]
            self._threads[_ident()] = new
            known.release()
            live()

        ident = _real_start(begin, ())
        known.acquire()
        self.point()
        return ident

    def _leave(self, me: _Thread) -> None:
        """End the calling thread and let another one continue."""
        for sentinel in me.sentinels:
            sentinel._held = False
        if self.over:
            self._gone.release()
            return
        del self._threads[_ident()]
        self._next().baton.release()

    def _allocate(self) -> Any:
        return Lock(self) if _ident() in self._threads else _real_lock()

    def _sentinel(self) -> Any:
        me = self._threads.get(_ident())
        if me is None:
            return _REAL["threading._set_sentinel"]()
        lock = Lock(self)
        me.sentinels.append(lock)
        return lock

    def _signal(self, number: int, handler: Any) -> Any:
        if _ident() not in self._threads:
            return _REAL["signal.signal"](number, handler)
        earlier = self._handlers.get(number, signal.SIG_DFL)
        self._handlers[number] = handler if callable(handler) else None
        return earlier

    def _kill(self, ident: int, number: int) -> None:
        if ident in self._threads:
            self._threads[ident].signals.append(number)
        elif _ident() not in self._threads:
            _REAL["signal.pthread_kill"](ident, number)

    def _clock(self, real: Callable[..., float], start: float = 0.0) -> Callable[..., float]:
        return lambda *args: start + self.now if _ident() in self._threads else real(*args)

    def _monotonic(self) -> float:
        return self.now if _ident() in self._threads else _REAL["time.monotonic"]()

    @contextlib.contextmanager
    def installed(self) -> Iterator[Schedule]:
        """Replace the primitives, including the names under which modules imported them."""
        new: dict[str, Any] = {
            "_thread.allocate_lock": self._allocate,
            "_thread.start_new_thread": self._start,
            "threading._set_sentinel": self._sentinel,
            "threading._CRLock": None,
            "queue.SimpleQueue": queue._PySimpleQueue,  # type: ignore[attr-defined]
            "signal.signal": self._signal,
            "signal.pthread_kill": self._kill,
            "time.sleep": self.sleep,
            "time.monotonic": self._monotonic,
            "time.time": self._clock(_real_time, _EPOCH),
            "time.process_time": lambda: (
                self.cpu if _ident() in self._threads else _REAL["time.process_time"]()
            ),
            "time.clock_gettime": lambda which: (
                self.now if _ident() in self._threads else _REAL["time.clock_gettime"](which)
            ),
        }
        values = {id(_REAL[name]): new[name] for name in new}
        ours = [
            vars(module)
            for name, module in list(sys.modules.items())
            if name in _PATCHED or name.startswith("bt_exec")
        ]
        earlier = []
        try:
            for names in ours:
                for name, value in list(names.items()):
                    if id(value) in values:
                        earlier.append((names, name, value))
                        names[name] = values[id(value)]
            earlier.append((vars(pools), "_global_shutdown_lock", pools._global_shutdown_lock))
            pools._global_shutdown_lock = Lock(self)  # type: ignore[assignment]
            earlier.append((vars(threading), "excepthook", threading.excepthook))
            threading.excepthook = _tell_unless_ended
            yield self
        finally:
            for names, name, value in earlier:
                names[name] = value


def _tell_unless_ended(what: threading.ExceptHookArgs) -> None:
    if not issubclass(what.exc_type, _Ended):
        threading.__excepthook__(what)


_PATCHED = ("_thread", "threading", "queue", "signal", "time")
_REAL = {
    "_thread.allocate_lock": _thread.allocate_lock,
    "_thread.start_new_thread": _thread.start_new_thread,
    "threading._set_sentinel": threading._set_sentinel,  # type: ignore[attr-defined]
    "threading._CRLock": threading._CRLock,  # type: ignore[attr-defined]
    "queue.SimpleQueue": queue.SimpleQueue,
    "signal.signal": signal.signal,
    "signal.pthread_kill": signal.pthread_kill,
    "time.sleep": time.sleep,
    "time.monotonic": time.monotonic,
    "time.time": time.time,
    "time.process_time": time.process_time,
    "time.clock_gettime": time.clock_gettime,
}
