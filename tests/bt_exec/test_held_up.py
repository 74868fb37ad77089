"""What holds up a mission, or breaks around it, leaves no robot moving and the mission an end."""

from __future__ import annotations

import dataclasses
import threading

from bt_exec.clock import Clock
from bt_exec.executive import Executive
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig
from bt_exec.site import Limits
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


def mission(part, robot, **rig) -> Executive:
    site = scripted_site([part], limits=Limits(cancel_s=0.05))
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


def test_a_turn_reporter_that_breaks_down_costs_only_its_reports(caplog):
    class Broken:
        def report(self, view):
            raise KeyError("mode")

    executive = mission(scripted_skill("a"), ScriptedRobot())
    (pack,) = executive.site.catalogue.packs
    catalogue = Catalogue([dataclasses.replace(pack, turn_reporter=Broken)])
    executive.site = dataclasses.replace(executive.site, catalogue=catalogue)
    assert executive.run("go").status == "satisfied"
    assert "the turn reporter of test broke down" in caplog.text


def test_a_robot_that_cannot_say_what_it_told_costs_only_its_words(caplog):
    def told() -> str:
        raise RuntimeError("no voice")

    executive = mission(scripted_skill("a"), ScriptedRobot(), told=told)
    assert executive.run("go").status == "satisfied"
    assert "a robot could not say what it told" in caplog.text
