"""Explanation of a mission's end from its record: the plan, the failure and its causes.

`explain` returns data; `bt_exec.tui.why` puts it into words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, cast

from bt_exec.events import (
    Aborting,
    Event,
    FactsKnown,
    NodeChanged,
    Observed,
    PerceptionFailed,
    Planned,
    Planning,
    Refused,
    Rejected,
    SkillEnded,
)
from bt_exec.failure import Failure
from bt_exec.journal.recorded_mission import MissionRecord, MissionSummary, SkillRun
from bt_exec.mission_outcome import NOTHING_DONE, PARTLY_DONE
from bt_exec.pack import Catalogue
from bt_exec.planning.assumed_facts_and_first_cause import DoneAction, first_cause
from bt_exec.spec.condition_expression import Is, Not
from bt_exec.spec.expand import fill_results
from bt_exec.spec.model import Check, Do, Fallback, MissionSpec, NodeBase
from bt_exec.spec.node_paths import Located, choice_checks, is_kept, locate
from bt_exec.verify.effects_on_facts import (
    UNKNOWN,
    facts_after_failure,
    facts_after_success,
    touched_facts,
)

__all__ = ["NEGATED", "Attempt", "Cause", "Explanation", "explain"]

NEGATED = "not "
"""Prefix of the name of a step that checks that a condition does not hold."""


@dataclass
class Attempt:
    """One plan and its result.

    Attributes:
        version: Version of the plan, 1 for the first.
        compiler: Name of the compiler that made it.
        steps: Names and arguments of its skills and checks, except kept ones.
        choices: Paths of the checks that decide between two branches of the plan.
        kept: Number of parts that earlier plans had finished and that were not run again.
        failure: The failure that ended it, if any.
        passed: The distinct failures of its nodes, in order.
        unmet: Failures of the checks that chose the other branch of the plan, in order.
        done: The actions that succeeded in it.
    """

    version: int
    compiler: str
    steps: tuple[tuple[str, Mapping[str, Any]], ...]
    choices: frozenset[str] = frozenset()
    kept: int = 0
    failure: Failure | None = None
    passed: list[Failure] = field(default_factory=list)
    unmet: list[Failure] = field(default_factory=list)
    done: list[DoneAction] = field(default_factory=list)


@dataclass(frozen=True)
class Cause:
    """The first cause of a mission's end.

    Attributes:
        failure: The first failure that was never recovered.
        version: Version of the plan in force.
        t: Time since the command [s, mission clock]; None if unknown.
        seen: Last observation at that time, one line for each pack whose perception was not
            failing.
        blind: Error messages of packs whose perception was failing at that time, by pack.
        seen_age: Age of the newest of these observations at the time of the failure [s]; 0 if
            unknown.
    """

    failure: Failure
    version: int
    t: float | None
    seen: tuple[str, ...]
    blind: Mapping[str, str] = field(default_factory=dict)
    seen_age: float = 0.0


@dataclass(frozen=True)
class Explanation:
    """Known facts about a mission's end.

    Attributes:
        line: List entry of the mission: identifier, command, status, message, times.
        attempts: Plans, in order.
        cause: The first cause; None if nothing failed.
        planner: The failure of the compiler that ended the mission during a re-plan, if any.
        refusal: The compiler's refusal, if there was no plan.
        problems: Problems of the plans that were not accepted.
        stopped: Source of the stop; empty if it was not stopped.
        skipped: Reasons for skipped actions.
        running: In an unfinished mission, skills that had begun and whose end is not on record.
        facts: Facts known at the end, from observations and completed skills.
        possible: The facts that the running skills would have established.
        uncertain: The facts that the running skills may have changed, with their values before
            (``"?"`` if unknown).
        blind: Error messages of packs whose perception was failing at the time of the cause, or at
            the end, by pack.
        held: Skill calls in which one step took so long that it delayed the mission.
        incomplete: Unreadable parts of the record.
        found: Results of its successful skills, in order; skills without a result are left out.
    """

    line: MissionSummary
    attempts: tuple[Attempt, ...]
    cause: Cause | None
    refusal: str
    problems: tuple[str, ...]
    stopped: str
    skipped: tuple[str, ...]
    running: tuple[SkillRun, ...]
    facts: Mapping[str, str]
    possible: Mapping[str, str]
    incomplete: tuple[str, ...]
    found: tuple[SkillRun, ...] = ()
    planner: Failure | None = None
    uncertain: Mapping[str, str] = field(default_factory=dict)
    blind: Mapping[str, str] = field(default_factory=dict)
    held: tuple[SkillRun, ...] = ()


def explain(
    record: MissionRecord, catalogue: Catalogue | None = None, language: str = ""
) -> Explanation:
    """Return the known facts about a mission's end.

    Args:
        record: The mission.
        catalogue: Declarations of its skills; without it, fewer facts are known at the end.
        language: Language for descriptions of observations; the command's language if empty.
    """
    language = language or record.line.language
    attempts = _attempts(record)
    cause = _first_cause(record, attempts, catalogue, language)
    outcome = record.outcome
    refusals = [event.refusal.message for event in record.events if isinstance(event, Refused)]
    rejected = record.refusals[-1:] if outcome is not None and outcome.problems else ()
    problems = [str(p) for event in rejected if isinstance(event, Rejected) for p in event.problems]
    aborts = (event for event in record.events if isinstance(event, Aborting))
    stops = [event.reason for event in aborts if event.how == "clean"]
    aborted = outcome is not None and outcome.status == "aborted"
    running = [run for run in record.skills if run.end is None] if outcome is None else []
    facts, possible, uncertain = _final_facts(record, catalogue, running)
    return Explanation(
        line=record.line,
        attempts=attempts,
        cause=cause,
        blind=_observed(record.events, language).blind if cause is None else cause.blind,
        planner=_failure_of_planner(record) if attempts else None,
        refusal=refusals[-1] if refusals and record.status == "refused" else "",
        problems=tuple(dict.fromkeys(problems)),
        stopped=stops[0] if stops and aborted else "",
        skipped=tuple(dict.fromkeys(skip.get("reason", "") for skip in outcome.skipped))
        if outcome
        else (),
        found=tuple(run for run in record.skills if run.end is not None and run.end.result),
        held=tuple(run for run in record.skills if run.end is not None and run.end.held_s),
        running=tuple(running),
        facts=facts,
        possible=possible,
        uncertain=uncertain,
        incomplete=record.unreadable,
    )


class _Observed(NamedTuple):
    """Last observations among some events.

    Attributes:
        seen: Text of the last observation, by pack.
        seen_at: Time of the newest of these observations [s, mission clock].
        blind: Error messages of packs whose perception failed after their last observation, by
            pack.
    """

    seen: dict[str, str]
    seen_at: float
    blind: dict[str, str]


def _observed(events: Iterable[Event], language: str) -> _Observed:
    """Return the last observations in `events`, described in a language."""
    seen: dict[str, str] = {}
    seen_at = 0.0
    blind: dict[str, str] = {}
    for event in events:
        if isinstance(event, Observed):
            seen[event.pack] = event.observation.describe(language)
            seen_at = event.observation.t
            blind.pop(event.pack, None)
        elif isinstance(event, PerceptionFailed):
            blind[event.pack] = event.message
    return _Observed(seen, seen_at, blind)


def _attempts(record: MissionRecord) -> tuple[Attempt, ...]:
    """Return the attempts of a mission."""
    attempts: list[Attempt] = []
    args = {(run.start.skill, run.start.call): run.start.args for run in record.skills}
    for event in record.events:
        if isinstance(event, Planned):
            attempts.append(_new_attempt(event.spec, record))
        elif attempts:
            _add_event(event, attempts[-1], args)
    if attempts and attempts[-1].failure is None and record.status != "satisfied":
        attempts[-1].failure = _last_failure(record)
    return tuple(attempts)


def _add_event(
    event: Event, attempt: Attempt, args: Mapping[tuple[str, int], Mapping[str, Any]]
) -> None:
    """Add an event to the attempt of the plan in force."""
    match event:
        case Planning(failure=Failure()):
            attempt.failure = event.failure
        case SkillEnded(state="done"):
            attempt.done.append(DoneAction(event.skill, args.get((event.skill, event.call), {})))
        case SkillEnded() | NodeChanged() if event.failure is not None:
            failure = event.failure
            chose = failure.is_false and failure.path in attempt.choices
            known = attempt.unmet if chose else attempt.passed
            if failure not in known:
                known.append(failure)


def _last_failure(record: MissionRecord) -> Failure | None:
    """Return the failure that ended a mission; None if there was none.

    If the mission ended with incomplete parts, this is the failure of the first of them. Otherwise,
    a failure of an incomplete part is returned only if there is no other, because the mission
    continued after it.
    """
    outcome = record.outcome
    if outcome is None:
        return None
    paths_of = {part.get("path") for part in outcome.undone}
    of_parts = [one for one in outcome.failures if one["path"] in paths_of]
    others = [one for one in outcome.failures if one not in of_parts]
    incomplete = outcome.reason_code in (PARTLY_DONE, NOTHING_DONE)
    failures = of_parts[:1] if incomplete else others[-1:] or of_parts[-1:]
    return Failure.from_dict(dict(failures[0])) if failures else None


def _failure_of_planner(record: MissionRecord) -> Failure | None:
    """Return the failure of the compiler if it ended a mission, otherwise None."""
    last = record.outcome.last_failure if record.outcome is not None else None
    return last if last is not None and last.kind == "compiler" else None


def _new_attempt(spec: MissionSpec, record: MissionRecord) -> Attempt:
    """Return a new attempt for a plan that has not started."""
    mission = spec.mission
    ran = (run.start for run in record.skills if run.plan == mission.plan_version)
    given = {start.path: start.args for start in ran}
    root = locate(spec.root)
    steps = tuple(
        _as_step(step.node, given.get(step.path, {}))
        for step in _intended_steps(root)
        if not is_kept(spec, step.path)
    )
    choices = frozenset(choice_checks(root))
    return Attempt(mission.plan_version, mission.compiler, steps, choices, len(mission.kept))


def _intended_steps(step: Located[NodeBase]) -> Iterator[Located[Do | Check]]:
    """Yield the skills and checks of a plan that run if no skill fails.

    For a choice between two branches, the steps of both are included.
    """
    if isinstance(step.node, Do | Check):
        yield cast("Located[Do | Check]", step)
    choice = isinstance(step.node, Fallback) and step.node.is_choice
    under = step.children if choice else step.children[: len(step.node.nominal_children)]
    for number, child in enumerate(under):
        steps = _intended_steps(child)
        # leave out the negated check at the beginning of the second branch
        yield from islice(steps, 1, None) if choice and number else steps


def _as_step(node: Do | Check, given: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    if isinstance(node, Do):
        return node.do, fill_results(node.args, given)
    if isinstance(node.check, Not) and isinstance(node.check.of, Is):
        return f"{NEGATED}{node.check.of.name}", node.check.of.args
    return node.callee_name or str(node.check), node.call_arguments


def _first_cause(
    record: MissionRecord,
    attempts: tuple[Attempt, ...],
    catalogue: Catalogue | None,
    language: str,
) -> Cause | None:
    """Return the first cause of the end, or of the failures before an interruption."""
    if record.status == "satisfied":
        return None
    failed = [(attempt.failure, n) for n, attempt in enumerate(attempts) if attempt.failure]
    after = [
        (failure, [done for attempt in attempts[number + 1 :] for done in attempt.done])
        for failure, number in failed
    ]
    found = first_cause(after, catalogue)
    if found is None:
        return None
    number, failure = found
    attempt = attempts[failed[number][1]]
    events = record.events
    at = next((n for n, event in enumerate(events) if _reports_failure(event, failure)), None)
    if at is None:  # the end of the plan
        later = (n for n, e in enumerate(events) if _replaces_plan(e, attempt.version))
        observed = _observed(events[: next(later, len(events))], language)
        when, age = None, 0.0
    else:
        observed = _observed(events[:at], language)
        when, age = events[at].t - events[0].t, max(events[at].t - observed.seen_at, 0.0)
    seen = tuple(text for pack, text in observed.seen.items() if pack not in observed.blind)
    return Cause(failure, attempt.version, when, seen, observed.blind, age)


def _replaces_plan(event: Event, version: int) -> bool:
    return isinstance(event, Planned) and event.spec.mission.plan_version > version


def _reports_failure(event: Any, failure: Failure) -> bool:
    return isinstance(event, NodeChanged | SkillEnded) and event.failure == failure


def _final_facts(
    record: MissionRecord, catalogue: Catalogue | None, running: Sequence[SkillRun]
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return the known facts at the end, and those that running skills leave undecided.

    Returns:
        The known facts, the facts that running skills would have established, and the facts that
        they may have changed, with their values before.
    """
    facts: dict[str, str] = {}
    possible: dict[str, str] = {}
    skills = catalogue.skills if catalogue is not None else {}
    args = {(run.start.skill, run.start.call): run.start.args for run in record.skills}
    for event in record.events:
        if isinstance(event, Observed):
            facts.update(event.observation.facts())
        elif isinstance(event, FactsKnown):
            facts.update(event.facts)
        elif isinstance(event, SkillEnded) and event.skill in skills:
            change = facts_after_success if event.state == "done" else facts_after_failure
            facts = change(facts, skills[event.skill], args.get((event.skill, event.call), {}))
    uncertain: dict[str, str] = {}
    before = facts
    for run in running:
        if run.start.skill in skills:
            skill = skills[run.start.skill]
            for fact in touched_facts(skill, run.start.args, before):
                uncertain[fact] = before.get(fact, UNKNOWN)
            possible = facts_after_success(possible, skill, run.start.args)
    facts = {fact: value for fact, value in before.items() if fact not in uncertain}
    return facts, possible, uncertain
