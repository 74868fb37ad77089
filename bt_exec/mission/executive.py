"""Executive of one mission: perceives, plans, ticks, re-plans after failures, finishes or aborts.

Lifecycle::

    perceive ──► plan (worker) ──► verify ──► tick, tick, tick … ──► satisfied
              ▲    │ refusal → refused         │ failed check, lasting uncertainty → blocked
              │    └ rejected → refused        │ crash → failed
              │                                │ success of an open turn: the next turn
              └────────────────────────────────┘ failure of a skill or a guard, within the budget

A tick never blocks: planning and perception run on workers between ticks, and a watchdog limits the
duration of every call into pack code. If anything still moves when a mission ends, for whatever
reason, the robot is stopped. If that stop fails, the mission ends with ``STOP_FAILED``.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from py_trees.common import Status

from bt_exec.events import (
    Aborting,
    Event,
    FactsKnown,
    Finished,
    Listener,
    MissionStarted,
)
from bt_exec.failure import Failure, PartBroken, Refusal, RobotStopped, describe_exception
from bt_exec.language.fact_sentences import OLD_S, Known
from bt_exec.language.meaning import Context
from bt_exec.language.messages import language_of
from bt_exec.mission.clock import Clock
from bt_exec.mission.final_fact_sentences import concerned_facts
from bt_exec.mission.heartbeat import Heartbeat, stall_s
from bt_exec.mission.listeners import Listeners
from bt_exec.mission.motion_stop_and_endings import (
    STOP_FAILED,
    Timers,
    come_to_rest,
    ending_for_exception,
    ending_for_failure,
    moving_robots,
)
from bt_exec.mission.pack_reporters import Reporters
from bt_exec.mission.perception_worker import PerceptionLoop, PerceptionWorker
from bt_exec.mission.planner import Planner, ReplanPolicy
from bt_exec.mission.progress import MissionProgress
from bt_exec.mission.summary import summarise
from bt_exec.mission.watchdog import Watchdog, hang_s
from bt_exec.mission_outcome import NOTHING_DONE, PARTLY_DONE, Ending, Outcome, code_of_reason
from bt_exec.nodes.build import Built, build
from bt_exec.nodes.composites import failure_of
from bt_exec.nodes.fault_injection import Faults
from bt_exec.nodes.frontier import Frontier
from bt_exec.nodes.runtime import Runtime, Unwatched
from bt_exec.observation import Situation
from bt_exec.planning.assumed_facts_and_first_cause import Assumed, lost_effect
from bt_exec.planning.compiler import AnswerRecorder, Compiler, Done, Request
from bt_exec.planning.confirmation import Confirm, Confirmation
from bt_exec.planning.failed_part_repair import with_decided_conditions
from bt_exec.rig import Rig, allocate_reserve, free_reserve, stop_all, stop_all_in_background
from bt_exec.site.site import Site
from bt_exec.spec.model import Do, walk
from bt_exec.standby_threads import STANDBY

if TYPE_CHECKING:
    from bt_exec.guardian import Guardian
    from bt_exec.journal.recorded_mission import MissionSummary
    from bt_exec.mission.debugger import Debugger

__all__ = ["Executive"]

T = TypeVar("T")

_NOTHING = Known({})

_SPARE_THREADS = 6  # watchdog, clean-up, abort, compiler and two spares; plus one per robot

_log = logging.getLogger("bt_exec")


class _Aborted(Exception):  # noqa: N818 - control flow, not an error
    """Raised in the loop when a stop of the mission was requested."""


class Executive:
    """Executor of one command, from its start to its outcome.

    Args:
        site: Packs, trees, sentences, rates and limits.
        rigs: Rigs by pack.
        perception_workers: Perception workers by pack; their buffers hold the observations.
        clock: The mission's clock.
        compiler: Makes the plans.
        recorder: Writes the record; it receives every event before the other listeners.
        listeners: Event listeners, called in this order.
        faults: Injected faults.
        mission_id: Identifier of the record.
        journal: Path of the record, for the outcome.
        unrecorded: Returns why the record cannot be written at present. A skill runs only after its
            start was recorded.
        record: Records the raw answers of models.
        today: Reads the finished missions of today from the journal, for reporters.
        confirm: Asks the operator whether a plan may run; None if that is not possible.
        context: Earlier commands of the session.
        guardian: Stops the robots if this process cannot, or None.
        needs_inspection: Returns why the robots must be inspected before they move; empty if they
            need not be.
        abandoned: Called with the outcome, on another thread, if a part neither returns nor can be
            interrupted: `run` will not return, so the program must exit.
        debugger: Pauses the mission at changes and breakpoints, or None; simulated robots only.
        resumed: Finished steps of the mission that this one continues, for reporters.
    """

    def __init__(
        self,
        site: Site,
        rigs: Mapping[str, Rig],
        perception_workers: Mapping[str, PerceptionWorker],
        clock: Clock,
        compiler: Compiler,
        *,
        recorder: Listener | None = None,
        listeners: Sequence[Listener] = (),
        faults: Faults | None = None,
        mission_id: str = "",
        journal: str | None = None,
        unrecorded: Callable[[], str] | None = None,
        record: AnswerRecorder | None = None,
        today: Callable[[], Sequence[MissionSummary]] = tuple,
        confirm: Confirm | None = None,
        context: Context | None = None,
        guardian: Guardian | None = None,
        needs_inspection: Callable[[], str] = str,
        abandoned: Callable[[Outcome], object] | None = None,
        debugger: Debugger | None = None,
        resumed: Sequence[Done] = (),
    ) -> None:
        self.site = site
        self.rigs = rigs
        self.perception_workers = perception_workers
        self.clock = clock
        self.mission_id = mission_id
        self.journal = journal
        limits = site.limits
        self._replan_policy = ReplanPolicy(limits.replans, site.catalogue, limits.turns)
        self._assumed = Assumed(site.catalogue)
        self._record = record
        self._today = today
        self._resumed = resumed
        self._context = context or Context()
        self.watchdog = Watchdog(
            hang_s(site, rigs), self._stop_during_hang, abandon=self._end_on_watchdog_thread
        )
        self._abandoned = abandoned
        self._debugger = debugger
        self._guardian = guardian
        self._needs_inspection = needs_inspection
        self._may_move = False
        within_s = guardian.within_s if guardian is not None else None
        limit_s = stall_s(site, rigs, self.watchdog.limit_s, within_s)
        self._heartbeat = Heartbeat(
            limit_s, guardian, lambda: self.watchdog.excused or self.watchdog.present.slow
        )
        self._reporters = Reporters(site.catalogue.packs, rigs, self.watchdog, site.catalogue)
        self._listeners: list[Listener] = [self._reporters, *listeners]
        if debugger is not None:
            self._listeners.append(debugger)
        self._notifier = Listeners(recorder, self._listeners, self.watchdog)
        self._broken: PartBroken | None = None  # error of a part that hung at the end
        self._watched = False
        self._perceived_at = float("-inf")  # time of the perception after the plan [s]
        self._kept_still = False  # whether a robot moved and was stopped while no plan ran
        self._abort_reason = ""
        self._abort_noticed = False
        self._patience_s = clock.period_s + site.limits.cancel_s
        self.runtime = Runtime(
            site.catalogue,
            rigs,
            {pack: worker.buffer for pack, worker in perception_workers.items()},
            clock.now,
            self.emit,
            faults,
            site.limits.cancel_s,
            unrecorded,
            self.watchdog,
            site.messages,
        )
        self._timers = Timers()
        self._perception_loop = PerceptionLoop(
            self.runtime, perception_workers, clock, limits.look_s, self._ending
        )
        self._planner = Planner(
            compiler,
            limits.plan_s,
            clock,
            self.runtime,
            self._check_stop_at_rest,
            Confirmation(site.confirm, confirm),
        )

    @property
    def has_acted(self) -> bool:
        """Whether the mission started a skill that changes something."""
        return not self.site.catalogue.acting_skills().isdisjoint(self._progress.started)

    @property
    def plans_action(self) -> bool:
        """Whether the plan in force contains a skill that changes something.

        Also true for a mission that was stopped before it had a plan, because its command is still
        open.
        """
        acting, spec = self.site.catalogue.acting_skills(), self._progress.spec
        if spec is None:
            return bool(self._abort_reason)
        return any(node.do in acting for node in walk(spec.root, Do))

    # -- called from outside -----------------------------------------------------------------

    def abort(self, reason: str = "operator") -> None:
        """Request a clean stop within a tick. Safe from signal handlers and threads.

        If the loop does not react in time, for instance because a skill blocks it, the robots are
        stopped. A second call stops them immediately. This method must not acquire a lock, because
        a signal handler may interrupt the loop while it holds one
        (`tests/bt_exec/mission/test_abort_anywhere.py`).
        """
        again = bool(self._abort_reason)
        self._abort_reason = self._abort_reason or reason or "operator"
        patience_s = 0.0 if again else self._patience_s
        try:
            STANDBY.run(lambda: self._escalate_abort(patience_s))
        except RuntimeError as error:  # without a thread, the loop and the watchdog still react
            _log.error("no thread can escalate the stop: %s", error)
            if again:
                stop_all_in_background(self.rigs)

    def run(self, command: str, language: str = "") -> Outcome:
        """Run `command` to its end and return the outcome. Errors of skills are never raised.

        Args:
            command: The command as typed.
            language: ``en`` or ``ko``; detected from the command if not given.
        """
        with contextlib.ExitStack() as stack:
            try:
                allocate_reserve()
                STANDBY.prepare(len(self.rigs) + _SPARE_THREADS)
                stack.enter_context(self.watchdog)
                self._watched = True
            except (RuntimeError, MemoryError) as error:
                why = f"cannot be started ({describe_exception(error)}), so nothing was moved"
                self.runtime.broken = PartBroken("the watchdog", why)
            return self._run(command, language or language_of(command))

    def _run(self, command: str, language: str) -> Outcome:
        self._wall = time.monotonic()
        self._progress = progress = MissionProgress(
            command,
            language,
            self._reporters,
            self.runtime.buffers,
            self.site.packs,
            self.emit,
        )
        self._start = self.clock.now()
        self.runtime.language = language
        self.runtime.faults.begin(self.clock.now)
        try:
            self._emit_start(command, language, self._start)
            ending = self._run_mission(command, language, progress)
        except BaseException as error:  # noqa: BLE001 - the robot must be stopped after any error
            timer = self._timers.clear()  # a signal of the timer could raise in the code below
            raised = isinstance(error, Exception | SystemExit) and not isinstance(error, _Aborted)
            if timer and raised:
                error = PartBroken(f"the handler of {timer}", f"raised {describe_exception(error)}")
            ending = self._ending_for_exception(error)
        self._timers.clear()
        self._abort_noticed = True
        self.runtime.faults.end()
        outcome = self._outcome(*self._conclude(ending, progress))
        finished = Finished(self.clock.now(), self.runtime.tick, outcome)
        self._call_safely(lambda: self.emit(finished), None)
        return outcome

    def _outcome(self, ending: Ending, message: str, concerned: Known = _NOTHING) -> Outcome:
        progress, refusal = self._progress, ending.refusal
        ran_to_the_end = ending.status in ("satisfied", "partial")
        failures = progress.all_failures()
        if ending.failure is not None and ending.failure.kind == "compiler":
            failures = (*failures, ending.failure)
        cause: tuple[Failure, ...] = ()
        if ending.failure is not None:
            cause = progress.decisive_failures(ending.failure, self.site.catalogue)
        return Outcome(
            self.mission_id,
            progress.command,
            ending.status,
            ending.reason_code,
            message,
            planner_calls=self._planner.calls,
            model_requests=self._planner.requests,
            replans=self._replan_policy.replans,
            plan_version=progress.plan_version,
            ticks=self.runtime.tick,
            sim_seconds=round(self.clock.now() - self._start, 3),
            wall_seconds=round(time.monotonic() - self._wall, 3),
            skipped=tuple({"name": one.name, "reason": one.reason} for one in progress.skipped),
            failures=tuple(failure.to_dict() for failure in failures),
            undone=tuple(
                part.to_dict(self.site.messages, progress.language) for part in progress.undone
            ),
            journal=self.journal,
            nearest=refusal.nearest if refusal is not None else (),
            problems=ending.problems,
            results=progress.results(self.runtime.results) if ran_to_the_end else {},
            did_you_mean=refusal.did_you_mean if refusal is not None else (),
            missing=refusal.missing if refusal is not None else (),
            question=refusal.question if refusal is not None else "",
            cause=cause[0].to_dict() if cause else {},
            state=concerned.facts,
            ages={fact: round(age, 3) for fact, age in concerned.ages.items()},
        )

    def emit(self, event: Event) -> None:
        """Pass an event to every listener. Only the first error of a listener is logged."""
        broken: PartBroken | None = None
        for hand in (self._progress.on, self._assumed.on, self._notifier.notify):
            try:
                hand(event)
            except PartBroken as error:  # raised after the other listeners received the event
                broken = broken or error
        if broken is not None:
            raise broken

    # -- one mission -------------------------------------------------------------------------

    def _emit_start(self, command: str, language: str, start: float) -> None:
        settings = {"packs": self.site.settings(), "compiler": self.site.compiler.model_dump()}
        self._reporters.load_earlier_missions(self._today)
        self.emit(
            MissionStarted(start, 0, self.mission_id, command, language, self.site.name, settings)
        )
        self._reporters.load_finished_steps(self._resumed)

    def _run_mission(self, command: str, language: str, progress: MissionProgress) -> Ending:
        if self.runtime.broken is not None:
            raise self.runtime.broken
        if moving := moving_robots(self.rigs, self.watchdog):
            stop_all(self.rigs)
            self._stopping("moved before the mission")
            return self._ending_for_refusal("ROBOT_MOVES", language, moving)
        self._advance_time(self.clock.begin)
        self._perception_loop.observe_all()
        situation = self._perception_loop.situation()
        self.emit(FactsKnown(self.clock.now(), 0, "start", dict(situation.facts)))
        request = Request(
            command,
            language,
            self.site.catalogue,
            self.site.library,
            self.site.messages,
            situation,
            settings=self.site.packs,
            record=self._record,
            context=self._context,
        )
        while True:
            plan = self._planner.plan(request)
            if isinstance(plan, Ending):
                return plan
            if not self._may_move and (refused := self._motion_refusal(language)):
                return refused
            built = build(plan, self.runtime)
            request = replace(request, previous=plan.spec)
            failure, done = self._run_plan(built, request)
            progress.record_undone(plan.spec, built.recorded_failures(), self.site.catalogue)
            turn = plan.spec.mission.turn
            if failure is None and turn != "open":
                return self._ending_after_success(progress)
            if failure is not None:
                progress.failures.append(failure)
            if turn is not None:
                ending = self._replan_policy.ending_after_turn(failure)
            elif failure is not None:
                ending = self._replan_policy.ending_after_failure(
                    failure, plan.spec, self._perception_loop.facts()
                )
            if ending is not None:
                return ending
            if (unstopped := self._come_to_rest()) is not None:  # nothing may move during planning
                return ending_for_failure(unstopped)
            self._perception_loop.observe_all()
            request = replace(
                request,
                situation=self._perception_loop.situation(),
                failure=failure,
                done=done,
                tried=tuple(progress.failures),
                assumed=dict(self._assumed.facts),
            )
            request = with_decided_conditions(request)

    def _run_plan(self, built: Built, request: Request) -> tuple[Failure | None, tuple[Done, ...]]:
        """Tick a plan to its end; return its failure, if any, and its finished steps.

        A plan whose root succeeded still fails if one of its effects is gone at its end.
        """
        failure = self._tick_to_the_end(built)
        request = replace(request, done=built.finished_leaves())
        assert request.previous is not None
        if failure is None and request.previous.mission.turn is None:
            lost = "the effects of the plan could not be checked"
            failure = self._call_safely(partial(self._lost_effect, request), None, lost)
        failed_at = failure.path if failure is not None else ""
        return failure, tuple(one for one in request.done if one.path != failed_at)

    def _lost_effect(self, request: Request) -> Failure | None:
        """Perceive once more after a plan; return a failure if one of its effects is gone."""
        self._perception_loop.observe_all(self._keep_still)
        self._perceived_at = self.clock.now()
        old = self._perception_loop.old_facts(OLD_S)
        facts = {f: v for f, v in self._perception_loop.facts().items() if f not in old}
        expected = dict(self._assumed.facts)
        return lost_effect(replace(request, situation=Situation(facts=facts), assumed=expected))

    def _motion_refusal(self, language: str) -> Ending | None:
        """Return an ending if an inspection is required or the guardian cannot stop the robots."""
        if why := self._needs_inspection():
            return self._ending_for_refusal("NEEDS_INSPECTION", language, {"": why})
        if self._guardian is not None and (why := self._guardian.try_stop()):
            return self._ending_for_refusal("GUARD_FAILED", language, {"": why})
        self._may_move = True
        return None

    def _ending_for_refusal(self, code: str, language: str, why: Mapping[str, str]) -> Ending:
        """Return the ending of a mission that must not begin, with the sentence of `code`."""
        parts = (f"the robot of {name}: {text}" if name else text for name, text in why.items())
        words = self.site.messages.say(code, language, message="; ".join(parts))
        return Ending("refused", code, refusal=Refusal(code, words))

    def _ending_after_success(self, progress: MissionProgress) -> Ending:
        """Return the ending after the plan succeeded.

        A mission that left out a part is partial, or blocked if nothing was achieved. If every
        action was skipped, the reason code is the code of the last skip.
        """
        if progress.undone:
            some = progress.answered or self._reporters.achieved(
                progress.achieved_actions(), self.site.catalogue.owner
            )
            first = progress.undone[0].failure
            return (
                Ending("partial", PARTLY_DONE) if some else Ending("blocked", NOTHING_DONE, first)
            )
        idle = progress.skipped and not progress.started and not progress.answered
        code = code_of_reason(progress.skipped[-1].reason) if idle else "OK"
        return Ending("satisfied", code)

    # -- ticking -----------------------------------------------------------------------------

    def _tick_to_the_end(self, built: Built) -> Failure | None:
        """Tick until the root has ended; return its failure, or None for success."""
        frontier = Frontier(built.root, self.runtime)
        self._advance_time(self.clock.begin)
        self._heartbeat.start()
        heartbeat = self._heartbeat
        try:
            while True:
                self.runtime.faults.trigger_outside_faults(self.abort, self.journal)
                if time.monotonic() >= heartbeat.due:
                    heartbeat.beat()
                    self._timers.clear()
                self._check_stop()  # directly before the tick, so that no stop is missed
                self.runtime.tick += 1
                status = frontier.tick()
                if status is not Status.RUNNING:
                    break
                if self._debugger is not None:
                    self._pause_in_debugger(self._debugger)
                self._let_time_pass()
        except BaseException:
            built.root.stop(Status.INVALID)
            raise
        return None if status is Status.SUCCESS else failure_of(built.root)

    def _pause_in_debugger(self, debugger: Debugger) -> None:
        """Let the debugger pause the mission; simulated time does not advance meanwhile."""

        def facts() -> dict[str, str]:
            return {**self._assumed.facts, **self._perception_loop.facts()}

        def check_and_beat() -> None:
            self._check_stop()
            self._heartbeat.beat()

        if debugger.pause_if_needed(self.clock.now(), facts, self.runtime.results, check_and_beat):
            self._advance_time(self.clock.begin)

    def _let_time_pass(self) -> None:
        self._perception_loop.start()
        self._advance_time(self.clock.advance)
        self._perception_loop.collect()

    def _advance_time(self, step: Callable[[Callable[[], None]], None]) -> None:
        """Call `step`, a method of the clock, with a time limit.

        The clock limits waits for simulations; the watchdog limits all others.
        """
        limit_s = self.clock.step_s + self.clock.period_s + self.watchdog.limit_s
        self.watchdog.call_within(limit_s, self.clock.part, step, self._check_stop)

    def _escalate_abort(self, patience_s: float) -> None:
        """Stop the robots unless the loop reacts to an abort within `patience_s` [s]."""
        time.sleep(patience_s)
        if not patience_s or not self._abort_noticed:
            stop_all(self.rigs)

    def _ending(self) -> bool:
        return bool(self._abort_reason)

    def _check_stop(self) -> None:
        if self._abort_reason:
            self._abort_noticed = True
            raise _Aborted
        if (broken := self.runtime.broken or self.watchdog.first) is not None:
            raise broken

    def _check_stop_at_rest(self) -> None:
        """Check for a stop request while a plan is made and nothing may move."""
        self._check_stop()
        self._keep_still()

    def _keep_still(self) -> None:
        """Stop real robots that move although no part of the plan is running."""
        real = {name: rig for name, rig in self.rigs.items() if rig.is_real_time}
        if moving := moving_robots(real, self.watchdog):
            stop_all({name: real[name] for name in moving})
            if not self._kept_still:
                self._kept_still = True
                self._stopping("moved while no part of the plan ran")

    # -- ending ------------------------------------------------------------------------------

    def _ending_for_exception(self, error: BaseException) -> Ending:
        """Return the ending for an exception; stop the robots unless a stop was requested."""
        if isinstance(error, _Aborted | KeyboardInterrupt):
            reason = self._abort_reason or "operator"  # empty if no signal handler was installed
            aborting = Aborting(self.clock.now(), self.runtime.tick, "clean", reason)
            self._call_safely(lambda: self.emit(aborting), None)
            return Ending("aborted", "ABORTED", said=reason)
        free_reserve()
        stop_all(self.rigs)
        ending = ending_for_exception(error)
        if isinstance(error, PartBroken):
            error.__traceback__ = error.__context__ = None  # release local objects of the pack
        if isinstance(error, PartBroken | RobotStopped) and ending.failure is not None:
            self._progress.failures.append(ending.failure)
        return ending

    def _conclude(self, ending: Ending, progress: MissionProgress) -> tuple[Ending, str, Known]:
        """Stop the robots and perceive once more; return the ending, its message and the facts.

        The facts are those that concern the mission.
        """
        unstopped = self._come_to_rest()
        perceived = self.clock.now() - self._perceived_at < self.clock.period_s
        if not perceived and self._watched and not self._abort_reason:
            self._call_safely(lambda: self._perception_loop.observe_all(self._keep_still), None)
        unknown: dict[str, str] = {}
        unknown_since: dict[str, float] = {}
        facts = self._call_safely(
            self._perception_loop.facts, unknown, "a robot could not report its facts"
        )
        known = FactsKnown(
            self.clock.now(), self.runtime.tick, "end", facts, dict(self.runtime.results)
        )
        self._call_safely(lambda: self.emit(known), None)
        since = self._call_safely(lambda: self._perception_loop.old_facts(OLD_S), unknown_since)
        said_of = partial(self.site.messages.sentence_for_robot, language=progress.language)
        operator_text = self._call_safely(lambda: self._reporters.operator_messages(said_of), "")
        if self._broken is not None and ending.status != "failed":
            ending = ending_for_failure(self._broken.failure().with_cause(ending.failure))
            progress.failures.append(self._broken.failure())
        if unstopped is not None:
            ending = ending_for_failure(unstopped.with_cause(ending.failure))
            progress.failures.append(unstopped)
        at_end = Known(facts, self.clock.now(), since, self.runtime.acted)
        message = summarise(
            ending, progress, self.site.messages, self.site.catalogue, at_end, operator_text
        )
        now, tick = self.clock.now(), self.runtime.tick
        status, code, failure = ending.status, ending.reason_code, ending.failure
        self._call_safely(
            lambda: progress.emit_turn_reports(now, tick, None, status, code, message, failure),
            None,
        )
        well = ending.status == "satisfied"
        concerned = concerned_facts(progress, self.site.catalogue, facts, well=well)
        return ending, message, replace(at_end, facts=concerned)

    def _stop_during_hang(self) -> None:
        """Stop the robots while a part hangs; no further skill may start."""
        stop_all_in_background(self.rigs)
        self.runtime.broken = self.runtime.broken or self.watchdog.first

    def _end_on_watchdog_thread(self, broken: PartBroken) -> None:
        """End the mission on the watchdog's thread, because a call in the loop never returns."""
        progress, now, tick = self._progress, self.clock.now(), self.runtime.tick
        trouble = stop_all(self.rigs)
        moving = {**moving_robots(self.rigs, Unwatched()), **trouble}
        failure = broken.failure()
        if moving:
            message = "; ".join(f"the robot of {name}: {why}" for name, why in moving.items())
            failure = Failure(
                STOP_FAILED, message, kind="robot", evidence=moving, retryable=False, cause=failure
            )
        progress.failures.append(failure)
        ending = ending_for_failure(failure)
        words = self.site.messages.say(failure.code, progress.language, message=failure.message)
        outcome = self._outcome(ending, words)
        self._notifier.record_only(Finished(now, tick, outcome))
        if self._abandoned is not None:
            self._abandoned(outcome)

    def _come_to_rest(self) -> Failure | None:
        """Stop all motion, using the guardian if the robot's own stop fails."""
        unstopped = come_to_rest(
            self.rigs,
            self.clock,
            self.site.limits.still_s,
            self.watchdog,
            self._stopping,
            self._heartbeat.beat_at_rest,
        )
        guardian = self._guardian
        if unstopped is not None and guardian is not None:
            guardian.try_stop()
        self._heartbeat.end()
        for account in guardian.take_actions() if guardian is not None else ():
            how = "stopped the robot" if account["ok"] else "COULD NOT STOP THE ROBOT"
            self._stopping(f"the guardian {how}: {account['why']}")
        return unstopped

    def _stopping(self, why: str = "still moving") -> None:
        now, tick = self.clock.now(), self.runtime.tick
        self._call_safely(lambda: self.emit(Aborting(now, tick, "robot stop", why)), None)

    def _call_safely(
        self, function: Callable[[], T], default: T, lost: str = "the final report failed"
    ) -> T:
        """Call `function`; return `default` and log an error if it fails."""
        try:
            return function()
        except (PartBroken, Exception) as error:  # noqa: BLE001 - only the report is incomplete
            if isinstance(error, PartBroken) and error.code == "STEP_HUNG":
                self._broken = self._broken or error
            _log.error(lost, exc_info=error)
        return default
