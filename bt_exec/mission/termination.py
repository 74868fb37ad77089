"""Termination of a mission by an exception."""

from __future__ import annotations

import logging

from bt_exec.declarations.pack_errors import place_of
from bt_exec.failure import Failure, PartBroken, RobotStopped, SimulationLost, in_words, trace_of
from bt_exec.outcome import Ending

__all__ = ["ending_of", "failed"]

_log = logging.getLogger("bt_exec")


def ending_of(error: BaseException) -> Ending:
    """Return the ending for an exception; an unexpected one is reported as an internal error."""
    if isinstance(error, PartBroken):
        return failed(error.failure())
    if isinstance(error, RobotStopped):
        return Ending("blocked", error.failure.code, error.failure)
    if isinstance(error, SimulationLost):
        return failed(Failure("SIMULATION_LOST", str(error), kind="robot", retryable=False))
    _log.error("internal error in the executive", exc_info=error)
    told = {"traceback": trace_of(error)}
    said = in_words(error) + place_of(error)  # a part may have replaced a function of ours
    return failed(Failure("EXECUTIVE_CRASHED", said, kind="robot", evidence=told, retryable=False))


def failed(failure: Failure) -> Ending:
    """Return the ending of a mission that failed with `failure`."""
    return Ending("failed", failure.code, failure)
