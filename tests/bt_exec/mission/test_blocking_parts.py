"""Missions whose parts block or fail: the robot is stopped and the mission has an outcome."""

from __future__ import annotations

import dataclasses
import threading

import pytest

from bt_exec.events import Finished, Turn
from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.mission_reporter import MissionReporter
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig
from bt_exec.site.site import Limits
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.load import load_text
from bt_exec.testing import FakeClock, ScriptedRobot, scripted_skill
from bt_exec.testing.tree_run import FixedCompiler, scripted_site

TREE = load_text("tree: t\nroot: {do: a}").document


class Deaf(ScriptedRobot):
    """Robot whose driver blocks until it is stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.stopped = threading.Event()

    def stop(self) -> None:
        super().stop()
        self.stopped.set()


def mission(part, robot, reporter=None, **rig) -> Executive:
    site = scripted_site([part], limits=Limits(cancel_s=0.05))
    (pack,) = site.catalogue.packs
    catalogue = Catalogue([dataclasses.replace(pack, reporter=reporter)])
    site = dataclasses.replace(site, catalogue=catalogue)
    simulation = FakeClock()
    rigs = {"test": Rig(robot, simulation=simulation, **rig)}
    return Executive(site, rigs, {}, Clock([simulation], 0.01, fast=True), FixedCompiler(TREE))


def test_abort_stops_the_robot_when_a_skill_blocks():
    blocked = threading.Event()

    @skill()
    def a(robot: Deaf) -> Steps:
        """Block, which no skill should."""
        yield Running()
        blocked.set()
        assert robot.stopped.wait(60), "nobody stopped the robot"
        yield Running()

    robot = Deaf()
    executive = mission(a, robot)
    threading.Thread(target=lambda: blocked.wait(60) and executive.abort()).start()
    assert executive.run("go").status == "aborted"
    assert robot.stops == 1


def test_abort_that_is_acted_on_in_time_does_not_stop_the_robot():
    robot = ScriptedRobot()
    executive = mission(scripted_skill("a"), robot)
    executive.abort()
    assert executive.run("go").status == "aborted"
    executive._escalate_abort(0.001)
    assert robot.stops == 0


@pytest.mark.parametrize(
    ("method", "job"),
    [
        ("load_earlier_missions", "recall earlier missions"),
        ("on", "handle an event"),
        ("turn_report", "report"),
        ("operator_messages", "return its messages"),
        ("__init__", "start"),
    ],
)
def test_only_the_messages_of_a_failing_reporter_are_missing(method, job, caplog):
    def broken(*_):
        raise KeyError("no voice")

    reporter = type("Broken", (MissionReporter,), {method: broken})
    executive = mission(scripted_skill("a"), ScriptedRobot(), reporter)
    outcome = executive.run("go")
    assert (outcome.status, outcome.message) == ("satisfied", "OK")
    assert caplog.text.count(f"the reporter of test could not {job}") == 1


def test_speech_of_a_reporter_opens_the_final_message_and_its_turns_are_events():
    class Telling(MissionReporter):
        def __init__(self, services):
            super().__init__(services)
            self.seen = []

        def load_earlier_missions(self, today):
            self.seen.append(tuple(today()))

        def on(self, event):
            self.seen.append(type(event).__name__)

        def turn_report(self, view):
            return {"next": view.next_action and view.next_action.name, "status": view.status}

        def operator_messages(self):
            return f"{self.services['voice']} heard {self.seen[:2]}."

    turns = []
    executive = mission(scripted_skill("a"), ScriptedRobot(), Telling, services={"voice": "It"})
    executive._listeners.append(Turns(turns))
    assert executive.run("go").message == "It heard [(), 'MissionStarted']."
    assert turns == [
        {"next": "a", "status": "in_progress"},
        {"next": None, "status": "satisfied"},
    ]


class Lost:
    """Robot whose connection is lost."""

    stops = 0

    def stop(self) -> None:
        self.stops += 1

    @property
    def still(self) -> bool:
        raise OSError("connection lost")


def test_robot_with_an_unreadable_state_is_stopped(caplog):
    robot, ends = Lost(), []

    @skill()
    def a() -> Steps:
        """Use no robot."""
        yield Running()

    executive = mission(a, robot)
    executive._listeners.append(Ends(ends))
    outcome = executive.run("go")
    assert (outcome.status, outcome.reason_code) == ("failed", "STOP_FAILED")
    assert (robot.stops > 0, len(ends)) == (True, 1)
    assert "still raised OSError: connection lost" in caplog.text


def test_failing_facts_at_the_end_do_not_change_the_outcome(caplog):
    answers = iter([{"door": "open"}])
    executive = mission(scripted_skill("a"), ScriptedRobot(), facts=lambda: next(answers))
    assert executive.run("go").status == "satisfied"
    assert "a robot could not report its facts" in caplog.text


def test_failing_clean_up_and_stop_do_not_hide_the_first_failure(caplog):
    @skill(timeout_s=0.05)
    def a() -> Steps:
        """Never end, and raise in the clean-up."""
        try:
            while True:
                yield Running()
        finally:
            raise OSError("connection lost")

    class Gone(ScriptedRobot):
        def stop(self) -> None:
            super().stop()
            raise OSError("connection lost")

    robot = Gone()
    outcome = mission(a, robot).run("go")
    assert (outcome.status, outcome.failures[-1]["code"]) == ("blocked", "TIMEOUT")
    assert robot.stops
    assert "the robot of test could not be stopped" in caplog.text


class Turns:
    """Listener that keeps the turn reports."""

    def __init__(self, turns: list[dict]) -> None:
        self._turns = turns

    def on(self, event) -> None:
        if isinstance(event, Turn):
            self._turns.append(event.report)


class Ends:
    """Listener that keeps the end of a mission."""

    def __init__(self, ends: list[Finished]) -> None:
        self._ends = ends

    def on(self, event) -> None:
        if isinstance(event, Finished):
            self._ends.append(event)
