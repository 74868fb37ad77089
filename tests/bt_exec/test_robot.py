"""Stopping of robots in spite of errors."""

from __future__ import annotations

import threading

import pytest

from bt_exec.rig import Rig, stop_all, stop_all_in_background
from bt_exec.testing import ScriptedRobot


class Unreachable(ScriptedRobot):
    def stop(self) -> None:
        raise ConnectionError("no route to the robot")


class Locked(ScriptedRobot):
    """Driver that protects its connection with a lock, as drivers do."""

    def __init__(self) -> None:
        super().__init__()
        self.line = threading.Lock()
        self.stopped = threading.Event()

    def stop(self) -> None:
        with self.line:
            self.stopped.set()


def test_unreachable_robot_does_not_prevent_the_stop_of_others(caplog):
    reached = ScriptedRobot()
    stop_all({"far": Rig(Unreachable()), "near": Rig(reached)})
    assert reached.stops == 1
    assert "the robot of far could not be stopped" in caplog.text


def test_handler_can_stop_a_robot_while_its_lock_is_held():
    robot = Locked()
    with robot.line:  # the loop is in the driver when the signal arrives
        stop_all_in_background({"door": Rig(robot)})
    assert robot.stopped.wait(60)


def test_resources_of_an_unreachable_robot_are_closed():
    closed = []
    rig = Rig(Unreachable(), close=lambda: closed.append("socket"))
    with pytest.raises(ConnectionError):
        rig.stop_and_close()
    assert closed == ["socket"]
