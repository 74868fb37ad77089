"""Planner calls within a mission, on a worker with a time limit, and the policy for re-plans."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from bt_exec.events import NodeChanged, Planned, Planning, Refused, Rejected
from bt_exec.failure import Failure, Refusal, SpecError, UsageError, describe_exception, plain_error
from bt_exec.language.meaning import Meaning
from bt_exec.mission.clock import Clock
from bt_exec.mission_outcome import Ending
from bt_exec.nodes.runtime import Runtime
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Compiler, Plan, Reply, Request, VerifiedPlan
from bt_exec.planning.confirmation import Confirmation
from bt_exec.planning.failed_part_repair import FixedPlanCompiler
from bt_exec.planning.plan_preparation import NEED_NOT_MET, prepare_answer, verification_refusal
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.standby_threads import STANDBY

__all__ = ["Planner", "ReplanPolicy"]

_log = logging.getLogger("bt_exec")


class Planner:
    """Source of verified plans for one mission.

    Args:
        compiler: Makes the plans.
        limit_s: Time limit of a compiler call [s].
        clock: The mission's clock.
        runtime: Shared state of the mission, with its listeners.
        check_stop: Called while the compiler runs; raises when the mission is to end.
        confirmation: Asks for confirmation of plans that cannot be compared with the command.

    Attributes:
        calls: Number of compiler calls.
        requests: Number of requests to a language model for these calls.
    """

    def __init__(
        self,
        compiler: Compiler,
        limit_s: float,
        clock: Clock,
        runtime: Runtime,
        check_stop: Callable[[], None],
        confirmation: Confirmation | None = None,
    ) -> None:
        self.compiler = compiler
        self.calls = 0
        self.requests = 0
        self._limit_s = limit_s
        self._clock = clock
        self._runtime = runtime
        self._check_stop = check_stop
        self._confirmation = confirmation or Confirmation()
        self._meaning: Meaning | None = None

    def plan(self, request: Request) -> VerifiedPlan | Ending:
        """Return a verified plan, or the ending of the mission if there is none.

        A mission without a plan ends with a refusal, a reply, or a failure of the compiler.
        """
        self._runtime.emit(Planning(*self._time_and_tick(), self.compiler.name, request.failure))
        self.calls += 1
        answer = self._compile_on_thread(request)
        if isinstance(answer, Failure):
            return Ending("failed", answer.code, answer)
        if isinstance(answer, Reply):
            return Ending("satisfied", answer.code, said=answer.message)
        self.requests += answer.requests
        if isinstance(answer, Refusal):
            self._runtime.emit(Refused(*self._time_and_tick(), answer))
            return _ending_without_plan(request, answer)
        if answer.meaning is None and request.previous is not None:
            answer = replace(answer, meaning=self._meaning)  # a re-plan is for the same command
        self._meaning = answer.meaning
        try:
            part = "the verification of the plan"  # calls checkers and passes of packs
            watch = self._runtime.watch
            plan = watch.call_within(self._limit_s, part, prepare_answer, answer, request)
        except SpecError as error:
            self._runtime.emit(Rejected(*self._time_and_tick(), answer.spec, error.problems))
            refusal = verification_refusal(error, request)
            said = all(problem.code in request.messages for problem in error.problems)
            if (said or refusal.code == NEED_NOT_MET) and not isinstance(
                self.compiler, FixedPlanCompiler
            ):
                refusal = replace(refusal, problems=())  # they concern only the author of the plan
            return _ending_without_plan(request, refusal)
        refused = None
        if not isinstance(self.compiler, FixedPlanCompiler):  # a given plan needs no confirmation
            refused = self._confirmation.refusal(answer, plan.spec, request, self._check_stop)
        if refused is not None:
            self._runtime.emit(Refused(*self._time_and_tick(), refused))
            return _ending_without_plan(request, refused)
        self._runtime.emit(Planned(*self._time_and_tick(), plan.spec, answer.calls, answer.usage))
        for path in plan.spec.mission.kept:
            self._runtime.emit(NodeChanged(*self._time_and_tick(), path, "kept"))
        return plan

    def _compile_on_thread(self, request: Request) -> Plan | Refusal | Reply | Failure:
        """Call the compiler on a separate thread, so that an abort need not wait for it."""
        box: list[Plan | Refusal | Reply | BaseException] = []
        ready = threading.Event()
        request = replace(request, cancel=threading.Event(), limit_s=self._limit_s)

        def compile_request() -> None:
            try:
                answer = self._runtime.faults.call_compiler(lambda: self.compiler.compile(request))
                box.append(answer)
            except BaseException as error:  # noqa: BLE001 - SystemExit would end only this thread
                box.append(plain_error(error))
            finally:
                ready.set()

        STANDBY.run(compile_request)
        limit = time.monotonic() + self._limit_s
        try:
            while not ready.wait(self._clock.period_s):
                self._check_stop()
                if time.monotonic() > limit:
                    return _failed("COMPILER_TIMEOUT", f"no answer after {self._limit_s:g} s")
            self._check_stop()
        finally:
            request.cancel.set()  # a compiler that still runs may stop early
        answer = box[0]
        if isinstance(answer, UsageError):  # for instance, a package is missing
            say = request.messages.say
            message = say("COMPILER_UNAVAILABLE", request.language, message=str(answer))
            return Refusal("COMPILER_UNAVAILABLE", message)
        if isinstance(answer, BaseException):
            kind, _, details = describe_exception(answer).partition(": ")
            failure = _failed("COMPILER_CRASHED", f"{kind}: {details}")
            explanation = request.messages.explain_failure(failure, request.language)
            _log.error("%s", explanation, exc_info=answer, extra={"complete": True})
            return failure
        if not isinstance(answer, Plan | Refusal | Reply):
            found = f"{type(answer).__name__}: {answer!r:.80}"
            return _failed("COMPILER_CRASHED", f"it returned neither a plan nor a refusal; {found}")
        return answer

    def _time_and_tick(self) -> tuple[float, int]:
        return self._runtime.now(), self._runtime.tick


def _failed(code: str, message: str) -> Failure:
    return Failure(code, message, kind="compiler", retryable=False)


def _ending_without_plan(request: Request, refusal: Refusal) -> Ending:
    """Return the ending of a mission for which no plan was made."""
    code, problems = refusal.code, refusal.problems
    if request.previous is not None and request.previous.mission.turn is not None:
        return Ending("blocked", code, said=refusal.message, refusal=refusal, problems=problems)
    if request.failure is None:
        return Ending("refused", code, refusal=refusal, problems=problems)
    # an earlier plan has run, so the mission counts as blocked instead of refused
    said = refusal.message
    return Ending(
        "blocked", "SKILL_FAILED", request.failure, why=code, said=said, problems=problems
    )


_BROKEN = ("SKILL_CRASHED", "CONDITION_CRASHED", "BAD_ARGUMENT", "NOT_RECORDED")


class ReplanPolicy:
    """Policy of one mission that decides whether a failure is followed by a re-plan.

    There is no re-plan if no plan could help (a failed check, a condition that stays unknown, a
    failure that is not retryable), if the same plan failed in the same way with the same known
    facts, or if the budget is used up.

    Args:
        budget: Maximum number of plans after the first.
        catalogue: Declares the failure codes for unknown conditions.
        turns: Maximum number of turns of a plan that is made turn by turn.

    Attributes:
        replans: Number of re-plans so far.
    """

    def __init__(self, budget: int, catalogue: Catalogue, turns: int = 24) -> None:
        self.replans = 0
        self._turns_left = turns
        self._budget = budget
        self._doubts = {condition.unknown for condition in catalogue.conditions.values()}
        self._met: set[tuple[object, ...]] = set()

    def ending_after_failure(
        self, failure: Failure, spec: MissionSpec, facts: Mapping[str, str]
    ) -> Ending | None:
        """Return the ending of the mission after a failure, or None to re-plan.

        Args:
            failure: The plan's failure.
            spec: The plan.
            facts: Known facts.
        """
        if failure.code in _BROKEN:
            return Ending("failed", failure.code, failure)
        if failure.code in self._doubts or failure.kind == "check":
            return Ending("blocked", failure.code, failure)
        if not failure.retryable:
            return Ending("blocked", "SKILL_FAILED", failure)
        kept = spec.mission.kept
        same = spec.model_copy(update={"mission": Mission(command="", kept=kept)})
        met = (dump_yaml(same), failure.code, failure.path, *sorted(facts.items()))
        if met in self._met:
            return Ending("blocked", "SKILL_FAILED", failure, why="NO_PROGRESS")
        self._met.add(met)
        if self.replans >= self._budget:
            return Ending("blocked", "SKILL_FAILED", failure, why="BUDGET_SPENT")
        self.replans += 1
        return None

    def ending_after_turn(self, failure: Failure | None) -> Ending | None:
        """Return the ending of the mission after a turn, or None to request the next one.

        A failed turn does not end the mission; its failure is input for the next turn. The maximum
        number of turns is a safeguard for compilers that do not limit it themselves.

        Args:
            failure: The turn's failure, or None.
        """
        if failure is not None and failure.code == "NOT_RECORDED":
            return Ending("failed", failure.code, failure)
        self._turns_left -= 1
        return (
            None
            if self._turns_left > 0
            else Ending("blocked", "TURNS_SPENT", failure, why="TURNS_SPENT")
        )
