"""Stops of an executive: aborts, repeated aborts, Ctrl-C, internal errors and coming to rest."""

from __future__ import annotations

import _thread
import threading
from collections import deque

import pytest

from bt_exec.events import Aborting, Finished, PerceptionFailed, SkillStarting
from bt_exec.failure import Failure, PartBroken
from bt_exec.mission import robot_life_cycle
from bt_exec.mission.session import Session
from bt_exec.mission_reporter import MissionReporter
from bt_exec.rig import Rig
from bt_exec.site.site import Limits
from bt_exec.skill import Running, Steps, skill
from bt_exec.standby_threads import STANDBY
from bt_exec.testing import ScriptedRobot, scripted_skill


class Body(ScriptedRobot):
    """Robot with an event that is set when it is stopped."""

    def __init__(self, still: bool = True) -> None:
        super().__init__(still=still)
        self.stopped = threading.Event()

    def stop(self) -> None:
        super().stop()
        self.stopped.set()


class Settling(ScriptedRobot):
    """Robot that is still before the mission, and after the given number of queries."""

    def __init__(self, asked: int) -> None:
        self.asked = asked
        self.begun = False
        super().__init__()

    @property
    def still(self) -> bool:
        begun, self.begun = self.begun, True
        if not begun:
            return True
        self.asked -= 1
        return self.asked < 0

    @still.setter
    def still(self, value: bool) -> None:
        pass


def holding_up(robot_stopped, begun):
    """Return a skill that blocks the loop until the robot is stopped."""

    @skill()
    def a() -> Steps:
        """Block, which no skill should."""
        yield Running()
        begun.set()
        assert robot_stopped.wait(60), "nobody stopped the robot"
        yield Running()

    return a


def test_second_abort_stops_the_robot_at_once(stage):
    """The first abort leaves the loop 30 s to stop. The second one does not wait."""
    robot, begun, first = Body(), threading.Event(), threading.Event()
    part = holding_up(robot.stopped, begun)
    on = stage([part], robot=robot, limits=Limits(cancel_s=30))

    def twice() -> None:
        begun.wait(60)
        on.executive.abort("first")
        first.set()
        assert not robot.stopped.wait(0.2), "one word asks for a clean stop"
        on.executive.abort("second")
        assert robot.stopped.wait(10)

    asking = threading.Thread(target=twice)
    asking.start()
    outcome = on.run()
    asking.join()
    assert (outcome.status, outcome.reason_code, robot.stops) == ("aborted", "ABORTED", 1)
    assert on.told(Aborting) == ["10.2 2 Aborting clean first"]  # the first reason is kept


def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(STANDBY, "_idle", deque())
    monkeypatch.setattr(_thread, "start_new_thread", refuse)


def test_second_abort_stops_the_robot_when_no_thread_can_start(stage, monkeypatch):
    on = stage([scripted_skill("a")])
    no_threads(monkeypatch)
    on.executive.abort()
    assert on.robot.stops == 0, "one word asks for a clean stop"
    on.executive.abort()
    assert on.robot.stops == 1


def test_session_closes_when_no_thread_can_start(site, robots, monkeypatch, tmp_path):
    monkeypatch.setenv("BT_EXEC_LOCKS", str(tmp_path))
    monkeypatch.setattr(robot_life_cycle, "_WATCHED_IN", set())
    robots.fields = {"simulation": None}
    session = Session(site)
    no_threads(monkeypatch)
    session.close()
    assert robots.robot.stops == 1
    monkeypatch.undo()
    monkeypatch.setenv("BT_EXEC_LOCKS", str(tmp_path))
    Session(site).close()  # the lock is released


def test_camera_is_not_queried_when_no_thread_can_start(stage, monkeypatch):
    on = stage([scripted_skill("a")], perception_workers=True)
    no_threads(monkeypatch)
    outcome = on.run()
    assert (outcome.reason_code, on.camera.taken) == ("PART_BROKEN", 0)


@pytest.mark.parametrize("moment", ["planning", "last look"])
def test_robot_moved_by_a_background_thread_is_stopped(stage, moment):
    """A thread of an earlier skill moves the robot. No skill of the plan starts."""
    robot = ScriptedRobot()
    on = stage([scripted_skill("a")], robot=robot, perception_workers=True)
    on.executive.rigs["test"] = Rig(robot)
    (worker,) = on.perception_workers.values()
    worker.wait = False
    stopped = threading.Event()

    def move() -> None:
        robot.still = False
        while robot.stops == 0:
            stopped.wait(0.005)

    compile_, interpret = on.compiler.compile, on.camera.interpret

    def plan(request):
        if moment == "planning":
            move()
        return compile_(request)

    def see(capture):
        if moment == "last look" and on.told(SkillStarting):
            move()
        return interpret(capture)

    on.compiler.compile, on.camera.interpret = plan, see
    assert on.run().ok
    assert robot.stops > 0
    assert robot.still
    assert "moved while no part of the plan ran" in on.told(Aborting)[0]


def test_first_abort_waits_a_period_and_the_cancel_limit_and_later_ones_do_not(stage, monkeypatch):
    patience = []
    on = stage([scripted_skill("a")], limits=Limits(cancel_s=0.5))
    monkeypatch.setattr(on.executive, "_escalate_abort", patience.append)
    monkeypatch.setattr("bt_exec.mission.executive.STANDBY.run", lambda work: work())
    for _ in range(3):
        on.executive.abort()
    assert patience == [0.6, 0.0, 0.0]


def test_every_robot_is_stopped_when_one_of_them_raises(stage, caplog):
    class Gone(ScriptedRobot):
        def stop(self) -> None:
            super().stop()
            raise OSError("connection lost")

    on = stage([scripted_skill("a")], robot=Gone())
    other = ScriptedRobot()
    on.executive.rigs["other"] = Rig(other)
    on.executive._escalate_abort(0.0)
    assert (on.robot.stops, other.stops) == (1, 1)
    assert caplog.messages == ["the robot of test could not be stopped"]


@pytest.mark.parametrize("noticed", [True, False])
def test_abort_watch_stops_robots_only_when_the_abort_was_not_acted_on(stage, noticed):
    on = stage([scripted_skill("a")])
    on.executive._abort_noticed = noticed
    on.executive._escalate_abort(0.001)
    assert on.robot.stops == (0 if noticed else 1)


def test_abort_watch_does_nothing_after_the_mission(stage):
    on = stage([scripted_skill("a")])
    assert on.run().status == "satisfied"
    on.executive._escalate_abort(0.001)
    assert on.robot.stops == 0


def test_internal_error_stops_the_robots_once_and_is_logged(stage, caplog):
    def broken(spec, context):
        raise RuntimeError("a bug")

    on = stage([scripted_skill("a")], pack={"checkers": (broken,)})
    outcome = on.run()
    assert on.robot.stops == 1
    on.executive._escalate_abort(0.001)  # watch of an abort that came at the same time
    assert on.robot.stops == 1
    assert (outcome.status, outcome.reason_code) == ("failed", "EXECUTIVE_CRASHED")
    assert on.told()[-1] == "10 0 Finished failed EXECUTIVE_CRASHED"
    assert caplog.messages == ["internal error in the executive"]
    assert caplog.records[0].exc_info is not None


def test_internal_error_is_reported_with_its_traceback(stage):
    def broken(spec, context):
        raise RuntimeError("a bug")

    ends: list[Failure] = []

    class Reports(MissionReporter):
        def turn_report(self, view):
            ends.append(view.failure)

    on = stage([scripted_skill("a")], pack={"reporter": Reports})
    on.executive._tick_to_the_end = lambda built: broken(None, None)
    on.run()
    (failure,) = ends
    assert failure.code == "EXECUTIVE_CRASHED"
    assert failure.message.startswith("RuntimeError: a bug (test_executive_stops.py, line ")
    assert (failure.kind, failure.retryable) == ("robot", False)
    assert failure.evidence["traceback"].endswith("RuntimeError: a bug\n")


def test_ctrl_c_during_a_tick_is_an_abort(stage):
    @skill()
    def a() -> Steps:
        """Raise KeyboardInterrupt."""
        yield Running()
        raise KeyboardInterrupt

    on = stage([a])
    outcome = on.run()
    assert (outcome.status, outcome.reason_code) == ("aborted", "ABORTED")
    assert on.told(Aborting, Finished) == [
        "10.1 2 Aborting clean operator",
        "10.1 2 Finished aborted ABORTED",
    ]


@pytest.mark.parametrize("where", ["ask", "wait"])
def test_ctrl_c_while_coming_to_rest_stops_the_robot_and_closes_the_journal(stage, where):
    class Restless(ScriptedRobot):
        @property
        def still(self) -> bool:
            if where == "ask" and self.log and not self.stops:
                raise KeyboardInterrupt
            return self.stops > 0 or not self.log

        @still.setter
        def still(self, value: bool) -> None:
            pass

    on = stage([scripted_skill("a")], robot=Restless())

    def interrupted(check_stop=None) -> None:
        raise KeyboardInterrupt

    on.executive.clock.advance = interrupted
    assert on.run().status == "satisfied"
    assert on.robot.stops == 1
    assert on.told(Aborting, Finished) == [
        "10 1 Aborting robot stop still moving",
        "10 1 Finished satisfied OK",
    ]


@pytest.mark.parametrize(
    ("asked", "still_s", "seconds", "stops"),
    [
        (0, 0.5, 0.0, 0),
        (3, 0.5, 0.3, 0),
        (5, 0.5, 0.5, 0),  # waits until the limit, then queries once more
        (8, 0.5, 0.7, 1),  # the same limit applies after the stop; at 0.5 s there are two queries
        (14, 1.0, 1.3, 1),
    ],
)
def test_robot_is_stopped_only_if_it_does_not_come_to_rest_in_time(
    stage, asked, still_s, seconds, stops
):
    on = stage([scripted_skill("a")], robot=Settling(asked), limits=Limits(still_s=still_s))
    outcome = on.run()
    assert (round(outcome.sim_seconds, 6), on.robot.stops > 0) == (seconds, stops > 0)


@pytest.mark.parametrize(("still_s", "seconds"), [(0.5, 1.0), (1.0, 2.0)])
def test_robot_that_never_comes_to_rest_fails_the_mission(stage, still_s, seconds):
    on = stage([scripted_skill("a")], robot=Settling(999), limits=Limits(still_s=still_s))
    outcome = on.run()
    assert (outcome.status, outcome.reason_code, outcome.exit_code) == ("failed", "STOP_FAILED", 4)
    assert outcome.failures[-1]["message"] == "the robot of test: it still moves"
    assert round(outcome.sim_seconds, 6) == seconds
    assert on.robot.stops > 1, "the stop is repeated"
    assert on.told(Aborting) == [f"{10 + still_s:g} 1 Aborting robot stop still moving"]


@pytest.mark.parametrize(("asked", "results"), [(0, {"seen": "cup"}), (999, {})])
def test_results_are_returned_only_when_the_robot_came_to_rest(stage, asked, results):
    look = scripted_skill("a", result={"thing": "cup"})
    tree = "tree: t\nreturns: {seen: $found}\nroot: {do: a, save: {thing: found}}"
    top = "tree: top\nroot: {tree: t}"
    outcome = stage([look], top, trees=[tree], robot=Settling(asked)).run()
    assert outcome.results == results


def test_part_broken_during_a_skill_start_ends_the_mission(stage):
    """No later part is started, because it would be refused."""

    class Breaks:
        def on(self, event):
            if isinstance(event, SkillStarting):
                on.executive.runtime.broken = PartBroken("the clean-up of b", "hangs")

    slow = scripted_skill("a", [("3", "done")])
    on = stage([slow], executive={"listeners": [Breaks()]})
    outcome = on.run()
    assert (outcome.status, outcome.ticks) == ("failed", 1)
    assert "the clean-up of b" in outcome.failures[-1]["message"]


def test_failed_stop_fails_the_mission(stage, caplog):
    class Gone(Settling):
        def stop(self) -> None:
            super().stop()
            raise OSError("connection lost")

    on = stage([scripted_skill("a")], robot=Gone(25))
    outcome = on.run()
    assert (outcome.status, outcome.reason_code) == ("failed", "STOP_FAILED")
    message = "the robot of test: its stop() raised OSError: connection lost"
    assert outcome.failures[-1]["message"] == message
    assert caplog.messages[-1].startswith("THE ROBOT DID NOT STOP")


def test_abort_that_cannot_stop_the_robot_is_a_failure(stage):
    on = stage([scripted_skill("a")], robot=Settling(999))
    on.executive.abort()
    outcome = on.run()
    assert (outcome.status, outcome.reason_code) == ("failed", "STOP_FAILED")


def test_robot_with_an_unreadable_state_is_stopped_and_reported(stage, caplog):
    class Lost(ScriptedRobot):
        @property
        def still(self) -> bool:
            if self.log:
                raise OSError("connection lost")
            return True

        @still.setter
        def still(self, value: bool) -> None:
            pass

    on = stage([scripted_skill("a")], robot=Lost())
    outcome = on.run()
    assert (outcome.status, outcome.reason_code) == ("failed", "STOP_FAILED")
    message = "the robot of test: still raised OSError: connection lost"
    assert outcome.failures[-1]["message"] == message
    assert on.told(Aborting) == ["12 1 Aborting robot stop still moving"]


def test_mission_ends_only_when_all_robots_are_still(stage):
    on = stage([scripted_skill("a")])
    on.executive.rigs["other"] = Rig(Settling(2), simulation=on.simulation)
    assert round(on.run().sim_seconds, 6) == 0.2


def test_abort_before_the_first_tick_neither_moves_nor_observes(stage):
    on = stage([scripted_skill("a")], perception_workers=True)
    on.executive.abort("early")
    outcome = on.run()
    assert (outcome.status, outcome.ticks, on.robot.log) == ("aborted", 0, [])
    assert on.camera.taken == 1
    assert on.told()[-3:] == [
        "10 0 Aborting clean early",
        "10 0 FactsKnown end {}",
        "10 0 Finished aborted ABORTED",
    ]


def test_abort_takes_effect_while_an_observation_is_awaited(stage):
    looking, enough = threading.Event(), threading.Event()
    on = stage([scripted_skill("a")], perception_workers=True, limits=Limits(look_s=60))

    def interpret(capture):
        looking.set()
        enough.wait(60)
        return capture

    on.camera.interpret = interpret
    asking = threading.Thread(target=lambda: looking.wait(60) and on.executive.abort())
    asking.start()
    outcome = on.run()
    asking.join()
    assert not enough.is_set()
    enough.set()
    assert (outcome.status, on.robot.log) == ("aborted", [])
    assert on.told(PerceptionFailed) == []


def test_abort_during_a_tree_stops_its_skill_before_it_is_reported(stage):
    on = stage([scripted_skill("a", [("forever",)])])
    step = on.simulation.step

    def then_abort(seconds: float) -> None:
        step(seconds)
        if on.executive.runtime.tick == 2:
            on.executive.abort("enough")

    on.simulation.step = then_abort
    assert on.run().status == "aborted"
    assert on.robot.log == ["a start", "a stopped"]
    assert on.told()[-5:] == [
        "10.2 2 SkillEnded a a 1 stopped 0.2",
        "10.2 2 NodeChanged a stopped",
        "10.2 2 Aborting clean enough",
        "10.2 2 FactsKnown end {}",
        "10.2 2 Finished aborted ABORTED",
    ]


def test_mission_without_a_camera_does_not_observe(stage):
    on = stage([scripted_skill("a")])
    on.executive._perception_loop.observe_all = None  # must not be called at the end
    on.executive._run_mission = lambda *parts: on.executive._ending_after_success(parts[-1])
    assert on.run().status == "satisfied"


def test_abort_that_was_acted_on_leaves_the_skill_time_to_clean_up(stage):
    """The abort watch does not stop the robot: the clean-up of the skill has a separate limit."""
    stops = []

    @skill()
    def a() -> Steps:
        """Clean up slowly."""
        try:
            while True:
                yield Running()
        finally:
            on.executive._escalate_abort(0.001)
            stops.append(on.robot.stops)

    on = stage([a])
    step = on.simulation.step
    on.simulation.step = lambda seconds: (step(seconds), seconds and on.executive.abort())
    assert on.run().status == "aborted"
    assert stops == [0]


def test_abort_with_an_empty_reason_is_an_abort(stage):
    on = stage([scripted_skill("a")])
    on.executive.abort("")
    assert on.run().status == "aborted"
    assert on.told(Aborting) == ["10 0 Aborting clean operator"]


def test_simulation_step_may_take_its_limit_plus_a_period_and_the_hang_limit(stage):
    on = stage([scripted_skill("a", [("1", "done")])], robot=Settling(1), limits=Limits(hang_s=2))
    on.executive.clock.step_s = 7.0
    watched = []
    within = on.executive.watchdog.call_within
    on.executive.watchdog.call_within = lambda limit_s, part, *more, **named: (
        watched.append((round(limit_s, 6), part)),
        within(limit_s, part, *more, **named),
    )[1]
    assert on.run().status == "satisfied"
    simulated = [limit_s for limit_s, part in watched if part == "the simulation"]
    # before the observation, before the first tick, the tick, and while it comes to rest
    assert simulated == [9.1, 9.1, 9.1, 9.0]
