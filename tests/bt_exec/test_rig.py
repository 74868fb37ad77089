"""Rigs: facts, closing, and stopping of all robots."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from pydantic import ValidationError

from bt_exec import rig as rigs
from bt_exec.rig import PackSettings, Rig, WorldSettings, stop_all, stop_all_in_background
from bt_exec.standby_threads import StandbyThreads
from bt_exec.testing import ScriptedRobot


class Gone(ScriptedRobot):
    """Robot that cannot be reached."""

    def stop(self) -> None:
        super().stop()
        raise OSError("connection lost")


def test_facts_of_a_rig_are_a_copy():
    known = {"hand": "empty"}
    facts = Rig(ScriptedRobot(), facts=lambda: known).robot_facts()
    facts["hand"] = "cup"
    assert known == {"hand": "empty"}
    assert Rig(ScriptedRobot()).robot_facts() == {}


@pytest.mark.parametrize("kind", [ScriptedRobot, Gone])
def test_resources_are_closed_when_the_robot_cannot_be_stopped(kind):
    closed = []
    rig = Rig(kind(), close=lambda: closed.append(True))
    if kind is Gone:
        with pytest.raises(OSError, match="connection lost"):
            rig.stop_and_close()
    else:
        rig.stop_and_close()
    assert (rig.robot.stops, closed) == (1, [True])


def test_rig_without_resources_can_be_closed():
    rig = Rig(ScriptedRobot())
    rig.stop_and_close()
    assert rig.robot.stops == 1


def test_failed_stop_of_one_robot_does_not_affect_the_others(caplog):
    robots = [ScriptedRobot(), Gone(), ScriptedRobot()]
    stop_all({f"r{number}": Rig(robot) for number, robot in enumerate(robots)})
    assert [robot.stops for robot in robots] == [1, 1, 1]
    assert caplog.messages == ["the robot of r1 could not be stopped"]


def test_signal_handler_stops_robots_on_another_thread():
    threads, stopped = [], threading.Event()

    class Notes(ScriptedRobot):
        def stop(self) -> None:
            threads.append(threading.get_ident())
            stopped.set()

    stop_all_in_background({"a": Rig(Notes())})
    assert stopped.wait(60)
    assert threads != [threading.get_ident()]


def test_pack_without_a_robot_has_nothing_to_stop(caplog):
    robot = ScriptedRobot()
    stop_all({"words": Rig(), "arm": Rig(robot)})
    assert (robot.stops, caplog.messages) == (1, [])


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ([("hand", "empty")], "facts must map strings to strings; found [('hand', 'empty')]"),
        ({"hand": 1}, "facts must map strings to strings; found 'hand': 1"),
        ({1: "empty"}, "facts must map strings to strings; found 1: 'empty'"),
        (None, "facts must map strings to strings; found None"),
    ],
)
def test_invalid_facts_of_a_robot_are_refused(facts, said):
    with pytest.raises(TypeError) as told:
        Rig(facts=lambda: facts).robot_facts()
    assert str(told.value) == said


@pytest.mark.parametrize(
    ("answer", "still"), [(True, True), (False, False), (np.True_, True), (np.False_, False)]
)
def test_numpy_bool_is_a_valid_still_state(answer, still):
    robot = ScriptedRobot()
    robot.still = answer
    assert Rig(robot).is_still() is still
    assert Rig().is_still() is True


@pytest.mark.parametrize("answer", ["yes", 1, None, 0.0])
def test_invalid_still_state_is_refused(answer):
    robot = ScriptedRobot()
    robot.still = answer
    with pytest.raises(TypeError, match=rf"^still must be True or False; found {answer!r}$"):
        Rig(robot).is_still()


def test_errors_raised_by_stops_are_passed_to_the_caller(caplog):
    found = stop_all({"a": Rig(Gone()), "b": Rig(ScriptedRobot()), "c": Rig()})
    assert found == {"a": "raised OSError: connection lost"}


def test_hung_robot_times_out(caplog):
    hold = threading.Event()

    class Hangs(ScriptedRobot):
        def stop(self) -> None:
            hold.wait(60)

    found = stop_all({"a": Rig(Hangs()), "b": Rig(Hangs())}, limit_s=0.01)
    hold.set()
    assert found == dict.fromkeys("ab", "did not return from stop() within 1 s")
    assert caplog.messages == [
        f"the robot of {name} did not return from stop() within 1 s" for name in "ab"
    ]


def test_stop_limit_applies_to_all_robots_together(monkeypatch):
    waited = []

    class Told:
        def __init__(self, name, robot):
            self.trouble = ""

        def wait(self, seconds):
            waited.append(seconds)

    clock = iter([10.0, 10.25, 11.0])
    monkeypatch.setattr(rigs, "_Stop", Told)
    monkeypatch.setattr(rigs.time, "monotonic", lambda: next(clock))
    found = stop_all({"a": Rig(ScriptedRobot()), "b": Rig(ScriptedRobot())}, limit_s=0.5)
    monkeypatch.undo()
    assert (waited, found) == ([0.25, 0.0], {})


def test_caller_stops_robots_when_no_thread_can_start(monkeypatch):
    def none_left(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(rigs, "STANDBY", StandbyThreads())
    monkeypatch.setattr("bt_exec.standby_threads._thread.start_new_thread", none_left)
    robot = ScriptedRobot()
    assert stop_all({"a": Rig(robot), "b": Rig(Gone())}) == {"b": "raised OSError: connection lost"}
    assert robot.stops == 1


def test_stop_is_retried_with_reserved_memory_when_memory_is_exhausted(monkeypatch):
    monkeypatch.setattr(rigs, "_RESERVE", bytearray(10))

    class Starved(ScriptedRobot):
        def stop(self) -> None:
            super().stop()
            if self.stops == 1:
                raise MemoryError

    robot = Starved()
    assert stop_all({"a": Rig(robot)}) == {}
    assert (robot.stops, len(rigs._RESERVE)) == (2, 0)


def test_hung_stops_do_not_use_up_the_threads():
    hold = threading.Event()
    calls = []

    class Hangs(ScriptedRobot):
        def stop(self) -> None:
            calls.append(1)
            hold.wait(60)

    rig = {"a": Rig(Hangs())}
    for _ in range(10):
        stop_all_in_background(rig)
    found = stop_all(rig, limit_s=0.01)
    hold.set()
    assert found == {"a": "did not return from stop() within 1 s"}
    assert len(calls) <= 2


def test_pack_settings_are_frozen_and_reject_unknown_keys():
    assert PackSettings().to_data() == {}
    assert PackSettings(robot="arm").to_data() == {"robot": "arm"}
    for kind in (PackSettings, WorldSettings):
        with pytest.raises(ValidationError, match="extra_forbidden"):
            kind(colour="red")

    class Yard(WorldSettings):
        start: str = "gate"

    with pytest.raises(ValidationError, match="frozen"):
        PackSettings().robot = "arm"
    with pytest.raises(ValidationError, match="frozen"):
        Yard().start = "home"
