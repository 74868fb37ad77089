"""Requests to a compiler: request fields, answers, time limits and errors."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from bt_exec.events import Planned, Rejected
from bt_exec.failure import Failure, Problem, Refusal, UsageError
from bt_exec.language.meaning import Meaning
from bt_exec.mission import planner
from bt_exec.mission.clock import Clock
from bt_exec.mission.planner import Planner
from bt_exec.mission_outcome import Ending
from bt_exec.nodes.runtime import Runtime
from bt_exec.observation import Situation
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import REPLIES, Plan, Reply, Request, VerifiedPlan
from bt_exec.planning.confirmation import Confirmation
from bt_exec.planning.failed_part_repair import FixedPlanCompiler
from bt_exec.planning.plan_preparation import prepare
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.standby_threads import STANDBY
from bt_exec.testing import FakeClock, scripted_skill
from bt_exec.testing.tree_run import scripted_site

TREE = "tree: t\nroot: {sequence: [{do: a, name: x}, {do: a}]}"
FAILURE = Failure("STUCK", "it is stuck", "x")


def plan_of(kept: tuple[str, ...] = ()) -> MissionSpec:
    root = load_text(TREE).document.root
    return MissionSpec(mission=Mission(command="go", compiler="test", kept=kept), root=root)


class Says:
    """Compiler that returns, calls or raises its argument."""

    name = "says"

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.requests: list[Request] = []

    def compile(self, request: Request) -> Any:
        self.requests.append(request)
        answer = self.answer(request) if callable(self.answer) else self.answer
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Asked:
    """Planner with the events that it emitted."""

    def __init__(
        self,
        compiler: Any,
        limit_s: float = 60.0,
        check_stop: Any = lambda: None,
        confirmation: Confirmation | None = None,
    ) -> None:
        self.events: list[Any] = []
        clock = Clock([FakeClock(3.0)], 0.01, fast=True)
        runtime = Runtime(Catalogue([]), {}, {}, clock.now, self.events.append)
        runtime.tick = 7
        self.planner = Planner(compiler, limit_s, clock, runtime, check_stop, confirmation)

    def told(self, lines: Any) -> list[str]:
        return lines(self.events)


@pytest.fixture
def request_of():
    def request_of(needs=None, **more):
        site = scripted_site([scripted_skill("a", needs=needs)], [TREE])
        request = Request("go", "en", site.catalogue, site.library, site.messages)
        return replace(request, **more)

    return request_of


def test_repaired_plan_is_prepared_with_the_meaning_of_the_command(request_of, monkeypatch):
    """Without it, passes would apply their rules for unread commands to words such as "again"."""
    prepared: list[Plan] = []

    def prepare_noting(answer: Plan, request: Request) -> VerifiedPlan:
        prepared.append(answer)
        return prepare(answer.spec, request)

    monkeypatch.setattr(planner, "prepare_answer", prepare_noting)
    read = Meaning("en", ())
    answers = iter([Plan(plan_of(), meaning=read), Plan(plan_of()), Plan(plan_of())])
    on = Asked(Says(lambda _: next(answers)))
    for previous in (None, plan_of(), None):
        on.planner.plan(request_of(previous=previous))
    assert [answer.meaning for answer in prepared] == [read, read, None]


def test_verified_plan_is_returned_and_reported(request_of, lines):
    on = Asked(Says(Plan(plan_of(), calls=3, usage={"tokens": 9.0})))
    plan = on.planner.plan(request_of())
    assert isinstance(plan, VerifiedPlan)
    spec = plan.spec
    assert on.told(lines) == ["3 7 Planning says", "3 7 Planned 3"]
    assert on.events[-1] == Planned(3.0, 7, spec, 3, {"tokens": 9.0})
    assert on.planner.calls == 1


def test_nodes_kept_by_the_plan_are_reported(request_of, lines):
    on = Asked(Says(Plan(plan_of(kept=("x", "a")))))
    on.planner.plan(request_of(failure=FAILURE))
    assert on.told(lines) == [
        "3 7 Planning says STUCK",
        "3 7 Planned 1",
        "3 7 NodeChanged x kept",
        "3 7 NodeChanged a kept",
    ]


def test_compiler_and_confirmation_need_no_new_thread(request_of, monkeypatch):
    """`Thread.start` waits forever for a thread whose first allocation fails."""
    STANDBY.prepare(2)
    monkeypatch.setattr(threading.Thread, "start", lambda _: pytest.fail("a new thread"))
    answers = Plan(plan_of(), unconfirmed="why")
    on = Asked(Says(answers), confirmation=Confirmation("always", lambda *_: True))
    assert isinstance(on.planner.plan(request_of()), VerifiedPlan)


def test_calls_are_counted_over_all_plans(request_of):
    refusal = Refusal("NO", "No.", calls=4, requests=5)
    answers = iter([Plan(plan_of(), calls=2, requests=3), refusal, OSError("gone")])
    on = Asked(Says(lambda request: next(answers)))
    counted = []
    for _ in range(3):
        on.planner.plan(request_of())
        counted.append((on.planner.calls, on.planner.requests))
    assert counted == [(1, 3), (2, 8), (3, 8)]  # a call without an answer counts


def test_compiler_gets_a_time_limit_and_a_cancel_event(request_of):
    compiler, mine = Says(Plan(plan_of())), request_of()
    Asked(compiler, limit_s=12.5).planner.plan(mine)
    (given,) = compiler.requests
    assert given.limit_s == 12.5
    assert given.cancel.is_set()
    assert not mine.cancel.is_set()  # the mission reuses its own request


def test_refusal_ends_the_mission_as_refused(request_of, lines):
    refusal = Refusal("NOT_UNDERSTOOD", "What?", ("go",), problems=("a problem",))
    on = Asked(Says(refusal))
    ending = on.planner.plan(request_of())
    assert ending == Ending("refused", "NOT_UNDERSTOOD", refusal=refusal, problems=("a problem",))
    assert on.told(lines) == ["3 7 Planning says", "3 7 Refused"]
    assert on.events[-1].refusal is refusal


def test_refusal_after_a_failure_ends_the_mission_as_blocked_by_that_failure(request_of):
    on = Asked(Says(Refusal("NO_OTHER_WAY", "There is no other way.", problems=("a problem",))))
    assert on.planner.plan(request_of(failure=FAILURE)) == Ending(
        "blocked",
        "SKILL_FAILED",
        FAILURE,
        why="NO_OTHER_WAY",
        said="There is no other way.",
        problems=("a problem",),
    )


@pytest.mark.parametrize("answer", [True, False])
@pytest.mark.parametrize("given", [True, False])
def test_unconfirmed_plan_does_not_run_unless_the_operator_wrote_it(
    request_of, lines, answer, given
):
    asked = []

    def person(spec, why, over):
        asked.append(spec)
        return answer

    compiler = (
        FixedPlanCompiler(plan_of()) if given else Says(Plan(plan_of(), unconfirmed="Who knows?"))
    )
    on = Asked(compiler, confirmation=Confirmation("always", person))
    found = on.planner.plan(request_of())
    if answer or given:
        assert isinstance(found, VerifiedPlan)
        assert [line.split()[2] for line in on.told(lines)] == ["Planning", "Planned"]
    else:
        assert (found.status, found.reason_code) == ("refused", "NOT_CONFIRMED")
        assert [line.split()[2] for line in on.told(lines)] == ["Planning", "Refused"]
        assert on.events[-1].refusal is found.refusal
    assert len(asked) == (not given)


NEEDS = {"hand": "empty"}
FULL = Situation(facts={"hand": "cup"})
PROBLEM = (
    "the plan: root/sequence[0]/do: a needs hand to be empty, but it will be cup "
    "(found hand=cup; allowed: hand=empty) [NEED_NOT_MET]"
)


def test_plan_that_fails_verification_is_reported_with_its_problems(request_of, lines):
    on = Asked(Says(Plan(plan_of(), calls=2)))
    ending = on.planner.plan(request_of(NEEDS, situation=FULL))
    assert on.told(lines) == ["3 7 Planning says", "3 7 Rejected"]
    (rejected,) = (event for event in on.events if isinstance(event, Rejected))
    assert (rejected.t, rejected.tick, rejected.spec) == (3.0, 7, plan_of())
    assert all(isinstance(problem, Problem) for problem in rejected.problems)
    assert (ending.status, ending.reason_code) == ("refused", "PLAN_REJECTED")
    assert ending.problems == tuple(map(str, rejected.problems))
    assert ending.problems[0] == PROBLEM


@pytest.mark.parametrize("given", [True, False])
def test_problems_with_positions_are_reported_only_for_a_plan_of_the_operator(request_of, given):
    """An unmet need is always explained in a sentence."""
    request = request_of(NEEDS, situation=FULL)
    request.messages._sentences["hand=cup"] = {"en": "The hand holds a cup.", "ko": "컵"}
    compiler = FixedPlanCompiler(plan_of()) if given else Says(Plan(plan_of()))
    ending = Asked(compiler).planner.plan(request)
    assert (ending.reason_code, bool(ending.problems)) == ("NEED_NOT_MET", given)
    assert bool(ending.refusal.problems) is given


def test_crash_of_a_compiler_fails_the_mission_with_its_reason(request_of, caplog, lines):
    on = Asked(Says(ValueError("no words")))
    ending = on.planner.plan(request_of())
    failure = Failure("COMPILER_CRASHED", "ValueError: no words", kind="compiler", retryable=False)
    assert ending == Ending("failed", "COMPILER_CRASHED", failure)
    assert on.told(lines) == ["3 7 Planning says"]
    assert caplog.messages == ["ValueError: no words"]
    assert caplog.records[0].exc_info[1].args == ("no words",)


def test_usage_error_of_a_compiler_refuses_the_command(request_of, lines):
    on = Asked(Says(UsageError("kiwipiepy is not installed")))
    ending = on.planner.plan(request_of())
    assert (ending.status, ending.reason_code) == ("refused", "COMPILER_UNAVAILABLE")
    assert "kiwipiepy is not installed" in ending.refusal.message


def test_slow_compiler_is_awaited(request_of):
    asked = []

    def answer(request):
        enough.wait(60)
        return Plan(plan_of())

    def check_stop():
        asked.append(None)
        if len(asked) == 3:
            enough.set()

    enough = threading.Event()
    on = Asked(Says(answer), check_stop=check_stop)
    assert isinstance(on.planner.plan(request_of()), VerifiedPlan)
    assert len(asked) >= 4  # checked at every period and once more when the answer has arrived


def test_compiler_without_an_answer_times_out(request_of):
    begun, enough = threading.Event(), threading.Event()

    def answer(request):
        begun.set()
        enough.wait(60)

    compiler = Says(answer)
    on = Asked(compiler, limit_s=0.05)
    ending = on.planner.plan(request_of())
    assert begun.wait(60)  # on a busy machine the compiler's thread may begin after the time limit
    enough.set()
    message = "no answer after 0.05 s"
    failure = Failure("COMPILER_TIMEOUT", message, kind="compiler", retryable=False)
    assert ending == Ending("failed", "COMPILER_TIMEOUT", failure)
    assert compiler.requests[0].cancel.is_set()
    assert on.planner.calls == 1


@pytest.mark.parametrize("thinks", [True, False])
def test_ending_mission_neither_awaits_nor_accepts_an_answer(request_of, thinks):
    """This also holds for an answer that is available at once."""

    class EndedError(Exception):
        pass

    asked, enough = threading.Event(), threading.Event()

    def check_stop():
        asked.wait(60)
        raise EndedError

    def answer(request):
        asked.set()
        return (thinks and enough.wait(60) and None) or Plan(plan_of())

    with pytest.raises(EndedError):
        Asked(compiler := Says(answer), check_stop=check_stop).planner.plan(request_of())
    assert compiler.requests[0].cancel.is_set()
    enough.set()


def test_compiler_runs_on_a_daemon_thread(request_of):
    seen = []
    compiler = Says(lambda request: seen.append(threading.current_thread()) or Plan(plan_of()))
    Asked(compiler).planner.plan(request_of())
    assert [thread.daemon for thread in seen] == [True]
    assert seen != [threading.main_thread()]


@pytest.mark.parametrize("error", [SystemExit(1), SystemExit(), KeyboardInterrupt()])
def test_compiler_that_ends_its_thread_is_a_failure(request_of, error):
    """The mission reports the failure and continues to its end."""
    ending = Asked(Says(error)).planner.plan(request_of())
    assert (ending.status, ending.reason_code) == ("failed", "COMPILER_CRASHED")
    assert ending.failure.message.startswith(f"{type(error).__name__}: ")


@pytest.mark.parametrize("fits", [True, False])
def test_plan_verified_for_the_same_request_is_not_verified_again(request_of, monkeypatch, fits):
    request = request_of()
    situation = request.situation if fits else Situation(("cup",))
    written = plan_of()
    verified = prepare(written, replace(request, situation=situation))
    asked = []
    monkeypatch.setattr(
        "bt_exec.planning.plan_preparation.prepare",
        lambda *given: (asked.append(given), prepare(*given))[1],
    )
    found = Asked(Says(Plan(written, verified=verified))).planner.plan(request)
    assert (found is verified) is fits
    assert len(asked) == (0 if fits else 1)


def test_reply_ends_the_mission_as_satisfied(request_of, lines):
    code = sorted(REPLIES)[0]
    on = Asked(Says(Reply(code, "You are welcome.")))
    assert on.planner.plan(request_of()) == Ending("satisfied", code, said="You are welcome.")
    assert on.told(lines) == ["3 7 Planning says"]
    assert (on.planner.calls, on.planner.requests) == (1, 0)


def test_invalid_answer_of_a_compiler_is_a_failure(request_of):
    ending = Asked(Says("x" * 100)).planner.plan(request_of())
    found = f"str: {'x' * 100!r:.80}"
    message = f"it returned neither a plan nor a refusal; {found}"
    failure = Failure("COMPILER_CRASHED", message, kind="compiler", retryable=False)
    assert ending == Ending("failed", "COMPILER_CRASHED", failure)


@pytest.mark.parametrize("failure", [None, FAILURE])
@pytest.mark.parametrize("turn", ["open", "last", None])
def test_refusal_after_turns_is_reported_as_the_reason(request_of, failure, turn):
    refusal = Refusal("ENOUGH", "That is enough.", problems=("a problem",))
    spec = plan_of()
    header = spec.mission.model_copy(update={"turn": turn})
    previous = spec.model_copy(update={"mission": header})
    ending = Asked(Says(refusal)).planner.plan(request_of(previous=previous, failure=failure))
    if turn is not None:
        said = {"said": "That is enough.", "refusal": refusal, "problems": ("a problem",)}
        assert ending == Ending("blocked", "ENOUGH", **said)
    elif failure is not None:
        assert (ending.status, ending.reason_code, ending.why) == (
            *("blocked", "SKILL_FAILED", "ENOUGH"),
        )
    else:
        assert (ending.status, ending.refusal) == ("refused", refusal)
