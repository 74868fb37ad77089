"""Outcome of a mission, for the executive, the operator and scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from bt_exec.failure import STOPPED, Failure, Refusal

__all__ = [
    "EXIT_CODES",
    "FINISHED",
    "NOTHING_DONE",
    "PARTLY_DONE",
    "STOPS",
    "Ending",
    "MissionStatus",
    "Outcome",
    "code_of_reason",
]

MissionStatus: TypeAlias = Literal[
    "satisfied", "partial", "blocked", "failed", "refused", "aborted"
]

FINISHED: tuple[MissionStatus, ...] = ("satisfied", "refused")
"""Statuses of missions that leave nothing to resume."""

EXIT_CODES: Mapping[str, int] = {
    "satisfied": 0,
    "partial": 6,
    "blocked": 3,
    "failed": 4,
    "refused": 5,
    "aborted": 130,
}


_OPTIONAL = frozenset(
    {
        "undone",
        "nearest",
        "did_you_mean",
        "missing",
        "question",
        "problems",
        "results",
        "record_problem",
        "cause",
        "state",
        "ages",
    }
)
"""Fields that are omitted from an outcome's plain data when they are empty."""

STOPS = ("ABORTED", STOPPED, "STOP_FAILED", "STEP_HUNG", "STALLED", "GUARD_LOST")
"""Reason codes of missions that were stopped before their plan ended."""

PARTLY_DONE, NOTHING_DONE = "PARTLY_DONE", "NOTHING_DONE"
"""Reason codes of missions that continued without a failed part: some parts were done, or none."""


@dataclass(frozen=True)
class Ending:
    """End of a mission, from which its `Outcome` and final message are made.

    Attributes:
        status: Satisfied, partial (done, but not all), blocked, failed, refused or aborted.
        reason_code: ``OK``, or the reason for the failure.
        failure: The failure that ended it, if any.
        why: Code of the reason for not re-planning after the failure.
        said: The reason in the compiler's words, if any. For a satisfied mission without a plan:
            the reply to the command. For an aborted mission: the origin of the stop.
        refusal: The compiler's refusal, if it refused.
        problems: Problems of a plan that was not accepted.
    """

    status: MissionStatus
    reason_code: str
    failure: Failure | None = None
    why: str = ""
    said: str = ""
    refusal: Refusal | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Outcome:
    """Outcome of a mission: the object that ``--json`` prints.

    Its representation includes the reason, so that a failing ``assert outcome.ok`` explains itself.

    Attributes:
        mission_id: Identifier of the record: ``2026-11-20-0007``.
        command: The command as typed.
        status: Final status.
        reason_code: ``OK``, or the code of the reason for another end.
        message: Summary for the operator, in the language of the command.
        planner_calls: Number of planner calls: one, and one more for each re-plan.
        model_requests: Number of requests to a language model for these calls.
        replans: Number of plans after the first.
        plan_version: Version of the plan in force at the end; 0 if there was no plan.
        ticks: Number of ticks.
        sim_seconds: Time on the mission's clock [s].
        wall_seconds: Wall-clock time [s].
        skipped: ``{"name", "reason"}`` of each node that was not needed.
        failures: All failures in order, as plain data: those that ended a plan, then those that
            were only recorded.
        undone: Parts that were not done although the mission continued: ``{"what", "why", "code",
            "path", "node", "args"}``, the first two in the language of the command.
        journal: Path of the record, or None.
        nearest: For a refusal, commands that would be understood.
        did_you_mean: For a refusal, commands similar to the one that was typed; each would run.
        missing: For a refusal, missing information by type, or the words that were not understood.
        question: For a refusal, a question to the operator. The answer, given as the next command,
            completes the refused one.
        problems: Problems of a plan that was not accepted.
        results: Values that the tree of the plan returned (``returns``), by field; empty if it did
            not succeed.
        record_problem: Description of the parts missing from the record, and where these parts are;
            empty if the record is complete.
        cause: The first failure without recovery, as plain data; empty if none ended the mission.
        state: Facts that concern the mission, with their last known values at its end, or ``"?"``:
            ``{"door": "open"}``.
        ages: Ages of the facts in `state` that were not current at its end [s].
    """

    mission_id: str
    command: str
    status: MissionStatus
    reason_code: str
    message: str
    planner_calls: int = 0
    model_requests: int = 0
    replans: int = 0
    plan_version: int = 0
    ticks: int = 0
    sim_seconds: float = 0.0
    wall_seconds: float = 0.0
    skipped: tuple[Mapping[str, str], ...] = ()
    failures: tuple[Mapping[str, Any], ...] = ()
    undone: tuple[Mapping[str, Any], ...] = ()
    journal: str | None = None
    nearest: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    results: Mapping[str, Any] = field(default_factory=dict)
    record_problem: str = ""
    did_you_mean: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    question: str = ""
    cause: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, str] = field(default_factory=dict)
    ages: Mapping[str, float] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """Exit code of the process for this outcome."""
        return EXIT_CODES[self.status]

    @property
    def last_failure(self) -> Failure | None:
        """The last failure; None if there was none."""
        return Failure.from_dict(dict(self.failures[-1])) if self.failures else None

    @property
    def decisive_failure(self) -> Failure | None:
        """The cause of the end, or else the first recovered failure; None without failures."""
        found = (self.cause, *self.failures) if self.cause else self.failures
        return Failure.from_dict(dict(found[0])) if found else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data in the order of the attributes; empty optional fields are omitted."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        return {key: data[key] for key in data if data[key] or key not in _OPTIONAL}

    def explain(self) -> str:
        """Return a report of a few lines: status, message, failures with their causes, problems."""
        head = f"{self.status}: {self.reason_code}" if self.reason_code != "OK" else self.status
        lines = [f"{head}: {self.message}" if self.message else head]
        for data in self.failures:
            for failure in Failure.from_dict(dict(data)).chain():
                given = ", ".join(f"{name}={value!r}" for name, value in failure.args.items())
                lines.append(f"  {failure}" + (f" ({given})" if given else ""))
                lines += [f"    {line}" for line in _last_traceback_lines(failure)]
        lines += [f"  {problem}" for problem in self.problems]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return the report of `explain` in one line."""
        said = " | ".join(line.strip() for line in self.explain().splitlines())
        return f"<Outcome {said}>"

    @property
    def undone_in_words(self) -> tuple[tuple[str, str], ...]:
        """Incomplete parts with the reasons, in the operator's language."""
        return tuple((str(part.get("what", "")), str(part.get("why", ""))) for part in self.undone)

    @property
    def is_stop(self) -> bool:
        """Whether the mission was stopped. Waiting commands then need the operator's consent."""
        return self.reason_code in STOPS

    @property
    def ok(self) -> bool:
        """Whether the mission was satisfied."""
        return self.status == "satisfied"


def _last_traceback_lines(failure: Failure) -> list[str]:
    """Return the last lines of a crash's traceback: the source line and the exception."""
    text = str(failure.evidence.get("traceback", ""))
    return text.rstrip().splitlines()[-3:]


UNMET = "condition not met"
"""Skip reason of a node whose condition, stated in the command, did not hold."""


def code_of_reason(reason: str) -> str:
    """Return the code of a skip reason, such as ``ALREADY_OPEN`` for ``already open``."""
    return "".join(c if c.isalnum() else "_" for c in reason).upper()
