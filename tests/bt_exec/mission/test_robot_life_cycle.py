"""Life cycle of robots: motion outside missions is stopped, reported and recorded."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec.journal import Journal
from bt_exec.mission import robot_life_cycle
from bt_exec.mission.robot_life_cycle import LifeCycle, State
from bt_exec.mission.robot_lock import RobotLock
from bt_exec.mission.session import Session
from bt_exec.pack import Catalogue
from bt_exec.rig import PackSettings, Rig
from bt_exec.site.site import Limits
from bt_exec.skill import Running, Steps, skill
from bt_exec.testing import FakeClock, ScriptedRobot, scripted_skill
from bt_exec.testing.tree_run import scripted_site

TREE = "tree: t\nutterances: [go]\nroot: {do: a}"


class Moved(list):
    """Reports of unexpected motion."""

    def __init__(self) -> None:
        super().__init__()
        self.any = threading.Event()

    def __call__(self, told: Any) -> None:
        self.append(dict(told))
        self.any.set()


def cycle_of(robot: Any, locks: Any = (), **rig: Any) -> tuple[LifeCycle, Moved]:
    moved = Moved()
    return LifeCycle({"arm": Rig(robot, **rig)}, list(locks), moved), moved


def eventually(done: Any) -> None:
    while not done():
        time.sleep(0.005)


def test_idle_robot_that_moves_is_stopped_and_reported_once_per_episode():
    robot = ScriptedRobot()
    cycle, moved = cycle_of(robot)
    for _ in range(3):
        robot.still = False
        eventually(lambda: robot.still)
    assert moved == [{"arm": "it still moves"}]
    assert cycle.state is State.IDLE


def test_motion_that_continues_after_the_stop_is_a_runaway():
    class Runaway(ScriptedRobot):
        def stop(self) -> None:
            self.stops += 1

    ended = threading.Event()
    robot = Runaway(still=False)
    LifeCycle({"arm": Rig(robot)}, [], Moved(), lambda _: ended.set())
    assert ended.wait(60)
    robot.still = True


@pytest.mark.parametrize(("episode_s", "runaways"), [(1e6, 1), (-1.0, 0)])
def test_motion_that_begins_again_after_stops_is_a_runaway(monkeypatch, episode_s, runaways):
    monkeypatch.setattr(robot_life_cycle, "_EPISODE_S", episode_s)
    robot, ended = ScriptedRobot(), []
    cycle = LifeCycle({"arm": Rig(robot)}, [], Moved(), ended.append)
    with cycle.paused_monitor():
        for _ in range(robot_life_cycle._RUNAWAY_STOPS):
            assert not ended
            robot.still = False
            cycle.stop_moving_robots()
            cycle.stop_moving_robots()  # finds it still
    assert len(ended) == runaways


def test_robot_of_a_running_mission_is_not_stopped():
    robot = ScriptedRobot()
    cycle, moved = cycle_of(robot)
    with cycle.mission():
        assert cycle.state is State.IN_MISSION
        robot.still = False
        time.sleep(0.3)
        assert robot.stops == 0
        robot.still = True
    assert (cycle.state, moved) == (State.IDLE, [])


def test_simulated_robot_is_not_watched():
    robot = ScriptedRobot(still=False)
    _, moved = cycle_of(robot, simulation=FakeClock())
    time.sleep(0.25)
    assert (robot.stops, moved) == (0, [])


def test_robot_that_moves_after_detach_is_stopped():
    robot = ScriptedRobot()
    cycle, moved = cycle_of(robot)
    cycle.detach()
    robot.still = False
    eventually(lambda: robot.still)
    assert moved.any.wait(60)


def test_robot_of_another_process_is_not_stopped_after_detach(tmp_path, monkeypatch):
    monkeypatch.setenv("BT_EXEC_LOCKS", str(tmp_path))
    robot = ScriptedRobot()
    lock = RobotLock("arm 7")
    cycle, _ = cycle_of(robot, [lock])
    cycle.detach()
    robot.still = False  # another session holds the lock and drives the robot
    eventually(lambda: not cycle._left)
    assert robot.stops == 0
    lock.release()


def test_robot_that_is_closed_after_detach_is_not_watched():
    class Closed(ScriptedRobot):
        @property
        def still(self) -> bool:
            raise OSError("closed")

        @still.setter
        def still(self, value: bool) -> None:
            pass

    robot = Closed()
    cycle, moved = cycle_of(robot)
    cycle.detach()
    moved.clear()
    eventually(lambda: not cycle._left)
    assert moved == []


def test_required_inspection_is_kept_for_later_sessions(tmp_path):
    lock = RobotLock("arm 7", folder=tmp_path)
    first, _ = cycle_of(ScriptedRobot(), [lock])
    first.require_inspection("its stop failed")
    with first.mission():
        pass
    assert first.state is State.NEEDS_INSPECTION
    second, _ = cycle_of(ScriptedRobot(), [lock])
    assert second.why == "its stop failed"
    second.mark_inspected()
    assert (second.state, second.why) == (State.IDLE, "")
    assert cycle_of(ScriptedRobot(), [lock])[0].why == ""
    lock.release()


@pytest.mark.parametrize("note", ["", "{", "[]", "{}", '{"why": ""}'])
def test_damaged_inspection_note_is_ignored(tmp_path, note):
    lock = RobotLock("arm", folder=tmp_path)
    (tmp_path / "arm.inspect").write_text(note)
    assert cycle_of(ScriptedRobot(), [lock])[0].why == ""
    lock.release()


# -- in a session ----------------------------------------------------------------------------------


def session_of(robot: Any, part: Any, journal: Journal | None = None, **more: Any) -> Session:
    limits = Limits(still_s=0.1, hang_s=60)
    found = scripted_site([part], [TREE], limits=limits)
    (pack,) = found.catalogue.packs
    pack = dataclasses.replace(pack, robots={"arm": lambda *_: Rig(robot)})
    site = dataclasses.replace(found, catalogue=Catalogue([pack]), packs={"test": PackSettings()})
    return Session(site, journal=journal, **more)


def test_thread_of_a_skill_that_moves_the_robot_later_is_recorded(tmp_path):
    robot, go = ScriptedRobot(), threading.Event()

    @skill()
    def a(robot: Any) -> Steps:
        """Leave a thread behind that moves the robot."""

        def later() -> None:
            go.wait(60)
            robot.still = False

        threading.Thread(target=later, daemon=True).start()
        yield Running()

    journal = Journal.open(tmp_path / "journal.sqlite")
    with session_of(robot, a, journal) as session:
        assert session.run("go").ok
        go.set()
        eventually(lambda: robot.stops)
        eventually(lambda: len(journal.missions()) == 2)
        eventually(lambda: journal.missions()[0].status == "failed")
    last, first = journal.missions()
    assert (first.reason_code, last.reason_code) == ("OK", "MOVED_WHILE_IDLE")
    assert last.message == "the robot of test: it still moves"


def test_failed_stop_requires_an_inspection():
    class Runaway(ScriptedRobot):
        def stop(self) -> None:
            self.stops += 1

    robot = Runaway()

    @skill()
    def a(robot: Any) -> Steps:
        """Start a motion."""
        robot.still = False
        yield Running()

    with session_of(robot, a) as session:
        assert session.run("go").reason_code == "STOP_FAILED"
        robot.still = True
        assert session.life.state is State.NEEDS_INSPECTION
        assert session.run("go").reason_code == "NEEDS_INSPECTION"
        session.life.mark_inspected()
        robot.still = True
        assert session.run("go").reason_code == "STOP_FAILED"
        robot.still = True
    with session_of(robot, a) as session:
        assert session.run("go").reason_code == "NEEDS_INSPECTION"
    with session_of(ScriptedRobot(), scripted_skill("a"), inspected=True) as session:
        assert session.run("go").ok


def test_forked_child_neither_runs_nor_closes_the_session(monkeypatch):
    robot = ScriptedRobot()
    with session_of(robot, scripted_skill("a")) as session:
        pid = os.getpid()
        monkeypatch.setattr(os, "getpid", lambda: pid + 1)
        with pytest.raises(UsageError, match=f"belongs to process {pid}"):
            session.run("go")
        session.close()
        monkeypatch.undo()
        assert session.run("go").ok
        assert robot.stops == 0


AT_EXIT = """
import atexit
from bt_exec.mission.robot_life_cycle import LifeCycle
from bt_exec.rig import Rig
from bt_exec.testing import ScriptedRobot

robot = ScriptedRobot()
cycle = LifeCycle({"arm": Rig(robot)}, [], lambda moved: print("reported", moved))
real_stop = robot.stop
robot.stop = lambda: (print("stopped"), real_stop())
cycle.detach()

def go():
    robot.still = False

atexit.register(go)
"""


@pytest.mark.slow
def test_exit_function_of_a_skill_runs_before_the_final_stop():
    ran = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, text=True)
    assert ran.stdout == "stopped\nreported {'arm': 'it still moves'}\n"


REPORT_AT_EXIT = """
import atexit, threading, time
from bt_exec.mission.robot_life_cycle import LifeCycle
from bt_exec.rig import Rig
from bt_exec.testing import ScriptedRobot

robot = ScriptedRobot()
begun = threading.Event()

def report(moved):
    begun.set()
    time.sleep(0.3)
    print("reported", moved, flush=True)

cycle = LifeCycle({"arm": Rig(robot)}, [], report)
cycle.detach()

def go():
    robot.still = False
    begun.wait()

atexit.register(go)
"""


def test_program_ends_only_after_the_monitor_has_reported_a_motion():
    ran = subprocess.run([sys.executable, "-c", REPORT_AT_EXIT], capture_output=True, text=True)
    assert ran.stdout == "reported {'arm': 'it still moves'}\n"
