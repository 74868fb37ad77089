"""Threads that are started before they are needed.

Starting a thread may fail when memory is short, and stopping a robot must not depend on it. A
mission therefore starts its threads before anything moves; each waits for work and is reused.
"""

from __future__ import annotations

import _thread
import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from bt_exec.skill import Running, Steps

__all__ = ["STANDBY", "Alarm", "StandbyThreads", "run_in_thread"]


_log = logging.getLogger("bt_exec")


class StandbyThreads:
    """A pool of waiting threads. Safe in signal handlers, because it takes no Python-level lock."""

    def __init__(self) -> None:
        self._idle: deque[_Worker] = deque()
        self._pid = os.getpid()

    def prepare(self, count: int) -> None:
        """Ensure that at least `count` threads are waiting.

        Raises:
            RuntimeError: If the threads cannot be started.
        """
        self._forget_after_fork()
        while len(self._idle) < count:
            self._idle.append(_Worker(self._idle))

    def run(self, work: Callable[[], object]) -> None:
        """Run `work` on a waiting thread, or on a new one if all are busy.

        Raises:
            RuntimeError: If all are busy and no thread can be started.
        """
        self._forget_after_fork()
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = _Worker(self._idle)
        worker.start_work(work)

    def run_after(self, seconds: float, work: Callable[[], object]) -> Alarm:
        """Run `work` after `seconds` [s] unless the returned alarm is cancelled first.

        If all threads are busy and no other can be started, `work` is never run.
        """
        alarm = Alarm(seconds, work)
        try:
            self.run(alarm.wait)
        except RuntimeError as error:
            _log.error("no thread is available for an alarm", exc_info=error)
        return alarm

    def _forget_after_fork(self) -> None:
        """Forget the workers, which a fork does not copy into the child process."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._idle.clear()


class Alarm:
    """Work that runs after a delay unless it is cancelled."""

    def __init__(self, seconds: float, work: Callable[[], object]) -> None:
        self._seconds = seconds
        self._work = work
        self._cancelled = _thread.allocate_lock()
        self._cancelled.acquire()

    def wait(self) -> None:
        """Wait for the delay, then run the work; called on a standby thread."""
        if not self._cancelled.acquire(timeout=self._seconds):
            self._work()

    def cancel(self) -> None:
        """Cancel the work; call it at most once. Work that has begun is not interrupted."""
        self._cancelled.release()


class _Worker:
    """A thread that waits for work, runs it and waits again."""

    def __init__(self, idle: deque[_Worker]) -> None:
        self._idle = idle
        self._work: Callable[[], object] | None = None
        self._go: Any = _thread.allocate_lock()
        self._go.acquire()
        _thread.start_new_thread(self._serve, ())

    def start_work(self, work: Callable[[], object]) -> None:
        """Run `work` now; the worker must be idle."""
        self._work = work
        self._go.release()

    def _serve(self) -> None:
        while True:
            try:
                self._go.acquire()
                work, self._work = self._work, None
                if work is not None:
                    work()
            except BaseException as error:  # noqa: BLE001 - the thread must remain available
                _log_exception(error)
            work = None  # a waiting thread must not keep a finished mission in memory
            self._idle.append(self)


def _log_exception(error: BaseException) -> None:
    """Log an exception of work on a standby thread; logging itself may run out of memory."""
    try:
        _log.error("work on a standby thread failed", exc_info=error)
    except MemoryError:
        os.write(2, b"bt-exec: out of memory on a standby thread\n")


STANDBY = StandbyThreads()
"""The standby threads of this process."""

T = TypeVar("T")

_CALL = "skill-call"
"""Name of the threads of `run_in_thread`."""


def run_in_thread(work: Callable[[], T], doing: str = "waiting") -> Steps[T]:
    """Run `work` on a worker thread, yield `Running` meanwhile, and return its result.

    A nested call, made by `work` itself, runs on the same worker thread.

    Args:
        work: The call. It must not touch the robot.
        doing: Phase to display meanwhile.

    Raises:
        Exception: The exception that `work` raised. Exceptions that would end the process, such as
            `SystemExit`, are raised as `RuntimeError`.
    """
    answers: list[T] = []
    errors: list[Exception] = []
    done = threading.Event()

    def call() -> None:
        try:
            answers.append(work())
        except Exception as error:  # noqa: BLE001 - raised again in the skill, below
            errors.append(error)
        except BaseException as error:  # noqa: BLE001 - it ends this thread, not the mission
            what = f"{type(error).__name__}: {error}"
            errors.append(RuntimeError(f"the call tried to end the process: {what}"))
        finally:
            done.set()

    if threading.current_thread().name == _CALL:
        call()  # already on a worker thread, so no tick is delayed
    else:
        threading.Thread(target=call, name=_CALL, daemon=True).start()
    while not done.is_set():
        yield Running(None, doing)
    if errors:
        raise errors[0]
    return answers[0]
