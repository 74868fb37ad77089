"""The lifecycle of a mission: re-planning, budgets, aborts, crashes."""

import threading
import time

import pytest

from bt_exec.events import Aborting, Planned, SkillEnded, SkillStarting
from bt_exec.failure import Failed, Refusal
from bt_exec.site.site import Limits
from bt_exec.skill import Running, Steps, skill
from bt_exec.testing import ScriptedRobot, run_tree, scripted_condition, scripted_skill

FOREVER = ("forever",)
TWO_PARTS = """
tree: t
root:
  sequence:
    - tree: first
    - tree: second
"""
FIRST = "tree: first\nroot: {do: a}"
SECOND = "tree: second\nroot: {sequence: [{do: b}, {do: c}]}"


def test_mission_without_failures_needs_one_plan():
    run = run_tree("tree: t\nroot: {do: a}", [scripted_skill("a")])
    found = run.outcome
    assert (found.status, found.reason_code, found.exit_code) == ("satisfied", "OK", 0)
    assert (found.planner_calls, found.replans, found.plan_version) == (1, 0, 1)


def test_failed_skill_causes_a_second_plan_that_keeps_finished_work():
    parts = [scripted_skill("a"), scripted_skill("b"), scripted_skill("c", ["SLIPPED", "done"])]
    run = run_tree(TWO_PARTS, parts, trees=[FIRST, SECOND])
    assert run.outcome.status == "satisfied"
    assert (run.outcome.planner_calls, run.outcome.replans) == (2, 1)
    assert run.robot.log == [
        *("a start", "a done", "b start", "b done", "c start", "c SLIPPED"),
        *("b start", "b done", "c start", "c done"),  # replans the failed part, not the first one
    ]
    plans = [event.spec for event in run.events if isinstance(event, Planned)]
    assert [(p.mission.plan_version, p.mission.parent, p.mission.kept) for p in plans] == [
        (1, None, ()),
        (2, 1, ("first/a",)),
    ]


def test_step_whose_effect_was_undone_is_repeated_by_the_second_plan():
    """The facts at the second plan contradict the effect of `a`, so `a` is not kept."""
    robot = ScriptedRobot()
    parts = [
        scripted_skill("a", effects={"door": "open"}),
        scripted_skill("b"),
        scripted_skill("c", ["SLIPPED", "done"]),
    ]

    def facts():
        return {"door": "open" if robot.log.count("a done") > 1 else "closed"}

    run_tree(TWO_PARTS, parts, trees=[FIRST, SECOND], robot=robot, world={"facts": facts})
    assert robot.log.count("a start") == 2


ONE_OPENS = "tree: t\nroot: {sequence: [{do: b}, {do: a, skip_if: opened}, {do: c}]}"


def ends_with(facts, *, opened=False, root=ONE_OPENS, effects=None):
    """Run a tree whose skill `a` opens a door. After the n-th end of `a`, it is in `facts[n]`."""
    robot = ScriptedRobot()
    parts = [
        scripted_skill("a", effects=effects or {"door": "open"}),
        scripted_skill("b"),
        scripted_skill("c"),
        scripted_condition("opened", [opened, False], establishes={"door": "open"}),
    ]
    known = {"facts": lambda: {"door": facts[min(robot.log.count("a done"), len(facts) - 1)]}}
    return run_tree(root, parts, robot=robot, world=known)


@pytest.mark.parametrize("opened", [False, True])
def test_action_with_a_lost_effect_is_repeated_at_the_end(opened):
    run = ends_with(["closed", "open"] if opened else ["closed", "closed", "open"], opened=opened)
    assert (run.outcome.status, run.outcome.replans) == ("satisfied", 1)
    (failure,) = run.outcome.failures
    code = "SKIP_MISTAKEN" if opened else "EFFECT_LOST"
    assert (failure["code"], failure["path"]) == (code, "a")
    assert run.robot.log.count("a done") == (1 if opened else 2)
    assert run.robot.log.count("b done") == 1  # kept


def test_mission_is_blocked_if_an_effect_is_lost_repeatedly():
    run = ends_with(["closed"])
    assert (run.outcome.status, run.outcome.reason_code) == ("blocked", "SKILL_FAILED")
    assert "EFFECT_LOST" in run.outcome.message


@pytest.mark.parametrize(
    ("facts", "more"),
    [
        (["closed", "open"], {}),
        (["closed"], {"effects": {"door": "?"}}),  # the declared effect has no known value
        (
            ["closed"],
            {
                "opened": False,
                "root": ONE_OPENS.replace("skip_if: opened", "skip_if: {not: opened}"),
            },
        ),
    ],
)
def test_mission_is_satisfied_if_no_declared_effect_is_contradicted(facts, more):
    assert ends_with(facts, **more).outcome.status == "satisfied"


def test_library_provides_an_alternative_tree():
    other = "tree: second\notherwise: [{on: [STUCK], tree: detour}]\nroot: {do: b}"
    parts = [scripted_skill("a"), scripted_skill("b", ["STUCK"]), scripted_skill("c")]
    run = run_tree(TWO_PARTS, parts, trees=[FIRST, other, "tree: detour\nroot: {do: c}"])
    assert run.outcome.status == "satisfied"
    assert run.robot.log[-2:] == ["c start", "c done"]


def test_second_identical_failure_ends_the_mission():
    run = run_tree("tree: t\nroot: {do: a}", [scripted_skill("a", ["STUCK"])])
    assert (run.outcome.status, run.outcome.reason_code) == ("blocked", "SKILL_FAILED")
    assert run.outcome.replans == 1
    assert "STUCK" in run.outcome.message
    assert run.outcome.exit_code == 3


def test_replan_budget_limits_the_number_of_plans():
    codes = [f"CODE_{n}" for n in range(9)]
    limits = Limits(replans=3)
    run = run_tree("tree: t\nroot: {do: a}", [scripted_skill("a", codes)], limits=limits)
    assert (run.outcome.status, run.outcome.planner_calls) == ("blocked", 4)
    assert [failure["code"] for failure in run.outcome.failures] == codes[:4]


def test_failed_check_causes_no_replan():
    condition = scripted_condition("c", [False])
    run = run_tree("tree: t\nroot: {check: c, else: NOT_THERE}", [condition])
    assert (run.outcome.status, run.outcome.reason_code) == ("blocked", "NOT_THERE")
    assert run.outcome.planner_calls == 1


def test_failed_guard_causes_a_replan():
    parts = [
        scripted_skill("a", [FOREVER, "done"]),
        scripted_condition("c", [True, True, False, True]),
    ]
    run = run_tree("tree: t\nroot: {do: a, while: c}", parts)
    assert (run.outcome.status, run.outcome.planner_calls) == ("satisfied", 2)


@pytest.mark.parametrize("fault", ["a:1=SLIPPED", "a=SLIPPED"])
def test_injected_fault_fails_before_the_skill_starts(fault):
    run = run_tree(
        "tree: t\nroot: {do: a}", [scripted_skill("a", fails=["SLIPPED"])], faults=[fault]
    )
    assert run.outcome.failures[0]["message"] == "made to fail on purpose at call 1"
    assert run.outcome.status == ("satisfied" if ":" in fault else "blocked")


def test_crash_of_a_skill_fails_the_mission_with_its_traceback():
    run = run_tree("tree: t\nroot: {do: a}", [scripted_skill("a", ["crash"])])
    assert (run.outcome.status, run.outcome.reason_code) == ("failed", "SKILL_CRASHED")
    assert run.outcome.exit_code == 4
    assert "made to crash" in run.outcome.failures[0]["evidence"]["traceback"]


def test_undeclared_failure_code_is_a_skill_error():
    @skill(fails={"STUCK"})
    def a() -> Steps:
        """Fail with a code that is not declared."""
        yield Running()
        raise Failed("SOMETHING_ELSE")

    run = run_tree("tree: t\nroot: {do: a}", [a])
    assert run.outcome.reason_code == "SKILL_CRASHED"
    assert "undeclared code SOMETHING_ELSE" in run.outcome.failures[0]["message"]


def test_failure_that_is_not_retryable_causes_no_replan():
    @skill(fails={"HOPELESS"})
    def a() -> Steps:
        """Fail without retry; the evidence may use any name."""
        yield Running()
        raise Failed("HOPELESS", "no way", retryable=False, code=7, language="none")

    run = run_tree("tree: t\nroot: {do: a}", [a])
    assert (run.outcome.status, run.outcome.reason_code) == ("blocked", "SKILL_FAILED")
    assert run.outcome.planner_calls == 1
    assert run.outcome.failures[0]["evidence"] == {"code": 7, "language": "none"}


def test_invalid_yield_is_a_skill_error():
    @skill()
    def a() -> Steps:
        """Yield an invalid value."""
        yield "half way"

    assert run_tree("tree: t\nroot: {do: a}", [a]).outcome.reason_code == "SKILL_CRASHED"


def test_skill_is_recorded_before_it_starts():
    order = []

    @skill()
    def a(robot) -> Steps:
        """Record the start."""
        order.append("moves")
        yield Running()

    def recorded() -> str:
        order.append("recorded")
        return ""

    run = run_tree("tree: t\nroot: {do: a}", [a], unrecorded=recorded)
    assert order == ["recorded", "moves"]
    starting = next(event for event in run.events if isinstance(event, SkillStarting))
    assert (starting.skill, starting.call) == ("a", 1)


def test_unrecorded_mission_does_not_move():
    run = run_tree("tree: t\nroot: {do: a}", [scripted_skill("a")], unrecorded=lambda: "disk full")
    assert (run.outcome.status, run.outcome.reason_code) == ("failed", "NOT_RECORDED")
    assert run.robot.log == []


def test_abort_takes_effect_at_the_next_tick_and_cleans_up():
    run = run_tree("tree: t\nroot: {do: a}", [scripted_skill("a", [FOREVER])], abort_at=7)
    assert (run.outcome.status, run.outcome.exit_code) == ("aborted", 130)
    assert run.outcome.ticks == 6
    assert run.robot.log == ["a start", "a stopped"]
    ended = next(event for event in run.events if isinstance(event, SkillEnded))
    assert ended.state == "stopped"
    assert any(isinstance(event, Aborting) for event in run.events)


def test_slow_clean_up_escalates_to_a_robot_stop():
    @skill()
    def a(robot) -> Steps:
        """Stop too slowly."""
        try:
            while True:
                yield Running()
        finally:
            deadline = time.monotonic() + 60
            while not robot.stops and time.monotonic() < deadline:
                time.sleep(0.01)

    limits = Limits(cancel_s=0.05)
    run = run_tree("tree: t\nroot: {do: a}", [a], abort_at=3, limits=limits)
    assert run.robot.stops == 1
    assert run.trace()[-1].startswith("2 a stopped")


def test_clean_up_that_raises_stops_the_robot():
    @skill()
    def a(robot) -> Steps:
        """Raise while stopping."""
        try:
            while True:
                yield Running()
        finally:
            raise RuntimeError("broken clean-up")

    run = run_tree("tree: t\nroot: {do: a}", [a], abort_at=3)
    assert (run.outcome.status, run.robot.stops) == ("aborted", 1)


def test_robot_that_keeps_moving_is_stopped_at_the_end():
    class Restless(ScriptedRobot):
        def __init__(self):
            super().__init__(still=False)

    run = run_tree("tree: t\nroot: {do: a}", [scripted_skill("a")], robot=Restless())
    assert run.robot.stops == 1
    how = [event.how for event in run.events if isinstance(event, Aborting)]
    assert how == ["robot stop"]


def test_refused_mission_does_not_move():
    from bt_exec.mission.clock import Clock
    from bt_exec.mission.executive import Executive
    from bt_exec.rig import Rig
    from bt_exec.testing import FakeClock
    from bt_exec.testing.tree_run import scripted_site

    class No:
        name = "no"

        def compile(self, request):
            return Refusal("NOT_UNDERSTOOD", "I do not understand.", ("do a",))

    simulation, robot = FakeClock(), ScriptedRobot()
    site = scripted_site([scripted_skill("a")])
    rigs = {"test": Rig(robot, simulation=simulation)}
    found = Executive(site, rigs, {}, Clock([simulation], 0.05, fast=True), No()).run("hm")
    assert (found.status, found.reason_code, found.exit_code) == ("refused", "NOT_UNDERSTOOD", 5)
    assert found.message == "I do not understand."
    assert found.nearest == ("do a",)
    assert robot.log == []


def test_abort_takes_effect_while_the_compiler_runs():
    from bt_exec.mission.clock import Clock
    from bt_exec.mission.executive import Executive
    from bt_exec.rig import Rig
    from bt_exec.testing import FakeClock
    from bt_exec.testing.tree_run import scripted_site

    thinking, enough = threading.Event(), threading.Event()

    class Slow:
        name = "slow"

        def compile(self, request):
            thinking.set()
            enough.wait(30)
            return Refusal("LATE", "late")

    simulation = FakeClock()
    site = scripted_site([scripted_skill("a")])
    rigs = {"test": Rig(ScriptedRobot(), simulation=simulation)}
    executive = Executive(site, rigs, {}, Clock([simulation], 0.05, fast=True), Slow())
    threading.Thread(target=lambda: thinking.wait(60) and executive.abort()).start()
    assert executive.run("hm").status == "aborted"
    enough.set()


def test_unverified_plan_is_refused_and_does_not_move():
    site_parts = [scripted_skill("a", needs={"hand": "empty"})]
    run = run_tree("tree: t\nroot: {do: a}", site_parts, world={"facts": lambda: {"hand": "cup"}})
    assert (run.outcome.status, run.outcome.reason_code) == ("refused", "PLAN_REJECTED")
    assert "a needs hand to be empty, but it will be cup" in run.outcome.problems[0]
    assert run.robot.log == []


def test_failing_listener_does_not_stop_the_mission(caplog):
    class Broken:
        def on(self, event):
            raise ValueError("no ears")

    from bt_exec.mission.clock import Clock
    from bt_exec.mission.executive import Executive
    from bt_exec.rig import Rig
    from bt_exec.spec.load import load_text
    from bt_exec.testing import FakeClock
    from bt_exec.testing.tree_run import FixedCompiler, scripted_site

    simulation = FakeClock()
    text = "tree: t\nroot: {do: a}"
    site = scripted_site([scripted_skill("a")], [text])
    rigs = {"test": Rig(ScriptedRobot(), simulation=simulation)}
    compiler = FixedCompiler(load_text(text).document)
    clock = Clock([simulation], 0.05, fast=True)
    executive = Executive(site, rigs, {}, clock, compiler, listeners=[Broken()])
    assert executive.run("go").status == "satisfied"
    assert caplog.text.count("no ears") == 1


def test_problem_found_by_two_checks_is_reported_once():
    inner = "tree: inner\nparams: {k: {type: integer}}\nroot: {do: a}"
    run = run_tree("tree: t\nroot: {tree: inner}", [scripted_skill("a")], trees=[inner])
    assert run.outcome.problems == (
        "the plan: root: tree 'inner' needs 'k' (integer) (allowed: k) [MISSING_ARGUMENT]",
    )


def test_mission_that_acted_does_not_end_as_already_done():
    """The first attempt moves and times out. Its effect lets the second attempt be skipped."""
    tree = "tree: t\nroot: {do: a, skip_if: c, timeout: 200ms}"
    so = scripted_condition("c", [False, True], skip_reason="already so")
    run = run_tree(tree, [scripted_skill("a", [FOREVER]), so])
    assert [failure["code"] for failure in run.outcome.failures] == ["TIMEOUT"]
    assert (run.outcome.status, run.outcome.reason_code) == ("satisfied", "OK")


def test_answer_is_reported_when_every_action_was_skipped():
    tree = "tree: t\nroot: {sequence: [{do: a, skip_if: c}, {check: d, tell: true}]}"
    so = scripted_condition("c", [True], skip_reason="already so")
    run = run_tree(tree, [scripted_skill("a"), so, scripted_condition("d", [False])])
    assert (run.outcome.status, run.outcome.reason_code) == ("satisfied", "OK")
    assert run.outcome.message == "no"


def test_each_skip_reason_is_reported_once():
    tree = "tree: t\nroot: {sequence: [{do: a, skip_if: c}, {do: a, skip_if: d}]}"
    so = scripted_condition("c", [True], skip_reason="already so")
    thus = scripted_condition("d", [True], skip_reason="already thus")
    run = run_tree(tree, [scripted_skill("a"), so, thus])
    assert run.outcome.reason_code == "ALREADY_THUS"
    assert run.outcome.message == "already so already thus"
