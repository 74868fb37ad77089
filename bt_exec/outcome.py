"""What a mission tells: turn by turn through its pack, and once at the end.

The executive's outcome knows no domain. A pack may add a turn reporter, which makes its own report
from a `MissionView` before every action and at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Protocol, TypeAlias

from bt_exec.failure import Failure
from bt_exec.skill import Verdict
from bt_exec.spec.model import MissionSpec

__all__ = [
    "EXIT_CODES",
    "Action",
    "MissionStatus",
    "MissionView",
    "Outcome",
    "Skip",
    "TurnReporter",
    "code_of_reason",
]

MissionStatus: TypeAlias = Literal["satisfied", "blocked", "failed", "refused", "aborted"]

EXIT_CODES: Mapping[str, int] = {
    "satisfied": 0,
    "blocked": 3,
    "failed": 4,
    "refused": 5,
    "aborted": 130,
}


@dataclass(frozen=True, slots=True)
class Action:
    """A skill with its arguments: what is done, remains, or was skipped."""

    name: str
    args: Mapping[str, Any]
    path: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"name": …, "args": {…}}``."""
        return {"name": self.name, "args": dict(self.args)}


@dataclass(frozen=True, slots=True)
class Skip:
    """An action that was not needed, and why."""

    name: str
    reason: str
    path: str = ""


@dataclass(frozen=True)
class MissionView:
    """What a turn reporter may look at.

    Attributes:
        command: What the person typed.
        language: ``en`` or ``ko``.
        spec: The plan in force, expanded.
        scene: The newest scene of the pack, or None.
        next_action: The skill about to start, or None at the end or while looking.
        remaining: What is left to do, in order, the next action first; what was skipped or kept
            is not in it.
        done: What was done, in order.
        skipped: What was skipped, in order.
        verdicts: The last verdict of every question, by its text.
        status: How the mission stands.
        reason_code: ``OK`` while it goes on; the outcome's code at the end.
        message: One sentence on how it stands.
        failure: What ended it, if a failure did.
        settings: The pack's settings of the site.
    """

    command: str
    language: str
    spec: MissionSpec
    observation: Any
    next_action: Action | None
    remaining: tuple[Action, ...]
    done: tuple[Action, ...]
    skipped: tuple[Skip, ...]
    verdicts: Mapping[str, Verdict]
    status: Literal["in_progress", "satisfied", "blocked", "failed", "refused", "aborted"]
    reason_code: str
    message: str
    failure: Failure | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


class TurnReporter(Protocol):
    """Makes a pack's turn reports for one mission."""

    def report(self, view: MissionView) -> dict[str, Any] | None:
        """Return the report of this turn, or None to stay silent."""


@dataclass(frozen=True)
class Outcome:
    """How a mission ended: the object that ``--json`` prints.

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
        failures: Every failure, first to last, as plain data.
        journal: Where the record is, or None.
        nearest: Of a refusal: commands that would be understood.
        problems: Of a plan that was not accepted: what was wrong with it.
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
    journal: str | None = None
    nearest: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """The process exit code that says this."""
        return EXIT_CODES[self.status]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, in this order; empty refusal fields are left out."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        return {key: data[key] for key in data if data[key] or key not in ("nearest", "problems")}


def code_of_reason(reason: str) -> str:
    """Return the reason code of a skip reason: ``already open`` → ``ALREADY_OPEN``."""
    return "".join(c if c.isalnum() else "_" for c in reason).upper()
