"""Outcome of a mission, for the executive, the operator and scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from bt_exec.failure import Failure, Refusal

__all__ = [
    "EXIT_CODES",
    "NOTHING_DONE",
    "PARTLY_DONE",
    "Ending",
    "MissionStatus",
    "Outcome",
    "code_of_reason",
]

MissionStatus: TypeAlias = Literal[
    "satisfied", "partial", "blocked", "failed", "refused", "aborted"
]

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
    }
)
"""What is not part of an outcome's plain data where it is empty."""

PARTLY_DONE, NOTHING_DONE = "PARTLY_DONE", "NOTHING_DONE"
"""Codes of a mission that went on without a part, and of one that so did nothing of it."""


@dataclass(frozen=True)
class Ending:
    """End of a mission, before it is put into words.

    Attributes:
        status: Satisfied, partial (done, but not all), blocked, failed, refused or aborted.
        reason_code: ``OK``, or why not.
        failure: What ended it, if a failure did.
        why: Why it was not planned again after the failure; a code with a sentence.
        said: The same in the compiler's own words, if it gave any; of a satisfied one the answer
            to words that asked for no plan; of an aborted one the signal that stopped it.
        refusal: What the compiler said, if it refused.
        problems: What was wrong with a plan that was not accepted.
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

    Its representation says why, so that ``assert outcome.ok`` in a test explains itself.

    Attributes:
        mission_id: Names the record: ``2026-11-20-0007``.
        command: What the person typed.
        status: How it ended.
        reason_code: ``OK``, or why not.
        message: What a person would say, in the language of the command.
        planner_calls: How many plans were asked for: one, and one more for each re-plan.
        model_requests: How many requests were sent to a language model for them.
        replans: How many plans after the first were made.
        plan_version: The version in force at the end; 0 if there never was one.
        ticks: How many ticks it took.
        sim_seconds: Time on the mission's clock [s].
        wall_seconds: Time on the wall [s].
        skipped: ``{"name", "reason"}`` of what was not needed.
        failures: Every failure, first to last, as plain data: those that ended a plan, then those
            that were noted.
        undone: What was not done although the mission went on: ``{"what", "why", "code", "path",
            "node", "args"}``, the first two in the language of the command.
        journal: Where the record is, or None.
        nearest: Of a refusal: commands that would be understood.
        did_you_mean: Of a refusal: commands that are like the one that was typed; each would run.
        missing: Of a refusal: what it would need, by type, or the words that were not understood.
        question: Of a refusal: what to ask back; the answer, as the next command, completes it.
        problems: Of a plan that was not accepted: what was wrong with it.
        results: What the tree that was the plan returned (``returns``), by field; empty if it did
            not end well.
        record_problem: What the record lacks and where that is; empty when it is complete.
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

    @property
    def exit_code(self) -> int:
        """The process exit code that says this."""
        return EXIT_CODES[self.status]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, in this order; what is optional is left out if empty."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        return {key: data[key] for key in data if data[key] or key not in _OPTIONAL}

    def explain(self) -> str:
        """Return how it ended in a few lines: status, sentence, and where each failure was."""
        head = f"{self.status}: {self.reason_code}" if self.reason_code != "OK" else self.status
        lines = [f"{head}: {self.message}" if self.message else head]
        for data in self.failures:
            for failure in Failure.from_dict(dict(data)).chain():
                given = ", ".join(f"{name}={value!r}" for name, value in failure.args.items())
                lines.append(f"  {failure}" + (f" ({given})" if given else ""))
                lines += [f"    {line}" for line in _traceback(failure)]
        lines += [f"  {problem}" for problem in self.problems]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return how it ended on one line."""
        said = " | ".join(line.strip() for line in self.explain().splitlines())
        return f"<Outcome {said}>"

    @property
    def undone_in_words(self) -> tuple[tuple[str, str], ...]:
        """Incomplete parts and their reasons, in the operator's language."""
        return tuple((str(part.get("what", "")), str(part.get("why", ""))) for part in self.undone)

    @property
    def ok(self) -> bool:
        """Whether the mission was satisfied."""
        return self.status == "satisfied"


def _traceback(failure: Failure) -> list[str]:
    """Return the last lines of a crash's traceback: where it was raised, and what."""
    text = str(failure.evidence.get("traceback", ""))
    return text.rstrip().splitlines()[-3:]


UNMET = "condition not met"
"""Skip reason of a node whose condition of the command did not hold."""


def code_of_reason(reason: str) -> str:
    """Return the reason code of a skip reason: ``already open`` → ``ALREADY_OPEN``."""
    return "".join(c if c.isalnum() else "_" for c in reason).upper()
