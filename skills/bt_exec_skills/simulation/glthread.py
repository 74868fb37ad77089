"""Thread that owns every OpenGL context, since a context belongs to the thread that created it."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from queue import SimpleQueue
from typing import Any, TypeVar

__all__ = ["GlThread", "gl_thread"]

R = TypeVar("R")
_JOIN_S = 2.0


class GlThread:
    """Thread that runs functions one after the other; the caller waits for the result."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="gl", daemon=True)
        self._at_exit: set[Callable[[], None]] = set()
        self._thread.start()

    def call(self, job: Callable[[], R]) -> R:
        """Run `job` on the thread; return its result or raise its exception."""
        if threading.current_thread() is self._thread:
            return job()
        answer: Future[R] = Future()
        self._jobs.put((job, answer))
        return answer.result()

    def at_exit(self, job: Callable[[], None]) -> None:
        """Run `job` when the program ends, unless `forget` is called before."""
        self._at_exit.add(job)

    def forget(self, job: Callable[[], None]) -> None:
        """Cancel `at_exit`."""
        self._at_exit.discard(job)

    def end(self) -> None:
        """Run the remaining exit jobs, then end the thread."""
        for job in tuple(self._at_exit):
            self._jobs.put((job, Future()))
        self._jobs.put(None)
        self._thread.join(_JOIN_S)

    def _run(self) -> None:
        while (item := self._jobs.get()) is not None:
            job, answer = item
            try:
                answer.set_result(job())
            except BaseException as error:  # noqa: BLE001 - it is raised in the calling thread
                answer.set_exception(error)


@cache
def gl_thread() -> GlThread:
    """Return the thread; it is started on first use."""
    thread = GlThread()
    atexit.register(thread.end)
    return thread
