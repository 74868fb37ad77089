"""Repetition of a recorded mission in the initial world of its session.

The same seed, world and commands give the same ticks. A simulated world is therefore restored by
running the missions of its session again, as fast as the simulation can, up to a recorded moment.
Recorded stops are repeated at their times. Plans that a language model wrote are taken from the
record.

`verify` compares the new record with the old one, row by row. `restore_world` leaves a session at
the last recorded moment, so that a mission can be continued there.
"""

from __future__ import annotations

import contextlib
import logging
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from pydantic import ValidationError

from bt_exec.events import Aborting, Event, MissionStarted, Observed, Planned, Planning
from bt_exec.failure import BtExecError, Interrupted, Refusal, UsageError
from bt_exec.journal import Journal, MissionRecord
from bt_exec.journal.record_comparison import Difference, compare_records
from bt_exec.mission.recorded_setup import DEFERRED, file_digests, versions
from bt_exec.mission.session import Session
from bt_exec.nodes.fault_injection import Faults, faults_for_rerun
from bt_exec.planning.compiler import Compiler, Plan, Reply, Request, compiler_names
from bt_exec.planning.failed_part_repair import FixedPlanCompiler
from bt_exec.robot import RemoteSimulation
from bt_exec.site.site import CompilerSettings, Limits, Rates, Site, load_site
from bt_exec.spec.model import MissionSpec
from bt_exec.spec.user_data_validation import first_error

__all__ = ["Verification", "recorded_site", "restore_world", "verify"]

_HALF = 0.5


@dataclass(frozen=True)
class Verification:
    """Comparison of a mission with its record.

    Attributes:
        mission_id: Identifier of the mission.
        events: Number of events that agree before the first difference.
        difference: The first difference; None if all agree.
        changed: Changes since the mission was recorded: versions, trees, the site file.
    """

    mission_id: str
    events: int
    difference: Difference | None
    changed: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether every event agrees with the record."""
        return self.difference is None


def verify(journal: Journal, mission_id: str) -> Verification:
    """Run a mission again and compare it with its record, event by event.

    Raises:
        UsageError: If it cannot be run again, for instance with a real robot or a missing site.
        UnknownName: If there is no such mission.
    """
    record = journal.mission(mission_id)
    with _prepared_rerun(journal, record) as again:
        return again.comparison()


def restore_world(session: Session, journal: Journal, record: MissionRecord) -> Verification:
    """Restore the world of a session to a mission's last recorded moment; nothing is recorded.

    The world is recreated, and the missions of the recorded session are run again in it as fast as
    the simulation can.

    Returns:
        Comparison of the new run with the record. After a difference, the world is not the recorded
        one.

    Raises:
        UsageError: If the world cannot be restored, because of a real robot, another site or an old
            record.
        Interrupted: If the operator pressed Ctrl-C; the world is then at some earlier moment.
    """
    _refuse_incomplete_record(record)
    _refuse_remote_world(session, record)
    if not _same_settings(session.site, record):
        raise UsageError(
            f"mission {record.id} ran with other settings of site {record.line.site!r}"
        )
    kept = (session.journal, session.fast, session.faults, session.confirm, [*session.listeners])
    with tempfile.TemporaryDirectory(prefix="bt-exec-rerun-") as folder:
        session.journal = Journal.open(Path(folder) / "journal.sqlite")
        session.fast = True
        session.faults = Faults.parse(
            faults_for_rerun(record.settings.get("faults", ())), session.site.catalogue.skills
        )
        session.confirm = _confirm_always
        session.listeners.clear()
        try:
            journal.copy_missions_before(record.id, session.journal)
            session.reset(record.settings.get("world", {}))
            again = _Rerun(session, journal, record)
            again.run()
            found = again.comparison()
            session.setup["restored"] = found.agrees
            return found
        finally:
            session.journal, session.fast, session.faults, session.confirm = kept[:4]
            session.clock.fast = session.fast and bool(session.clock.simulations)
            session.listeners[:] = kept[4]


def recorded_site(record: MissionRecord) -> Site:
    """Return the site of a mission with its recorded settings.

    Raises:
        UsageError: If it is not installed, or its settings became invalid.
    """
    setup = record.setup
    try:
        site = load_site(record.line.site)
    except BtExecError as error:
        try:
            site = load_site(setup.get("file", ""))
        except (BtExecError, OSError):
            raise UsageError(f"mission {record.id} cannot be run again: {error}") from error
    try:
        settings = record.settings.get("packs", {})
        packs = {
            name: type(own).model_validate(settings.get(name, {}))
            for name, own in site.packs.items()
        }
        started = (e.settings for e in record.events if isinstance(e, MissionStarted))
        compiler = next(started, {}).get("compiler", site.compiler.model_dump())
        return replace(
            site,
            packs=packs,
            rates=Rates.model_validate(setup.get("rates", site.rates.model_dump())),
            limits=Limits.model_validate(setup.get("limits", site.limits.model_dump())),
            compiler=CompilerSettings.model_validate(compiler),
        )
    except ValidationError as error:
        raise UsageError(
            f"mission {record.id} cannot be run again: its setting is not valid any more: "
            f"{first_error(error)}"
        ) from None


def _same_settings(site: Site, record: MissionRecord) -> bool:
    """Return True if the recorded settings equal the settings of a site.

    Settings that a rerun changes, such as output files, are not compared.
    """
    anywhere = Path()
    try:
        then = {
            name: type(site.packs[name]).model_validate(given).for_rerun(anywhere)
            for name, given in dict(record.settings.get("packs", {})).items()
        }
    except (KeyError, ValidationError):
        return False
    return then == {name: own.for_rerun(anywhere) for name, own in site.packs.items()}


class _Recorded:
    """A compiler that returns the plans of a record, in order."""

    def __init__(self, record: MissionRecord, otherwise: Compiler) -> None:
        self.name = next(
            (e.compiler for e in record.events if isinstance(e, Planning)), otherwise.name
        )
        self._plans: list[MissionSpec] = [plan.event.spec for plan in record.plans]
        self._otherwise = otherwise

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Return the next recorded plan; after the last one, call the compiler of the site."""
        if not self._plans:
            return self._otherwise.compile(request)
        return Plan(self._plans.pop(0))


class _Stops:
    """A listener that repeats the recorded stop of a mission.

    Attributes:
        repeated: Whether the recorded stop of the current mission was repeated.
    """

    def __init__(self, session: Session) -> None:
        self.repeated = False
        self._session = session
        self._before_ticks = ""
        self._at: type[Planning | Planned] = Planning
        self._after: tuple[int, str] | None = None

    def prepare(self, record: MissionRecord) -> None:
        """Schedule the recorded stop at its time, or at the end of an unfinished record."""
        self._before_ticks, self._after, self.repeated = "", None, False
        stop = next(
            (e for e in record.events if isinstance(e, Aborting) and e.how == "clean"), None
        )
        if stop is None and record.outcome is None and record.events:
            half_tick_s = _HALF * self._session.clock.period_s
            end = record.events[-1]
            stop = Aborting(end.t + half_tick_s, end.tick, "clean", "end of the record")
        if stop is None:
            self._session.clock.call_at(None)
        elif stop.tick == 0:
            self._before_ticks = stop.reason
            self._at = Planned if record.plans else Planning
        elif (seen := _observations_until(stop, record.events)) is not None:
            self._session.clock.call_at(None)
            self._after = (seen, stop.reason)
        else:
            self._session.clock.call_at(stop.t, lambda: self._stop(stop.reason))

    def on(self, event: Event) -> None:
        """Repeat a stop that was recorded before the first tick or right after an observation."""
        if self._before_ticks and isinstance(event, self._at):
            self._stop(self._before_ticks)
        if self._after is not None and isinstance(event, Observed):
            left, reason = self._after
            self._after = (left - 1, reason)
            if left == 1:
                self._stop(reason)

    def _stop(self, reason: str) -> None:
        self.repeated = True
        self._session.abort(reason)


def _observations_until(stop: Aborting, events: Sequence[Event]) -> int | None:
    """Return the number of observations before a stop; None unless the last one arrived with it."""
    before = takewhile(lambda event: event is not stop, events)
    seen = [event.t for event in before if isinstance(event, Observed)]
    return len(seen) if seen and seen[-1] == stop.t else None


class _Rerun:
    """A session in which the missions of a recorded session are run again.

    Attributes:
        session: The session.
    """

    def __init__(self, session: Session, old: Journal, record: MissionRecord) -> None:
        self.session = session
        self._old = old
        self._record = record
        self._new = session.journal
        self._stops = _Stops(session)
        session.listeners.append(self._stops)
        self._ids: dict[str, str] = {}

    def run(self) -> None:
        """Run the missions of the recorded session again, up to and including the mission itself.

        Nothing is logged, because the errors were logged when the missions were recorded.

        Raises:
            Interrupted: If the operator pressed Ctrl-C.
        """
        log = logging.getLogger("bt_exec")
        log.disabled, before = True, log.disabled
        try:
            self._run_missions()
        finally:
            log.disabled = before

    def _run_missions(self) -> None:
        for record in _missions_before(self._old, self._record):
            mission_id = record.id
            self._stops.prepare(record)
            plan_of = self.session.compiler
            if record.exchanges or any(plan.event.spec.mission.model for plan in record.plans):
                self.session.compiler = _Recorded(record, plan_of)
            given = record.plans[0].event.spec if _was_plan_given(record) else None
            context = self.session.conversation.context()
            try:
                if record.continues:
                    before = self._old.mission(record.continues)
                    earlier = tuple(self._old.predecessors(before))
                    outcome = self.session.resume(
                        before, earlier=earlier, language=record.line.language
                    )
                else:
                    outcome = self.session.run(record.command, given)
            finally:
                self.session.compiler = plan_of
                self.session.clock.call_at(None)
            if outcome.reason_code == "ABORTED" and not self._stops.repeated:
                raise Interrupted
            # answers about earlier missions mention their start and end
            if self.session.conversation.context() is not context:
                conversation = self.session.conversation
                conversation.correct_last(
                    record.line.started_at, interrupted=record.outcome is None
                )
            self._ids[mission_id] = outcome.mission_id

    def comparison(self) -> Verification:
        """Return the comparison of the rerun's record of the mission with the original one."""
        record, new_id = self._record, self._ids.get(self._record.id)
        if new_id is None:  # the process ended before the first event
            return Verification(record.id, 0, None, self._changes_since_record())
        assert self._new is not None
        agreed, difference = compare_records(
            (self._old, record.id),
            (self._new, new_id),
            timed=self.session.simulated,
            ended=record.outcome is not None,
        )
        return Verification(record.id, agreed, difference, self._changes_since_record())

    def _changes_since_record(self) -> tuple[str, ...]:
        """Return the changes since the record: names of changed files, and old and new versions."""
        setup, site = self._record.setup, self.session.site
        was, now = setup.get("digests", {}), file_digests(site)
        then, here = setup.get("versions", {}), versions(site.pack_kinds)
        return (
            *(name for name in was if was[name] != now[name]),
            *(
                f"{name} {then[name]} → {here.get(name, '-')}"
                for name in then
                if here.get(name) != then[name]
            ),
        )


@contextlib.contextmanager
def _prepared_rerun(journal: Journal, record: MissionRecord) -> Iterator[_Rerun]:
    _refuse_incomplete_record(record)
    settings = record.settings
    site = recorded_site(record)
    with tempfile.TemporaryDirectory(prefix="bt-exec-rerun-") as folder:
        copy = Journal.open(Path(folder) / "journal.sqlite")
        packs = {name: own.for_rerun(Path(folder)) for name, own in site.packs.items()}
        journal.copy_missions_before(record.id, copy)
        session = Session(
            replace(site, packs=packs),
            world=settings.get("world", {}),
            fast=_is_simulated(site, record),
            faults=faults_for_rerun(settings.get("faults", ())),
            journal=copy,
            compiler=_differing_recorded_compiler(site, record),
            defer=bool(record.setup.get(DEFERRED)),
            confirm=_confirm_always,
        )
        with session:
            _refuse_remote_world(session, record)
            again = _Rerun(session, journal, record)
            again.run()
            yield again


def _differing_recorded_compiler(site: Site, record: MissionRecord) -> str | None:
    """Return the recorded compiler if it is installed and is not the site's; None otherwise."""
    name = record.setup.get("compiler", {}).get("name", "")
    return name if name in compiler_names() and name != site.compiler.name else None


def _refuse_incomplete_record(record: MissionRecord) -> None:
    """Raise UsageError for a record that lacks data for a new run.

    Raises:
        UsageError: If an older version wrote it.
    """
    if not record.session:
        raise UsageError(
            f"mission {record.id} was recorded by an older version, which lacks the data "
            "for a new run"
        )


def _is_simulated(site: Site, record: MissionRecord) -> bool:
    """Return True if a mission ran on simulated time; packs without a robot run in real time."""
    moves = any(pack.robots for pack in site.catalogue.packs)
    return moves and bool(record.setup.get("worlds"))


def _refuse_remote_world(session: Session, record: MissionRecord) -> None:
    """Raise UsageError for a world that is not simulated in this process.

    Raises:
        UsageError: If a robot is real, or its simulation runs elsewhere.
    """
    for name, rig in session.rigs.items():
        if isinstance(rig.simulation, RemoteSimulation):
            raise UsageError(
                f"mission {record.id} cannot be run again: the world of {name} is simulated in "
                "another process, and the record does not contain its initial state"
            )
        if rig.robot is not None and rig.simulation is None:
            raise UsageError(
                f"mission {record.id} cannot be run again: {name} is a real robot; only simulated "
                "worlds can be recreated"
            )


def _missions_before(journal: Journal, record: MissionRecord) -> list[MissionRecord]:
    """Return the missions that led to the world of a mission, and the mission itself.

    If the session began by restoring the world of an earlier mission, the missions that led to that
    world are included.
    """
    session = [journal.mission(name) for name in journal.session_of(record.id)]
    begun = [one for one in session if one.line.begun]
    if begun and begun[0].continues and begun[0].setup.get("restored"):
        return [*_missions_before(journal, journal.mission(begun[0].continues)), *begun]
    return begun


def _confirm_always(spec: MissionSpec, why: str, over: threading.Event) -> bool:
    """Confirm a plan that was confirmed in the recorded mission."""
    del spec, why, over
    return True


def _was_plan_given(record: MissionRecord) -> bool:
    """Return True if the first plan was given by the operator instead of compiled."""
    asked = next((e.compiler for e in record.events if isinstance(e, Planning)), "")
    return bool(record.plans) and asked == FixedPlanCompiler.name
