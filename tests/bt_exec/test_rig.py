"""A rig: what it knows, how it is put away, and how all of them are stopped."""

from __future__ import annotations

import threading

import pytest

from bt_exec.rig import Rig, stop_all, stop_all_apart
from bt_exec.testing import ScriptedRobot


class Gone(ScriptedRobot):
    """A robot that cannot be reached."""

    def stop(self) -> None:
        super().stop()
        raise OSError("connection lost")


def test_what_a_robot_knows_is_a_copy():
    known = {"hand": "empty"}
    facts = Rig(ScriptedRobot(), facts=lambda: known).facts_now()
    facts["hand"] = "cup"
    assert known == {"hand": "empty"}
    assert Rig(ScriptedRobot()).facts_now() == {}


@pytest.mark.parametrize("kind", [ScriptedRobot, Gone])
def test_what_is_held_open_is_let_go_also_where_the_robot_cannot_be_stopped(kind):
    closed = []
    rig = Rig(kind(), close=lambda: closed.append(True))
    if kind is Gone:
        with pytest.raises(OSError, match="connection lost"):
            rig.shut()
    else:
        rig.shut()
    assert (rig.robot.stops, closed) == (1, [True])


def test_a_rig_that_holds_nothing_open_is_shut():
    rig = Rig(ScriptedRobot())
    rig.shut()
    assert rig.robot.stops == 1


def test_one_robot_that_cannot_be_stopped_does_not_keep_the_others_moving(caplog):
    robots = [ScriptedRobot(), Gone(), ScriptedRobot()]
    stop_all({f"r{number}": Rig(robot) for number, robot in enumerate(robots)})
    assert [robot.stops for robot in robots] == [1, 1, 1]
    assert caplog.messages == ["the robot of r1 could not be stopped"]


def test_a_signal_handler_stops_them_from_another_thread():
    threads, stopped = [], threading.Event()

    class Notes(ScriptedRobot):
        def stop(self) -> None:
            threads.append(threading.get_ident())
            stopped.set()

    stop_all_apart({"a": Rig(Notes())})
    assert stopped.wait(60)
    assert threads != [threading.get_ident()]


def test_a_pack_without_a_robot_has_nothing_to_stop(caplog):
    robot = ScriptedRobot()
    stop_all({"words": Rig(), "arm": Rig(robot)})
    assert (robot.stops, caplog.messages) == (1, [])
