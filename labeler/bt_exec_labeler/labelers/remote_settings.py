"""Shared parts of remote labelers: attempts and threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from tenacity import Retrying, stop_after_attempt

__all__ = ["BACKOFF_S", "RequestThreads", "attempts"]

BACKOFF_S = (1.0, 2.0, 4.0)
"""Pauses before the further attempts for a batch [s]; the last one repeats."""

_Answer = TypeVar("_Answer")


class RequestThreads:
    """Threads that send requests; each sends the next as soon as it has an answer.

    With a semaphore another thread would have to wake up first. On a busy machine that takes
    10 ms, during which the server has nothing to do.
    """

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None

    def limit(self, at_once: int) -> None:
        """Limit the number of concurrent requests, which is unlimited until this call."""
        self._pool = ThreadPoolExecutor(at_once, "request")

    def call(self, send: Callable[..., _Answer], *args: Any) -> _Answer:
        """Return the result of ``send(*args)``; wait for a free thread."""
        return send(*args) if self._pool is None else self._pool.submit(send, *args).result()


def attempts(retries: int, sleep: Callable[[float], None] | None, **how: Any) -> Retrying:
    """Return the attempts of one batch.

    Args:
        retries: Number of further attempts.
        sleep: Replacement of `time.sleep` in tests.
        how: Further arguments of `tenacity.Retrying`: condition and pause.
    """
    waits: dict[str, Any] = {} if sleep is None else {"sleep": sleep}
    return Retrying(stop=stop_after_attempt(1 + retries), **waits, **how)
