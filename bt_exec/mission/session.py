"""Session: the robots of a site, ready for a series of commands in the same world."""

from __future__ import annotations

import datetime as dt
import logging
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bt_exec.events import Aborting, Finished, Listener, MissionStarted
from bt_exec.failure import BtExecError, Failure, UsageError
from bt_exec.guardian.client import Guardian
from bt_exec.language.meaning import Meaning, Unclear
from bt_exec.language.messages import language_of
from bt_exec.mission.clock import Clock
from bt_exec.mission.conversation import Conversation
from bt_exec.mission.executive import Executive
from bt_exec.mission.motion_stop_and_endings import STOP_FAILED
from bt_exec.mission.past_action_search import action_in_question
from bt_exec.mission.perception_worker import PerceptionWorker
from bt_exec.mission.recorded_setup import DEFERRED, setup_data
from bt_exec.mission.resumption import ResumingCompiler, Work, recorded_work, unfinished_mission
from bt_exec.mission.rig_construction import check_world
from bt_exec.mission.robot_life_cycle import LifeCycle
from bt_exec.mission.self_questions import (
    NEED_WORLD,
    PastAction,
    SelfAnsweringCompiler,
    asks_to_continue,
    question_of,
)
from bt_exec.mission.site_robots import GUARDIAN_STOPPED, MOVED_WHILE_IDLE, SiteRobots
from bt_exec.mission.steps_left import describe_steps_left
from bt_exec.mission_outcome import FINISHED, Outcome
from bt_exec.nodes.fault_injection import Faults
from bt_exec.observation import Situation
from bt_exec.planning.compiler import REPLIES, Compiler, Reader, Reply, Warming
from bt_exec.planning.confirmation import Confirm
from bt_exec.planning.failed_part_repair import FixedPlanCompiler
from bt_exec.rig import Rig, stop_all_in_background
from bt_exec.robot import Observation
from bt_exec.site.compile_command import first_request, make_compiler
from bt_exec.site.site import Site, load_site
from bt_exec.spec.model import MissionSpec

if TYPE_CHECKING:
    from bt_exec.journal import Booking, Journal, Recorder
    from bt_exec.journal.recorded_mission import MissionRecord, MissionSummary
    from bt_exec.mission.debugger import Debugger

__all__ = ["Session"]

_NO_COMMAND = "(no mission)"

_log = logging.getLogger("bt_exec")


class Session:
    """Rigs, perception, clock and compiler of a site. Use it as a context manager.

    Args:
        site: A loaded site, or its name or file; the default site if empty.
        world: Initial state of the simulated worlds, such as ``{"door": "closed"}``; the packs
            define the keys.
        fast: Whether the simulation runs as fast as possible instead of in real time.
        faults: Faults to inject: ``SKILL[:N]=CODE`` strings, or faults of a plan as plain data.
        listeners: Listeners of every event.
        journal: Journal that records missions; None for no record.
        frames: Whether the journal also keeps the frames.
        compiler: Overrides the site's compiler by name.
        confirm: Asks the operator whether a plan may run; None if that is not possible.
        guard: Whether a guardian is started even if everything is simulated.
        inspected: Whether a robot that needed inspection has been inspected.
        languages: Expected languages of commands; a compiler loads their resources while the robots
            are opened.
        defer: Whether the robots are opened only for the first command that the compiler can parse,
            so that a refused command starts no simulator. `run` then raises the errors of opening.

    Attributes:
        missions: Number of missions that have begun.
        conversation: History of the commands.
        robots: The robots of the world.
        world_id: Identifier of the world on record; a reset changes it.
        setup: Recorded data for a replay; see `bt_exec.mission.recorded_setup`.
        debugger: Pauses missions at changes and breakpoints, or None.
        abandoned: Called with the outcome, on another thread, if a mission cannot return because a
            part of it hangs: its end is on record, and the program must exit.

    Raises:
        BtExecError: If the site, the world or the faults are invalid; nothing was started.
    """

    def __init__(
        self,
        site: Site | str = "",
        *,
        world: Mapping[str, str] | None = None,
        fast: bool = False,
        faults: Iterable[str | Mapping[str, Any]] = (),
        listeners: Sequence[Listener] = (),
        journal: Journal | None = None,
        frames: bool = False,
        compiler: str | None = None,
        confirm: Confirm | None = None,
        languages: Iterable[str] = (),
        guard: bool = False,
        inspected: bool = False,
        defer: bool = False,
    ) -> None:
        self.site = load_site(site) if isinstance(site, str) else site
        self.world = dict(world or {})
        self.fast = fast
        self.listeners = list(listeners)
        self.journal = journal
        self.frames = frames
        self.faults = Faults.parse(faults, self.site.catalogue.skills)
        self.compiler = make_compiler(self.site, compiler)
        if isinstance(self.compiler, Warming) and not defer:
            for language in languages:
                self.compiler.warm_up(language)
        check_world(self.site, self.world)
        self.confirm = confirm
        self.missions = 0
        self.debugger: Debugger | None = None
        self.abandoned: Callable[[Outcome], object] | None = None
        actions = self.site.catalogue.acting_skills()
        self.conversation = Conversation(journal, self.site.name, actions, lambda: self.world_id)
        self._running: Executive | None = None
        self._preparing = False
        self._acted = False  # whether the last mission started an action, or failed before it could
        self._asked = ""  # reason for a stop requested during preparation
        self._pid = os.getpid()
        self._guard = guard
        self._inspected = inspected
        self._start_world()
        if not defer:
            self.open()

    def book(self, command: str) -> Booking:
        """Record a command for a later run and assign its identifier; callable on any thread.

        Raises:
            UsageError: If the session keeps no journal, or the journal cannot be written.
        """
        if self.journal is None:
            raise UsageError("this session keeps no journal, so nothing can be recorded in it")
        return self.journal.book(**self._entry_data(command))

    def open(self) -> None:
        """Open the robots if they are not open.

        Raises:
            BtExecError: If one of them is unavailable.
        """
        if self.robots.state == "deferred":
            self.robots.open()
            if self._inspected:
                self.life.mark_inspected()

    def open_for(self, command: str) -> None:
        """Open the robots unless `command` is refused or answered without them.

        Raises:
            BtExecError: If a robot is unavailable.
        """
        if self.robots.state == "deferred" and self._needs_robots(command):
            self.open()

    def refuses(self, command: str) -> bool:
        """Return True if a command would be refused regardless of the robots' reports."""
        if question_of(command) or asks_to_continue(command):
            return False
        return isinstance(self._reading(command), Unclear)

    def run(
        self,
        command: str,
        plan: MissionSpec | None = None,
        *,
        booking: Booking | None = None,
        work: Work | None = None,
    ) -> Outcome:
        """Run one command to its end in this session's world.

        Args:
            command: The command as typed. "yes" accepts the only suggestion of the last refusal.
            plan: The plan to run instead of a compiled one.
            booking: Journal entry of the mission, if it was booked.
            work: Completed work of the mission that this one continues, if any; see `resume`.

        Raises:
            UsageError: If the session is closed, or runs a mission.
            BtExecError: If the robots were not open yet, and one of them is unavailable.
        """
        if os.getpid() != self._pid:
            raise UsageError(
                f"this session belongs to process {self._pid}, from which this one was "
                "forked; create another session"
            )
        if self._running is not None:
            raise UsageError(
                "this session is already running a mission; wait for its end, or abort it"
            )
        if self.robots.state == "closed":
            raise UsageError("this session is closed; create another one")
        if plan is None and work is None:
            command = self.conversation.intended_command(command)
            self.open_for(command)
        else:
            self.open()
        self._preparing, self._asked = True, ""
        self.missions += 1
        try:
            with self.life.mission():
                outcome = self._recorded(command, plan, booking, work)
        finally:
            self._preparing = False
        language = work.language if work is not None else ""
        self.conversation.record_turn(outcome, acted=self._acted, language=language)
        return outcome

    def resume(
        self,
        record: MissionRecord,
        *,
        lost: bool = False,
        earlier: Iterable[MissionRecord] | None = None,
        language: str = "",
    ) -> Outcome:
        """Continue an unfinished mission as a new mission that is linked to it.

        Finished work is checked against the current observations; see `bt_exec.mission.resumption`.
        In a simulation, call `bt_exec.mission.rerun.restore_world` first.

        Args:
            record: The mission.
            lost: Whether its world is lost, so that none of its work counts as done.
            earlier: The missions that it continued, the latest first; by default, they are read
                from the journal of the session.
            language: Language of the reports; the mission's language if empty.

        Raises:
            UsageError: If the session is closed, or runs a mission.
        """
        if earlier is None:
            earlier = self.journal.predecessors(record) if self.journal is not None else ()
        works = [self._completed_work(one, world_lost=lost) for one in (record, *earlier)]
        planned = next((work for work in works if work.spec is not None), works[0])
        started = tuple(one for work in reversed(works) for one in work.started)
        work = replace(planned, mission_id=record.id, started=started)
        work = replace(work, language=language or work.language)
        return self.run(record.command, work=work)

    def unfinished(self) -> MissionRecord | None:
        """Return the mission to which "go on" refers; None if no mission is unfinished.

        Raises:
            UsageError: If the journal cannot be read.
        """
        if self.journal is None:
            return None
        return unfinished_mission(self.journal, self.site.name, self.world_id)

    @property
    def rigs(self) -> dict[str, Rig]:
        """The rigs by pack; empty while the robots are not open."""
        return self.robots.rigs

    @property
    def perception_workers(self) -> dict[str, PerceptionWorker]:
        """Perception workers, by pack."""
        return self.robots.perception_workers

    @property
    def clock(self) -> Clock:
        """The mission clock."""
        return self.robots.clock

    @property
    def life(self) -> LifeCycle:
        """The life cycle of the robots."""
        return self.robots.life

    @property
    def guardian(self) -> Guardian | None:
        """The process that stops the robots if this one cannot, or None."""
        return self.robots.guardian

    @property
    def simulated(self) -> bool:
        """Whether any robot is simulated."""
        return any(rig.simulation is not None for rig in self.rigs.values())

    def _completed_work(self, record: MissionRecord, *, world_lost: bool) -> Work:
        """Return the completed work of a recorded mission, with times on this session's clock."""
        work = recorded_work(record, self.site.catalogue, lost=world_lost)
        since_s = self._clock_shift(record)
        return replace(work, done=tuple(replace(one, t=one.t + since_s) for one in work.done))

    def _clock_shift(self, record: MissionRecord) -> float:
        """Return the difference [s] between this mission clock and the clock of a record.

        It is zero in the session of the record. It is also zero in a simulation, because a restored
        world has its recorded time. Otherwise it is computed from the wall clock.
        """
        if record.session == self.world_id or self.simulated or not record.events:
            return 0.0
        age_s = (dt.datetime.now(dt.UTC) - record.line.started_at).total_seconds()
        return self.clock.now() - age_s - record.events[0].t

    def _compiler_for(self, plan: MissionSpec | None, work: Work | None) -> Compiler:
        """Return the compiler of a mission: the site's, or one for `plan` or `work`."""
        if plan is not None:
            return FixedPlanCompiler(plan)
        if work is not None:
            return ResumingCompiler(self.compiler, work)
        return SelfAnsweringCompiler(
            self.compiler,
            self.robots.describe_last_observations,
            self._steps_left,
            self.action_in_question,
            self._running_elsewhere,
        )

    def _recorded(
        self,
        command: str,
        plan: MissionSpec | None,
        booking: Booking | None,
        work: Work | None = None,
    ) -> Outcome:
        if self.guardian is not None and self.guardian.lost:
            self.robots.start_guardian()
        compiler = self._compiler_for(plan, work)
        language: str = plan.mission.language if plan is not None and not command else ""
        language = work.language if work is not None else language
        if self.journal is None:
            name = f"{dt.date.today():%Y-%m-%d}-{self.missions:04d}"
            return self._run(command, name, compiler, language=language, work=work)
        how: dict[str, Any] = {"frames": self.frames, "tell": _log.warning}
        try:
            if booking is None:
                facts = self._entry_data(command, language)
                if work is not None:
                    facts["continues"] = work.mission_id
                recorder = self.journal.begin(**facts, **how)
            else:
                recorder = self.journal.record(booking, **how)
        except (RuntimeError, OSError, sqlite3.Error) as error:  # no thread, file or connection
            raise UsageError(f"the record cannot be started: {error}") from error
        with recorder:  # recorder before the other listeners
            outcome = self._run(
                command, recorder.mission_id, compiler, recorder, language=language, work=work
            )
        kept = outcome.journal if recorder.is_in_journal else None
        return replace(outcome, record_problem=recorder.incomplete, journal=kept)

    def _entry_data(self, command: str, language: str = "") -> dict[str, Any]:
        """Return the data for the journal entry of a mission at its start."""
        deferred = self.robots.state == "deferred"
        return {
            "command": command,
            "language": language or language_of(command),
            "site": self.site.name,
            "settings": {
                "packs": self.site.settings(),
                "world": self.world,
                "fast": self.fast,
                "faults": self.faults.to_source(),
            },
            "seeds": {key: int(value) for key, value in self.world.items() if key == "seed"},
            "setup": {**self.setup, **({DEFERRED: True} if deferred else {})},
            "session": self.world_id,
        }

    def _steps_left(self, command: str, language: str) -> str:
        """Return the remaining steps of the unfinished mission; "" if it has another command.

        Args:
            command: The expected command of the unfinished mission.
            language: Language of the phrases.
        """
        record = self.unfinished()
        if record is None or record.command != command:
            return ""
        request = first_request(self.site, command, Situation((), record.facts_at_end, ""))
        return describe_steps_left(record, replace(request, language=language))

    def action_in_question(self, question: str) -> PastAction | None:
        """Return the newest mission of today that began the action in a question.

        The result is None if there is no journal, or if the question names no such action.
        """
        if self.journal is None:
            return None
        request = partial(first_request, self.site, context=self.conversation.context())
        return action_in_question(question, self.journal, self.site.name, self.compiler, request)

    def _running_elsewhere(self) -> MissionSummary | None:
        """Return the mission that another process is running at this site, or None."""
        return None if self.journal is None else self.journal.running_elsewhere(self.site.name)

    def _missions_of_today(self) -> Sequence[MissionSummary]:
        """Return today's ended or interrupted missions at this site, oldest first.

        A mission that was resumed is represented by its last part.
        """
        if self.journal is None:
            return ()
        today = self.journal.missions_of_day(self.site.name, dt.date.today())
        ended = [
            replace(line, status=line.shown_status)
            for line in reversed(today)
            if line.ended_at is not None or line.shown_status == "interrupted"
        ]
        apart = {*REPLIES, MOVED_WHILE_IDLE, GUARDIAN_STOPPED}
        return [line for line in ended if line.reason_code not in apart]

    def _run(
        self,
        command: str,
        mission_id: str,
        compiler: Compiler,
        recorder: Recorder | None = None,
        *,
        language: str = "",
        work: Work | None = None,
    ) -> Outcome:
        executive = Executive(
            self.site,
            self.rigs,
            self.perception_workers,
            self.clock,
            compiler,
            recorder=recorder,
            listeners=self.listeners,
            faults=self.faults,
            mission_id=mission_id,
            journal=str(self.journal.path) if self.journal is not None else None,
            unrecorded=recorder.recording_error if recorder is not None else None,
            record=recorder.record_exchange if recorder is not None else None,
            today=self._missions_of_today,
            confirm=self.confirm,
            context=self.conversation.context(),
            guardian=self.guardian,
            needs_inspection=lambda: self.life.why,
            abandoned=self.abandoned,
            debugger=self.debugger,
            resumed=work.done if work is not None else (),
        )
        executive.runtime.results.update(work.saved if work is not None else {})
        self._running = executive
        self._acted = False
        if self._asked:
            executive.abort(self._asked)
        try:
            outcome = executive.run(command, language)
        finally:
            self._running = None
        unfinished = outcome.status not in FINISHED
        self._acted = executive.has_acted or (unfinished and executive.plans_action)
        if outcome.reason_code == STOP_FAILED:
            self.life.require_inspection(outcome.message)
        return outcome

    def _exit_on_unstoppable_motion(self, message: str) -> None:
        """Make the program exit, because a robot keeps moving outside a mission."""
        words = self.site.messages.say(MOVED_WHILE_IDLE, "en", message=message)
        if self.abandoned is not None:
            self.abandoned(Outcome("", _NO_COMMAND, "failed", MOVED_WHILE_IDLE, words))

    def _record_separate_entry(self, code: str, message: str) -> None:
        """Record an event outside a mission as a separate journal entry."""
        if self.journal is None:
            return
        failure = Failure(code, message, kind="robot", retryable=False)
        words = self.site.messages.say(code, "en", message=message)
        with self.journal.begin(**self._entry_data(_NO_COMMAND, "en")) as recorder:
            name = recorder.mission_id
            outcome = Outcome(
                name,
                _NO_COMMAND,
                "failed",
                code,
                words,
                failures=(failure.to_dict(),),
                journal=str(self.journal.path),
            )
            recorder.on(MissionStarted(0.0, 0, name, _NO_COMMAND, "en", self.site.name))
            recorder.on(Aborting(0.0, 0, "robot stop", message))
            recorder.on(Finished(0.0, 0, outcome))

    def abort(self, reason: str = "operator") -> bool:
        """Stop the running mission cleanly; a second call stops the robots immediately.

        Without a mission, the robots are stopped. Safe from signal handlers. Returns True if a
        mission was running or being prepared.
        """
        running = self._running
        if running is None:
            stop_all_in_background(self.rigs)
            self._asked = (reason or "operator") if self._preparing else ""
            return self._preparing
        running.abort(reason)
        return True

    def hanging_part(self) -> str:
        """Return the part of the running mission that hangs; empty if none does."""
        running = self._running
        broken = None if running is None else running.watchdog.first
        return "" if broken is None else broken.part

    def facts(self) -> dict[str, str]:
        """Return the facts reported by robots and established by the newest observations.

        Raises:
            UsageError: If one of them fails, or does not answer in time.
        """
        return self.robots.facts()

    def observe(self) -> dict[str, Observation]:
        """Make one observation with every camera, outside a mission; return them by pack.

        Raises:
            UsageError: If a mission runs, or a camera fails or does not answer in time.
        """
        if self._running is not None:
            raise UsageError("a mission is running in this session and makes the observations")
        return self.robots.observe()

    def reset(self, world: Mapping[str, str] | None = None) -> None:
        """Recreate the world as at the start, or as `world` specifies.

        Raises:
            UsageError: If the world cannot be created; the old one is restored.
        """
        before, wanted = self.world, self.world if world is None else dict(world)
        check_world(self.site, wanted)
        self.close()
        self.world = wanted
        self.conversation.forget()
        try:
            self._open_anew()
        except BtExecError:
            self.world = before  # restore the old world to keep the session usable
            self._open_anew()
            raise

    def close(self) -> None:
        """Stop the robots and close everything; errors of parts are logged."""
        if os.getpid() == self._pid:  # not in a forked child
            self.robots.close()

    def __enter__(self) -> Session:
        """Return the session."""
        return self

    def __exit__(self, *exc: object) -> None:
        """Close the session."""
        self.close()

    def _start_world(self) -> None:
        """Start a new world without opening its robots."""
        self.world_id = uuid.uuid4().hex
        self.setup = setup_data(self.site, self.world, self.compiler.name)
        self.robots = SiteRobots(
            self.site,
            self.world,
            fast=self.fast,
            guard=self._guard,
            report=self._record_separate_entry,
            runaway=self._exit_on_unstoppable_motion,
        )

    def _open_anew(self) -> None:
        self._start_world()
        self.open()

    def _needs_robots(self, command: str) -> bool:
        """Return True unless a command is refused or answered regardless of the robots' reports."""
        if question_of(command) in NEED_WORLD:
            return True
        found = self._reading(command)
        if found is None or isinstance(found, Meaning):
            return True
        return isinstance(found, Reply) and found.code == "WHERE"

    def _reading(self, command: str) -> Meaning | Unclear | Reply | None:
        """Return the compiler's interpretation of a command; None if it depends on the robots."""
        compiler = self.compiler
        if not isinstance(compiler, Reader) or not getattr(compiler, "reads_alone", False):
            return None
        request = first_request(self.site, command, context=self.conversation.context())
        try:
            return compiler.read(request)
        except Exception:  # noqa: BLE001 - the mission will report the error
            return None
