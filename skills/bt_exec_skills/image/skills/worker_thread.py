"""Shared functions of the skills: run work on a thread, and turn file errors into failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from bt_exec.failure import Failed, UsageError
from bt_exec.skill import Steps
from bt_exec.standby_threads import run_in_thread

__all__ = ["SET_FAILS", "run_on_worker"]

T = TypeVar("T")

SET_FAILS = frozenset({"NO_PICTURE", "NOTHING_FOUND_YET", "NOT_CROPPED"})
"""Failure codes of skills that use a set."""


def run_on_worker(what: Callable[[], T], doing: str) -> Steps[T]:
    """Return the result of `what`, which runs on a worker thread.

    Args:
        what: Function to run.
        doing: Description of the work, for the progress of the skill.

    Raises:
        Failed: ``UNREADABLE``, if a file is invalid.
    """
    try:
        return (yield from run_in_thread(what, doing))
    except UsageError as error:
        raise Failed("UNREADABLE", str(error), retryable=False) from error
