"""Shared parts of remote labelers: settings and attempts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from tenacity import Retrying, stop_after_attempt

from bt_exec.failure import UsageError

__all__ = ["BACKOFF_S", "attempts", "read_options"]

BACKOFF_S = (1.0, 2.0, 4.0)
"""How long is waited before a batch is asked about again [s]; the last, from then on."""

_Options = TypeVar("_Options", bound=BaseModel)


def read_options(
    model: type[_Options], options: Mapping[str, Any], labeler: str, such_as: str = ""
) -> _Options:
    """Return the settings of a labeler.

    Args:
        model: What it takes.
        options: What it was given.
        labeler: Its name.
        such_as: An example of a right one, for who gave a wrong one.

    Raises:
        UsageError: If one of them is unknown, missing or wrong.
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
        retries: How often it is asked about again.
        sleep: Waits so many seconds; for tests.
        how: What else `tenacity.Retrying` is told: when to try again, and how long to wait.
    """
    waits: dict[str, Any] = {} if sleep is None else {"sleep": sleep}
    return Retrying(stop=stop_after_attempt(1 + retries), **waits, **how)
