"""Recorded missions: their events, and queries about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
from bt_exec.outcome import Outcome
from bt_exec.spec.model import Do
from bt_exec.spec.paths import paths

__all__ = [
    "DAMAGED",
    "EventRow",
    "Exchange",
    "MissionLine",
    "MissionRecord",
    "PlanRecord",
    "SkillRun",
]

_E = TypeVar("_E")

DAMAGED = "damaged"
"""Status of a mission that ended, where the record does not say how any more."""


@dataclass(frozen=True, slots=True)
class MissionLine:
    """A mission in a list.

    Attributes:
        id: Its name, ``2026-11-20-0007``.
        command: What the person typed.
        language: ``en`` or ``ko``.
        site: Name of the site.
        status: How it ended; ``unfinished``: it is still running, or was killed; or ``damaged``:
            the record does not say how it ended.
        reason_code: ``OK``, or why not; empty while unfinished.
        message: What a person would say; empty while unfinished.
        started_at: When, in local time.
        ended_at: When, in local time, or None.
        seconds: How long it took on its own clock [s]: a fast simulation takes less on the wall;
            None while unfinished.
        interrupted: Whether its process was gone before it had ended.
        begun: Whether anything of it is on record; one that was only booked has not.
        damaged: Cells of its row that cannot be read, with what was found there.
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

    @property
    def shown_status(self) -> str:
        """Status of the mission; ``interrupted``, ``waiting`` or ``running`` before its end."""
        if self.status != "unfinished":
            return self.status
        if self.interrupted:
            return "interrupted"
        return "running" if self.begun else "waiting"


class EventRow(NamedTuple):
    """An event as it stands on record, not yet made into a value again.

    Attributes:
        seq: Its number in the mission; it only grows, and never changes.
        t: When [s, mission clock].
        tick: In which tick.
        plan: The plan version in force; 0 before the first.
        kind: Name of its class in `bt_exec.events`.
        path: The node, if it is about one.
        call: Which call of its skill, if it is about one.
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
        event: When it came, what it cost, and the spec itself.
        digest: SHA-256 of its text.
        text: The spec as YAML, as it was written.
    """

    event: Planned
    digest: str
    text: str

    @property
    def version(self) -> int:
        """1 for the first plan, one more for each re-plan."""
        return self.event.spec.mission.plan_version


@dataclass(frozen=True, slots=True)
class SkillRun:
    """A skill's call: how it started and, unless the record ends before, how it ended.

    Attributes:
        plan: The plan version in force.
        start: What was written before it moved.
        end: What was written after, or None: the process died while this ran.
    """

    plan: int
    start: SkillStarting
    end: SkillEnded | None


@dataclass(frozen=True, slots=True)
class Exchange:
    """Raw answer to a compiler's request.

    Attributes:
        plan: The plan version in force when it asked; 0 before the first.
        compiler: Who asked.
        model: Who answered.
        request_digest: SHA-256 of what was asked.
        answer: The answer as it came.
        usage: What it cost, by kind.
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
        line: Name, command, status and times.
        settings: The site's settings.
        seeds: The seeds of its worlds.
        setup: What else a replay needs: compiler, rates, limits, worlds, versions, digests; empty
            in records of older versions. See `bt_exec.mission.setup`.
        session: Identifier of the session and its world; empty in records of older versions.
        continues: Name of the mission that this one resumed; empty for most.
        program: Version of bt-exec that ran it.
        outcome: How it ended, or None while unfinished.
        events: Everything that happened, in order; progress at a bounded rate.
        plans: The plans that were in force, in order.
        skills: The skill calls, in order.
        exchanges: What compilers were answered, in order.
        frames: Folder of its frames.
        frames_kept: How many frames are there; counted when the mission is closed.
        frames_dropped: How many were dropped.
        unreadable: What could not be written or read, one line each.
    """

    line: MissionLine
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
        """The facts that were known before the first plan; empty in older records."""
        return next((e.facts for e in self._all(FactsKnown) if e.moment == "start"), {})

    @cached_property
    def facts_at_end(self) -> Mapping[str, str]:
        """The facts that were known at the end; empty if the record ends before."""
        return next((e.facts for e in self._all(FactsKnown) if e.moment == "end"), {})

    @cached_property
    def saved(self) -> dict[str, Any]:
        """The results that skills had saved when the record ends, by name."""
        found: dict[str, Any] = {}
        names: dict[str, Mapping[str, str]] = {}
        for event in self.events:
            if isinstance(event, FactsKnown):
                found.update(event.saved)
            elif isinstance(event, Planned):
                names = {
                    path: node.save
                    for path, node in paths(event.spec.root)
                    if isinstance(node, Do) and node.save
                }
            elif isinstance(event, SkillEnded) and event.state == "done":
                for name, variable in names.get(event.path, {}).items():
                    found[variable] = event.result.get(name)
        return found

    @cached_property
    def transitions(self) -> tuple[NodeChanged, ...]:
        """Status changes of nodes."""
        return self._all(NodeChanged)

    @cached_property
    def looks(self) -> tuple[Observed | PerceptionFailed, ...]:
        """Observations, and failed attempts to observe."""
        return tuple(e for e in self.events if isinstance(e, Observed | PerceptionFailed))

    @cached_property
    def verdicts(self) -> tuple[Asked, ...]:
        """Verdicts of conditions."""
        return self._all(Asked)

    @cached_property
    def turns(self) -> tuple[Mapping[str, Any], ...]:
        """The turn reports."""
        return tuple(event.report for event in self._all(Turn))

    @cached_property
    def refusals(self) -> tuple[Refused | Rejected, ...]:
        """Plans that were not made, or not accepted."""
        return tuple(e for e in self.events if isinstance(e, Refused | Rejected))

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """Failures in order; one that travels up the tree within its tick counts once."""
        found: list[tuple[int, Failure]] = []
        for event in self.events:
            if not isinstance(event, NodeChanged | SkillEnded) or event.failure is None:
                continue
            if (event.tick, event.failure) not in found:
                found.append((event.tick, event.failure))
        return tuple(failure for _, failure in found)

    def states(self, version: int | None = None) -> dict[str, NodeState]:
        """Return the last state of every node reached under a plan; the last plan by default."""
        states: dict[int, dict[str, NodeState]] = {}
        now = 0
        for event in self.events:
            if isinstance(event, Planned):
                now = event.spec.mission.plan_version
            elif isinstance(event, NodeChanged):
                states.setdefault(now, {})[event.path] = event.state
        return states.get(now if version is None else version, {})

    def _all(self, kind: type[_E]) -> tuple[_E, ...]:
        return tuple(event for event in self.events if isinstance(event, kind))
