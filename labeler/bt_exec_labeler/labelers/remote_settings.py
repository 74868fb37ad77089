"""Shared parts of remote labelers: settings, attempts and threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from tenacity import Retrying, stop_after_attempt

from bt_exec.failure import UsageError

__all__ = ["BACKOFF_S", "RequestThreads", "attempts", "read_options"]

BACKOFF_S = (1.0, 2.0, 4.0)
"""Pauses before the further attempts for a batch [s]; the last one repeats."""

_Options = TypeVar("_Options", bound=BaseModel)
_Answer = TypeVar("_Answer")


class RequestThreads:
    """Threads that send requests; each sends the next as soon as it has an answer.

    With a semaphore another thread would have to wake up first. On a busy machine that takes
    10 ms, during which the server has nothing to do.
    """

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None

    def limit(self, at_once: int) -> None:
        """Have at most so many requests under way at the same time. There is no limit before."""
        self._pool = ThreadPoolExecutor(at_once, "request")

    def call(self, send: Callable[..., _Answer], *args: Any) -> _Answer:
        """Return the result of ``send(*args)``; wait for a free thread."""
        return send(*args) if self._pool is None else self._pool.submit(send, *args).result()


def read_options(
    model: type[_Options], options: Mapping[str, Any], labeler: str, such_as: str = ""
) -> _Options:
    """Return the settings of a labeler.

    Args:
        model: Model of the settings.
        options: Settings from the user.
        labeler: Name of the labeler.
        such_as: Example of a valid setting, for the message.

    Raises:
        UsageError: If a setting is unknown, missing or invalid.
    """
    try:
        return model.model_validate(dict(options))
    except ValidationError as error:
        found = error.errors()[0]
        name = ".".join(map(str, found["loc"]))
        hint = f"; such as {such_as}" if such_as else ""
        message = f"setting {name!r} of the labeler {labeler}: {found['msg'].lower()}{hint}"
        raise UsageError(message) from None


def attempts(retries: int, sleep: Callable[[float], None] | None, **how: Any) -> Retrying:
    """Return the attempts of one batch.

    Args:
        retries: Number of further attempts.
        sleep: Replacement of `time.sleep` in tests.
        how: Further arguments of `tenacity.Retrying`: condition and pause.
    """
    waits: dict[str, Any] = {} if sleep is None else {"sleep": sleep}
    return Retrying(stop=stop_after_attempt(1 + retries), **waits, **how)
