"""Recorded missions: their events, and queries about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from bt_exec.events import (
    Asked,
    Event,
    FactsKnown,
    NodeChanged,
    NodeState,
    Observed,
    PerceptionFailed,
    Planned,
    Refused,
    Rejected,
    SkillEnded,
    SkillStarting,
    Turn,
)
from bt_exec.failure import Failure
from bt_exec.mission_outcome import Outcome
from bt_exec.spec.model import Do
from bt_exec.spec.node_paths import nodes_with_paths

__all__ = [
    "DAMAGED",
    "EventRow",
    "Exchange",
    "MissionRecord",
    "MissionSummary",
    "PlanRecord",
    "SkillRun",
]

_E = TypeVar("_E")

DAMAGED = "damaged"
"""Status of a mission that ended, but whose recorded end is unreadable."""


@dataclass(frozen=True, slots=True)
class MissionSummary:
    """A mission as listed in the journal.

    Attributes:
        id: Identifier, ``2026-11-20-0007``.
        command: The command as typed.
        language: ``en`` or ``ko``.
        site: Name of the site.
        status: Final status; ``unfinished`` if it is running or was killed; ``damaged`` if its
            recorded end is unreadable.
        reason_code: ``OK``, or the reason for the failure; empty while unfinished.
        message: Summary for the operator; empty while unfinished.
        started_at: Start, in local time.
        ended_at: End, in local time, or None.
        seconds: Duration on the mission clock [s], which may be faster than the wall clock; None
            while unfinished.
        interrupted: Whether its process ended before the mission did.
        begun: Whether any of its events is on record; False if it was only booked.
        damaged: Unreadable cells of its row, with the values found.
        failure: The cause of its end, or the first failure that it recovered from.
        state: Facts that concern the mission, with their last known values at its end.
        ages: Ages of the facts in `state` that were not current at its end [s].
    """

    id: str
    command: str
    language: str
    site: str
    status: str
    reason_code: str
    message: str
    started_at: datetime
    ended_at: datetime | None
    seconds: float | None = None
    interrupted: bool = False
    begun: bool = True
    damaged: tuple[str, ...] = ()
    failure: Failure | None = None
    state: Mapping[str, str] = field(default_factory=dict)
    ages: Mapping[str, float] = field(default_factory=dict)

    @property
    def has_ended(self) -> bool:
        """Whether it has a final status, or was interrupted."""
        return self.shown_status not in ("running", "waiting")

    @property
    def shown_status(self) -> str:
        """Status for display: the final one, or ``interrupted``, ``waiting`` or ``running``."""
        if self.status != "unfinished":
            return self.status
        if self.interrupted:
            return "interrupted"
        return "running" if self.begun else "waiting"


class EventRow(NamedTuple):
    """A recorded event, not yet decoded.

    Attributes:
        seq: Number in the mission, which increases and never changes.
        t: Time [s, mission clock].
        tick: Number of the tick.
        plan: The plan version in force; 0 before the first.
        kind: Name of its class in `bt_exec.events`.
        path: Path of its node, if any.
        call: Number of its skill call, if any.
        data: The other fields, as JSON text.
    """

    seq: int
    t: float
    tick: int
    plan: int
    kind: str
    path: str | None
    call: int | None
    data: str


@dataclass(frozen=True, slots=True)
class PlanRecord:
    """A plan that was in force.

    Attributes:
        event: The event: time, cost and spec.
        digest: SHA-256 of its text.
        text: The spec as YAML, as it was written.
    """

    event: Planned
    digest: str
    text: str

    @property
    def version(self) -> int:
        """Version of the plan: 1 for the first, one more for each re-plan."""
        return self.event.spec.mission.plan_version


@dataclass(frozen=True, slots=True)
class SkillRun:
    """A call of a skill: its start and, unless the record ends before, its end.

    Attributes:
        plan: The plan version in force.
        start: The event that was recorded before the skill started.
        end: The event of its end; None if the process died while it ran.
    """

    plan: int
    start: SkillStarting
    end: SkillEnded | None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A compiler's request to a model, and the raw answer.

    Attributes:
        plan: The plan version in force at the request; 0 before the first.
        compiler: Name of the compiler that asked.
        model: Name of the model that answered.
        request_digest: SHA-256 of the request.
        answer: The answer, unchanged.
        usage: Cost by kind.
    """

    plan: int
    compiler: str
    model: str
    request_digest: str
    answer: str
    usage: Mapping[str, float]


@dataclass(frozen=True)
class MissionRecord:
    """Record of one mission.

    Attributes:
        line: Identifier, command, status and times.
        settings: The site's settings.
        seeds: The seeds of its worlds.
        setup: Further data for a replay: compiler, rates, limits, worlds, versions, digests; empty
            in records of older versions. See `bt_exec.mission.recorded_setup`.
        session: Identifier of the session and its world; empty in records of older versions.
        continues: Identifier of the mission that this one resumed; usually empty.
        program: Version of bt-exec that ran it.
        outcome: Outcome, or None while unfinished.
        events: All events in order; progress events at a bounded rate.
        plans: The plans that were in force, in order.
        skills: The skill calls, in order.
        exchanges: Requests of compilers to models, in order.
        frames: Folder of its frames.
        frames_kept: Number of stored frames; set when the mission is closed.
        frames_dropped: Number of dropped frames.
        unreadable: Parts that could not be written or read, one line each.
    """

    line: MissionSummary
    settings: Mapping[str, Any]
    seeds: Mapping[str, Any]
    setup: Mapping[str, Any]
    session: str
    continues: str
    program: str
    outcome: Outcome | None
    events: tuple[Event, ...]
    plans: tuple[PlanRecord, ...]
    skills: tuple[SkillRun, ...]
    exchanges: tuple[Exchange, ...]
    frames: Path
    frames_kept: int
    frames_dropped: int
    unreadable: tuple[str, ...]

    @property
    def id(self) -> str:
        """Identifier of the mission, ``2026-11-20-0007``."""
        return self.line.id

    @property
    def command(self) -> str:
        """Command as typed."""
        return self.line.command

    @property
    def status(self) -> str:
        """Final status, or ``unfinished``."""
        return self.line.status

    @cached_property
    def facts_at_start(self) -> Mapping[str, str]:
        """Facts that were known before the first plan; empty in older records."""
        return next((e.facts for e in self._events_of(FactsKnown) if e.moment == "start"), {})

    @cached_property
    def facts_at_end(self) -> Mapping[str, str]:
        """Facts that were known at the end; empty if the record ends before."""
        return next((e.facts for e in self._events_of(FactsKnown) if e.moment == "end"), {})

    @cached_property
    def saved(self) -> dict[str, Any]:
        """Results of skills that were saved by the end of the record, by name."""
        found: dict[str, Any] = {}
        names: dict[str, Mapping[str, str]] = {}
        for event in self.events:
            if isinstance(event, FactsKnown):
                found.update(event.saved)
            elif isinstance(event, Planned):
                names = {
                    path: node.save
                    for path, node in nodes_with_paths(event.spec.root, Do)
                    if node.save
                }
            elif isinstance(event, SkillEnded) and event.state == "done":
                for name, variable in names.get(event.path, {}).items():
                    found[variable] = event.result.get(name)
        return found

    @cached_property
    def transitions(self) -> tuple[NodeChanged, ...]:
        """Status changes of nodes."""
        return self._events_of(NodeChanged)

    @cached_property
    def observations(self) -> tuple[Observed | PerceptionFailed, ...]:
        """Observations, and failed attempts to observe."""
        return tuple(e for e in self.events if isinstance(e, Observed | PerceptionFailed))

    @cached_property
    def verdicts(self) -> tuple[Asked, ...]:
        """Verdicts of conditions."""
        return self._events_of(Asked)

    @cached_property
    def turns(self) -> tuple[Mapping[str, Any], ...]:
        """The turn reports."""
        return tuple(event.report for event in self._events_of(Turn))

    @cached_property
    def refusals(self) -> tuple[Refused | Rejected, ...]:
        """Refusals of compilers, and plans that were not accepted."""
        return tuple(e for e in self.events if isinstance(e, Refused | Rejected))

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """Failures in order; a failure that several nodes report within a tick counts once."""
        found: list[tuple[int, Failure]] = []
        for event in self.events:
            if not isinstance(event, NodeChanged | SkillEnded) or event.failure is None:
                continue
            if (event.tick, event.failure) not in found:
                found.append((event.tick, event.failure))
        return tuple(failure for _, failure in found)

    def node_states(self, version: int | None = None) -> dict[str, NodeState]:
        """Return the last state of every node that was reached, by path.

        Args:
            version: Version of the plan; the last one by default.
        """
        states: dict[int, dict[str, NodeState]] = {}
        now = 0
        for event in self.events:
            if isinstance(event, Planned):
                now = event.spec.mission.plan_version
            elif isinstance(event, NodeChanged):
                states.setdefault(now, {})[event.path] = event.state
        return states.get(now if version is None else version, {})

    def _events_of(self, kind: type[_E]) -> tuple[_E, ...]:
        return tuple(event for event in self.events if isinstance(event, kind))
