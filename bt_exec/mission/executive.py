"""One mission: look, plan, tick, fail, plan again, finish or abort.

Lifecycle::

    look ──► plan (worker) ──► verify ──► tick, tick, tick … ──► satisfied
              ▲    │ refusal → refused         │ failure of a check, doubt that stays → blocked
              │    └ rejected → refused        │ crash → failed
              └─────────────────────────────── ┘ failure of a skill or a guard, within the budget

A tick never blocks: planning and perception run on workers between ticks. The robot is stopped
whenever a mission ends with something still moving, whatever the reason.
"""

from __future__ import annotations

import _thread
import logging
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from py_trees.common import Status

from bt_exec.events import (
    Aborting,
    Event,
    Finished,
    Listener,
    MissionStarted,
)
from bt_exec.failure import Failure, SimulationLost
from bt_exec.language.messages import language_of
from bt_exec.mission.clock import Clock
from bt_exec.mission.perception_loop import PerceptionLoop, PerceptionWorker
from bt_exec.mission.planner import Planner
from bt_exec.mission.progress import MissionProgress
from bt_exec.mission.reporting import Reporters
from bt_exec.mission.summary import summarise
from bt_exec.nodes.build import Built, build
from bt_exec.nodes.composites import failure_of
from bt_exec.nodes.fault_injection import Faults
from bt_exec.nodes.runtime import Runtime
from bt_exec.nodes.watch import Watch
from bt_exec.outcome import Ending, Outcome, code_of_reason
from bt_exec.planning.assumed import Assumed
from bt_exec.planning.compiler import Compiler, Record, Request
from bt_exec.planning.confirmation import Confirm, Confirmation
from bt_exec.planning.replan_policy import ReplanPolicy
from bt_exec.rig import Rig, stop_all
from bt_exec.site.site import Site
from bt_exec.spec.model import MissionSpec, Tree

if TYPE_CHECKING:
    from bt_exec.journal.record import MissionLine

__all__ = ["Executive"]

_log = logging.getLogger("bt_exec")


class _Aborted(Exception):  # noqa: N818 - control flow: the operator's word ends the mission
    """The operator asked to stop."""


class Executive:
    """Runs one command to its end.

    Args:
        site: Packs, trees, sentences, rates and limits.
        rigs: Bodies by pack.
        eyes: PerceptionWorker by pack; their sights are what skills and conditions see.
        clock: The mission's clock.
        compiler: Who plans.
        recorder: Writes the record; it gets every event before anybody else.
        listeners: Event listeners, called in this order.
        faults: Which calls of skills are made to fail.
        mission_id: Names the record.
        journal: Where the record is, for the outcome.
        unrecorded: Says why the record cannot be written at the moment; a skill whose start is
            not on record is not started.
        record: Takes the raw answers of models.
        today: Reads the finished missions of today from the journal, for reporters.
        confirm: Asks a person whether a plan may run; None where nobody can be asked.
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
        record: Record | None = None,
        today: Callable[[], Sequence[MissionLine]] = tuple,
        confirm: Confirm | None = None,
    ) -> None:
        self.site = site
        self.rigs = rigs
        self.perception_workers = perception_workers
        self.clock = clock
        self.mission_id = mission_id
        self.journal = journal
        self._replan_policy = ReplanPolicy(site.limits.replans, site.catalogue)
        self._assumed = Assumed(site.catalogue)
        self._record = record
        self._today = today
        self._reporters = Reporters(site.catalogue.packs, rigs)
        first = () if recorder is None else (recorder,)
        self._listeners = [*first, self._reporters, *listeners]
        self._deaf: set[int] = set()
        self._abort_reason = ""
        self._heeded = False
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
        )
        limits = site.limits
        self._perception_loop = PerceptionLoop(
            self.runtime, perception_workers, clock, limits.look_s, self._ending
        )
        self._planner = Planner(
            compiler,
            limits.plan_s,
            clock,
            self.runtime,
            self._heed,
            Confirmation(site.confirm, confirm),
        )

    # -- from outside ------------------------------------------------------------------------

    def abort(self, reason: str = "operator") -> None:
        """Ask for a clean stop; acted on within a tick. Safe from signal handlers and threads.

        If the loop does not act on it in time (a skill holds it up), the robots are stopped; asking
        a second time stops them at once. A signal handler interrupts whatever the loop does, also
        where it holds a lock, so nothing here may take one
        (`tests/bt_exec/test_abort_anywhere.py`).
        """
        again = bool(self._abort_reason)
        self._abort_reason = self._abort_reason or reason or "operator"
        _thread.start_new_thread(self._see_to_it, (0.0 if again else self._patience_s,))

    def run(self, command: str, language: str = "") -> Outcome:
        """Run `command` to its end and return how it ended. Never raises for what skills do.

        Args:
            command: What the person typed.
            language: ``en`` or ``ko``; that of the command if not given.
        """
        started = time.monotonic()
        language = language or language_of(command)
        progress = MissionProgress(
            command,
            language,
            self._reporters,
            self.runtime.buffers,
            self.site.packs,
            self.emit,
        )
        self._progress = progress
        start = self.clock.now()
        settings = {"packs": self.site.settings(), "compiler": self.site.compiler.model_dump()}
        self._reporters.recall(self._today)
        self.emit(
            MissionStarted(start, 0, self.mission_id, command, language, self.site.name, settings)
        )
        try:
            ending = self._mission(command, language, progress)
        except (_Aborted, KeyboardInterrupt):
            ending = self._aborted()
        except SimulationLost as error:
            stop_all(self.rigs)
            failure = Failure("SIMULATION_LOST", str(error), kind="robot", retryable=False)
            ending = Ending("failed", failure.code, failure)
        except Exception as error:  # noqa: BLE001 - a bug of ours must leave the robot stopped
            stop_all(self.rigs)
            _log.error("the executive broke down", exc_info=error)
            failure = Failure(
                "EXECUTIVE_CRASHED",
                f"{type(error).__name__}: {error}",
                kind="robot",
                evidence={"traceback": traceback.format_exc()},
                retryable=False,
            )
            ending = Ending("failed", failure.code, failure)
        self._heeded = True
        self._come_to_rest()
        message = summarise(
            ending, progress, self.site.messages, self.site.catalogue, self._facts()
        )
        told = self._reporters.told()
        if told:  # what the robot said itself says more than where things are
            message = told if ending.status == "satisfied" else f"{message} {told}"
        spec = progress.spec
        progress.turn(
            self.clock.now(),
            self.runtime.tick,
            None,
            ending.status,
            ending.reason_code,
            message,
            ending.failure,
        )
        outcome = Outcome(
            self.mission_id,
            command,
            ending.status,
            ending.reason_code,
            message,
            self._planner.calls,
            self._planner.requests,
            self._replan_policy.replans,
            spec.mission.plan_version if spec is not None else 0,
            self.runtime.tick,
            round(self.clock.now() - start, 3),
            round(time.monotonic() - started, 3),
            tuple({"name": skip.name, "reason": skip.reason} for skip in progress.skipped),
            tuple(failure.to_dict() for failure in progress.failures),
            self.journal,
            ending.refusal.nearest if ending.refusal is not None else (),
            ending.problems,
            _results(spec, self.runtime.results) if ending.status == "satisfied" else {},
        )
        self.emit(Finished(self.clock.now(), self.runtime.tick, outcome))
        return outcome

    def emit(self, event: Event) -> None:
        """Hand an event to every listener. A listener that raises is told of once, then ignored."""
        self._progress.on(event)
        self._assumed.on(event)
        for listener in self._listeners:
            try:
                listener.on(event)
            except Exception as error:  # noqa: BLE001 - who watches must not stop who acts
                if id(listener) not in self._deaf:
                    self._deaf.add(id(listener))
                    _log.error("%s missed an event: %s", type(listener).__name__, error)

    # -- one mission -------------------------------------------------------------------------

    def _mission(self, command: str, language: str, progress: MissionProgress) -> Ending:
        self.clock.begin(self._heed)
        self._perception_loop.look()
        request = Request(
            command,
            language,
            self.site.catalogue,
            self.site.library,
            self.site.messages,
            self._perception_loop.situation(),
            settings=self.site.packs,
            record=self._record,
        )
        while True:
            plan = self._planner.plan(request)
            if isinstance(plan, Ending):
                return plan
            built = build(plan, self.runtime)
            failure = self._tick_to_the_end(built)
            if failure is None:
                return self._satisfied(progress)
            progress.failures.append(failure)
            ending = self._replan_policy.ends(failure, plan.spec, self._perception_loop.facts())
            if ending is not None:
                return ending
            self._perception_loop.look()
            request = replace(
                request,
                situation=self._perception_loop.situation(),
                previous=plan.spec,
                failure=failure,
                done=built.finished(),
                tried=tuple(progress.failures),
                assumed=dict(self._assumed.facts),
            )

    def _satisfied(self, progress: MissionProgress) -> Ending:
        """Return how a mission that reached its end stands: an idle one says what it skipped."""
        idle = progress.skipped and not progress.started and not progress.told
        code = code_of_reason(progress.skipped[-1].reason) if idle else "OK"
        return Ending("satisfied", code)

    # -- ticking -----------------------------------------------------------------------------

    def _tick_to_the_end(self, built: Built) -> Failure | None:
        """Tick until the root has a verdict; return its failure, or None for success."""
        watch = Watch(built, self.runtime)
        self.clock.begin(self._heed)
        try:
            while True:
                self._heed()
                self.runtime.tick += 1
                status = watch.tick()
                if status is not Status.RUNNING:
                    break
                self._let_time_pass()
        except BaseException:
            built.root.stop(Status.INVALID)
            raise
        return None if status is Status.SUCCESS else failure_of(built.root)

    def _let_time_pass(self) -> None:
        self._perception_loop.start()
        self.clock.advance(self._heed)
        self._perception_loop.collect()

    def _see_to_it(self, patience_s: float) -> None:
        """Stop the robots unless the loop acts on an abort within `patience_s`."""
        time.sleep(patience_s)
        if not patience_s or not self._heeded:
            stop_all(self.rigs)

    def _ending(self) -> bool:
        return bool(self._abort_reason)

    def _heed(self) -> None:
        if self._abort_reason:
            self._heeded = True
            raise _Aborted

    # -- ending ------------------------------------------------------------------------------

    def _aborted(self) -> Ending:
        reason = self._abort_reason
        self.emit(Aborting(self.clock.now(), self.runtime.tick, "clean", reason))
        return Ending("aborted", "ABORTED")

    def _come_to_rest(self) -> None:
        """See to it that nothing moves any more: wait a moment, then stop the robot itself."""
        limit = self.clock.now() + self.site.limits.still_s
        try:
            while (moving := self._moving()) and self.clock.now() < limit:
                self.clock.advance()
        except KeyboardInterrupt:  # the operator waits no longer, the record must end all the same
            moving = True
        except Exception as error:  # noqa: BLE001 - a robot that cannot be asked may be moving
            _log.error("it cannot be told whether the robots are still", exc_info=error)
            moving = True
        if moving:
            self.emit(Aborting(self.clock.now(), self.runtime.tick, "robot stop", "still moving"))
            stop_all(self.rigs)
        if self.perception_workers and not self._abort_reason:
            self._perception_loop.look()

    def _moving(self) -> bool:
        return not all(rig.robot.still for rig in self.rigs.values() if rig.robot is not None)

    def _facts(self) -> dict[str, str]:
        """Return what is known at the end; a robot that cannot say it does not lose the outcome."""
        try:
            return self._perception_loop.facts()
        except Exception as error:  # noqa: BLE001 - the words are missing, the outcome is not
            _log.error("a robot could not say what it knows", exc_info=error)
            return {}


def _results(spec: MissionSpec | None, saved: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the tree that is the whole plan returns, by field."""
    if spec is None or not isinstance(spec.root, Tree):
        return {}
    return {field: saved[name] for field, name in spec.root.save.items() if name in saved}
