"""Requests of the executive to the runtime: to stop a robot, and to query whether it is still."""

from __future__ import annotations

import logging
from concurrent.futures import Future
from typing import Any

import pytest

from bt_exec.failure import PartBroken
from bt_exec.nodes.runtime import Runtime
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig
from bt_exec.robot import RemoteSimulation
from bt_exec.testing import ScriptedRobot


class Noting(ScriptedRobot):
    """Robot that appends its stop to a list."""

    def __init__(self, notes: list[Any]) -> None:
        super().__init__()
        self.notes = notes

    def stop(self) -> None:
        self.notes.append("stop")


class Near:
    """Local simulation."""

    time = 0.0

    def __init__(self, notes: list[Any]) -> None:
        self.notes = notes

    def step(self, seconds: float) -> None:
        self.notes.append(("step", seconds))


class Answer(Future[None]):
    """Answer of a remote simulation."""

    def __init__(self, notes: list[Any]) -> None:
        super().__init__()
        self.notes = notes

    def result(self, timeout: float | None = None) -> None:
        self.notes.append(("wait", timeout))


class Far:
    """Remote simulation."""

    time = 0.0

    def __init__(self, notes: list[Any]) -> None:
        self.notes = notes

    def start_step(self, seconds: float) -> Future[None]:
        self.notes.append(("ask", seconds))
        return Answer(self.notes)


class Lost(Near):
    """Simulation that can no longer be stepped."""

    def step(self, seconds: float) -> None:
        raise OSError("gone")


def runtime(rig: Rig, **more: Any) -> Runtime:
    rigs = {"p": rig, "other": Rig(ScriptedRobot())}
    return Runtime(Catalogue([]), rigs, {}, lambda: 0.0, lambda event: None, **more)


@pytest.mark.parametrize(
    ("world", "notes"),
    [
        (Near, ["stop", ("step", 0.0)]),
        (Far, ["stop", ("ask", 0.0), ("wait", 0.7)]),
        (None, ["stop"]),
    ],
)
def test_stop_is_executed_by_stepping_the_simulation_by_zero(world: Any, notes: list[Any]) -> None:
    """A remote simulation is awaited for at most the time limit of a clean-up."""
    found: list[Any] = []
    simulation = world(found) if world is not None else None
    assert isinstance(simulation, RemoteSimulation) is (world is Far)
    running = runtime(Rig(Noting(found), simulation=simulation), cancel_s=0.7)
    running.stop_robot("p")
    assert found == notes
    other = running.rigs["other"].robot
    assert isinstance(other, ScriptedRobot)
    assert other.stops == 0


def test_stop_of_a_lost_simulation_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    notes: list[Any] = []
    with caplog.at_level(logging.ERROR, "bt_exec"):
        runtime(Rig(Noting(notes), simulation=Lost(notes))).stop_robot("p")
    assert notes == ["stop"]
    assert caplog.messages == ["the simulation of p did not carry out a stop"]


class Says:
    """Robot whose `still` is set by the test."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def stop(self) -> None:
        """Do nothing."""

    @property
    def still(self) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "moves", "told"),
    [
        (True, False, 0),
        (False, True, 0),
        (OSError("gone"), True, 1),
        ("yes", True, 1),
        (None, True, 1),
    ],
)
def test_robot_counts_as_moving_unless_it_is_certainly_still(
    answer: Any, moves: bool, told: int, caplog: pytest.LogCaptureFixture
) -> None:
    running = runtime(Rig(Says(answer)))
    assert running.may_be_moving("p") is moves
    assert caplog.messages == ["the robot of p did not report whether it is still"] * told
    assert running.broken is None


def test_hung_state_query_counts_as_moving_and_ends_the_mission() -> None:
    broken = PartBroken("the robot of p", "hangs")
    running = runtime(Rig(Says(broken)))
    assert running.may_be_moving("p") is True
    assert running.broken is broken


def test_runtime_defaults_watch_nothing_and_inject_no_faults() -> None:
    running = runtime(Rig())
    assert (running.cancel_s, running.unrecorded(), running.tick) == (1.0, "", 0)
    assert (running.faults.faults, running.watch.limit_s) == ((), 30.0)
    assert (running.results, running.calls, running.working) == ({}, {}, set())
    assert running.acted == float("-inf")
    assert running.watch.call("x", pow, 2, exp=3) == 8
    assert running.watch.call_within(1.0, "x", pow, 2, exp=3) == 8
    assert running.may_be_moving("p") is False  # nothing moves without a robot
