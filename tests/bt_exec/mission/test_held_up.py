"""What holds up a mission, or breaks around it, leaves no robot moving and the mission an end."""

from __future__ import annotations

import dataclasses
import threading

import pytest

from bt_exec.events import Finished, Turn
from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.mission.reporting import MissionReporter
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig
from bt_exec.site.site import Limits
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.load import load_text
from bt_exec.testing import FakeClock, ScriptedRobot, scripted_skill
from bt_exec.testing.missions import FixedCompiler, scripted_site

TREE = load_text("tree: t\nroot: {do: a}").document


class Deaf(ScriptedRobot):
    """A robot whose driver waits for something that only a stop ends."""

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


def test_an_abort_that_a_skill_holds_up_stops_the_robot():
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


def test_an_abort_that_is_acted_on_in_time_stops_no_robot():
    robot = ScriptedRobot()
    executive = mission(scripted_skill("a"), robot)
    executive.abort()
    assert executive.run("go").status == "aborted"
    executive._see_to_it(0.001)
    assert robot.stops == 0


@pytest.mark.parametrize(
    ("method", "job"),
    [
        ("recall", "recall earlier missions"),
        ("on", "take an event"),
        ("turn", "report"),
        ("told", "say what was told"),
        ("__init__", "start"),
    ],
)
def test_a_reporter_that_breaks_down_costs_only_its_words(method, job, caplog):
    def broken(*_):
        raise KeyError("no voice")

    reporter = type("Broken", (MissionReporter,), {method: broken})
    executive = mission(scripted_skill("a"), ScriptedRobot(), reporter)
    outcome = executive.run("go")
    assert (outcome.status, outcome.message) == ("satisfied", "OK")
    assert caplog.text.count(f"the reporter of test could not {job}") == 1


def test_what_a_reporter_told_opens_the_last_words_and_its_turns_are_events():
    class Telling(MissionReporter):
        def __init__(self, services):
            super().__init__(services)
            self.seen = []

        def recall(self, today):
            self.seen.append(tuple(today()))

        def on(self, event):
            self.seen.append(type(event).__name__)

        def turn(self, view):
            return {"next": view.next_action and view.next_action.name, "status": view.status}

        def told(self):
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
    """A robot whose connection is gone."""

    stops = 0

    def stop(self) -> None:
        self.stops += 1

    @property
    def still(self) -> bool:
        raise OSError("connection lost")


def test_a_robot_that_cannot_be_asked_is_stopped(caplog):
    robot, ends = Lost(), []

    @skill()
    def a() -> Steps:
        """Need no robot."""
        yield Running()

    executive = mission(a, robot)
    executive._listeners.append(Ends(ends))
    outcome = executive.run("go")
    assert (outcome.status, outcome.reason_code) == ("failed", "STOP_FAILED")
    assert (robot.stops > 0, len(ends)) == (True, 1)
    assert "still raised OSError: connection lost" in caplog.text


def test_a_robot_that_cannot_say_what_it_knows_at_the_end_costs_only_its_words(caplog):
    answers = iter([{"door": "open"}])
    executive = mission(scripted_skill("a"), ScriptedRobot(), facts=lambda: next(answers))
    assert executive.run("go").status == "satisfied"
    assert "a robot could not say what it knows" in caplog.text


def test_a_clean_up_and_a_stop_that_both_fail_do_not_hide_why_it_failed(caplog):
    @skill(timeout_s=0.05)
    def a() -> Steps:
        """Never end, and raise on the way out."""
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
    """A listener that keeps the reports of packs."""

    def __init__(self, turns: list[dict]) -> None:
        self._turns = turns

    def on(self, event) -> None:
        if isinstance(event, Turn):
            self._turns.append(event.report)


class Ends:
    """A listener that keeps the end of a mission."""

    def __init__(self, ends: list[Finished]) -> None:
        self._ends = ends

    def on(self, event) -> None:
        if isinstance(event, Finished):
            self._ends.append(event)
