"""Endings of missions that were terminated by an exception."""

from __future__ import annotations

import pytest

from bt_exec.failure import Failure, PartBroken, RobotStopped, SimulationLost
from bt_exec.mission.motion_stop_and_endings import ending_for_exception, ending_for_failure
from bt_exec.mission_outcome import Ending

STOPPED = Failure("STOPPED", "by hand", "x", node="go")
LOST = Failure("SIMULATION_LOST", "gone", kind="robot", retryable=False)
HUNG = PartBroken("the facts of arm", "hangs", "STEP_HUNG")


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (HUNG, Ending("failed", "STEP_HUNG", HUNG.failure())),
        (RobotStopped(STOPPED), Ending("blocked", "STOPPED", STOPPED)),
        (SimulationLost("gone"), Ending("failed", "SIMULATION_LOST", LOST)),
    ],
)
def test_known_exception_determines_the_ending(
    error: BaseException, ending: Ending, caplog
) -> None:
    assert ending_for_exception(error) == ending
    assert caplog.messages == []


def broken() -> None:
    raise ValueError("a bug")


LINE = broken.__code__.co_firstlineno + 1


def test_unknown_exception_is_an_internal_error(caplog) -> None:
    with pytest.raises(ValueError, match="a bug") as raised:
        broken()
    ending = ending_for_exception(raised.value)
    assert ending.failure is not None
    told = ending.failure.evidence["traceback"]
    assert told.startswith("Traceback")
    assert told.endswith("ValueError: a bug\n")
    assert ending == ending_for_failure(
        Failure(
            "EXECUTIVE_CRASHED",
            f"ValueError: a bug (test_termination.py, line {LINE})",
            kind="robot",
            evidence={"traceback": told},
            retryable=False,
        )
    )
    assert (ending.status, ending.reason_code) == ("failed", "EXECUTIVE_CRASHED")
    assert caplog.messages == ["internal error in the executive"]
