"""Plans made turn by turn: requested until the last turn has run, up to a limit."""

from typing import NamedTuple

import pytest

from bt_exec.events import Planned, Planning
from bt_exec.failure import Refusal
from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.planning.compiler import Plan
from bt_exec.planning.failed_part_repair import FixedPlanCompiler
from bt_exec.rig import Rig
from bt_exec.site.site import Limits
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.model import MissionSpec
from bt_exec.testing import FakeClock, ScriptedRobot, scripted_skill
from bt_exec.testing.tree_run import scripted_site


class Turns:
    """Compiler that returns one turn after the other: its skills, and whether it is the last."""

    name = "turns"

    def __init__(self, *turns):
        self.turns, self.requests = list(turns), []

    def compile(self, request):
        self.requests.append(request)
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, Refusal):
            return turn
        kind, *skills = turn
        header = {"command": request.command, "plan_version": request.plan_version, "turn": kind}
        root = {"sequence": [{"do": name} for name in skills]}
        return Plan(MissionSpec.model_validate({"mission": header, "root": root}))


class Measured(NamedTuple):
    value: int


@skill
def measure(robot: ScriptedRobot) -> Steps[Measured]:
    """Measure a value."""
    yield Running(None, "measuring")
    return Measured(7)


def ran(compiler, parts, **more):
    events = []
    site = scripted_site(parts, [], limits=more.pop("limits", Limits(replans=0)))
    listener = type("L", (), {"on": lambda _, event: events.append(event)})()
    simulation = FakeClock()
    robot = ScriptedRobot()
    executive = Executive(
        site,
        {site.name: Rig(robot, simulation=simulation)},
        {},
        Clock([simulation], 0.05, fast=True),
        compiler,
        listeners=[listener],
        **more,
    )
    return executive.run("test"), robot, events


def test_turns_are_requested_until_the_last_one():
    compiler = Turns(("open", "a"), ("open", "b"), ("last", "c"))
    outcome, robot, events = ran(compiler, [scripted_skill(name) for name in "abc"])
    assert (outcome.status, outcome.planner_calls, outcome.replans) == ("satisfied", 3, 0)
    assert robot.log == ["a start", "a done", "b start", "b done", "c start", "c done"]
    assert [one.spec.mission.turn for one in events if isinstance(one, Planned)] == [
        "open", "open", "last",
    ]  # fmt: skip
    assert all(one.failure is None for one in events if isinstance(one, Planning))


def test_next_turn_gets_the_results_of_the_previous_one():
    compiler = Turns(("open", "measure"), ("last", "a"))
    ran(compiler, [measure, scripted_skill("a")])
    (done,) = compiler.requests[1].done
    assert (done.skill, done.result) == ("measure", {"value": 7})


def test_failure_in_a_turn_is_reported_and_is_not_a_replan():
    compiler = Turns(("open", "a", "b"), ("last", "c"))
    parts = [scripted_skill("a"), scripted_skill("b", ["LOST"]), scripted_skill("c")]
    outcome, _, _ = ran(compiler, parts)
    assert (outcome.status, outcome.replans) == ("satisfied", 0)
    second = compiler.requests[1]
    assert second.failure.code == "LOST"
    assert [one.skill for one in second.done] == ["a"]
    assert [one["code"] for one in outcome.failures] == ["LOST"]


def test_failed_last_turn_is_followed_by_another():
    compiler = Turns(("last", "a"), ("last", "b"))
    outcome, _, _ = ran(compiler, [scripted_skill("a", ["LOST"]), scripted_skill("b")])
    assert (outcome.status, outcome.planner_calls) == ("satisfied", 2)


def test_turns_are_limited_by_the_budget():
    compiler = Turns(("open", "a"))
    outcome, robot, _ = ran(compiler, [scripted_skill("a")], limits=Limits(replans=0, turns=5))
    assert (outcome.status, outcome.reason_code) == ("blocked", "TURNS_SPENT")
    assert robot.log.count("a done") == 5


@pytest.mark.parametrize("fails", [True, False])
def test_refusal_after_turns_becomes_the_outcome_reason(fails):
    refusal = Refusal("ENOUGH", "That is enough.")
    compiler = Turns(("open", "a"), refusal)
    outcome, _, _ = ran(compiler, [scripted_skill("a", ["LOST"] if fails else ["done"])])
    assert (outcome.status, outcome.reason_code) == ("blocked", "ENOUGH")
    assert outcome.message == "That is enough."


def test_given_plan_needs_no_further_turns():
    """A recorded plan may state that further turns followed."""
    header = {"command": "test", "turn": "open"}
    given = MissionSpec.model_validate({"mission": header, "root": {"do": "a"}})
    outcome, robot, _ = ran(FixedPlanCompiler(given), [scripted_skill("a")])
    assert (outcome.status, robot.log) == ("satisfied", ["a start", "a done"])


def test_turn_that_cannot_be_recorded_ends_the_mission():
    compiler = Turns(("open", "a"))
    outcome, robot, _ = ran(compiler, [scripted_skill("a")], unrecorded=lambda: "the disk is full")
    assert (outcome.status, outcome.reason_code) == ("failed", "NOT_RECORDED")
    assert robot.log == []
