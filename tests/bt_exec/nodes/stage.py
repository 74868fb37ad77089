"""Scripted skills and conditions of the comparison, and the robot that runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from bt_exec.failure import Failed
from bt_exec.pack import Catalogue, Pack
from bt_exec.skill import Condition, Running, Skill, Steps, Verdict, condition, skill

__all__ = [
    "CATALOGUE",
    "CODES",
    "CONDITIONS",
    "OWN_TIMEOUT_S",
    "PATIENCE_S",
    "REASONS",
    "SKILLS",
    "UNKNOWN",
    "Call",
    "Player",
    "Script",
]

SKILLS = ("a", "b", "s")
CONDITIONS = ("c", "d", "e")
CODES = ("STUCK", "SLIPPED", "HOPELESS")
OWN_TIMEOUT_S = {"a": 60.0, "b": 60.0, "s": 0.3}
PATIENCE_S = {"c": 0.1, "d": 0.25, "e": 0.0}
UNKNOWN = {"c": "DARK", "d": "FAR", "e": "UNCERTAIN"}
REASONS = {"c": "already so", "d": "already thus", "e": ""}


@dataclass(frozen=True)
class Call:
    """Behaviour of one skill call: run for some ticks, then end.

    Attributes:
        ticks: Number of yields before the end.
        end: ``done``, ``crash``, a code of `CODES`, or an undeclared code.
        value: Field of the result, and evidence of the failure.
        messy: Whether the clean-up raises.
        steady: Whether every step yields the same progress.
    """

    ticks: int = 0
    end: str = "done"
    value: int = 1
    messy: bool = False
    steady: bool = True

    def doing(self, step: int) -> str:
        """Return the progress text of a step."""
        return "working" if self.steady else f"step {step}"


Reply = Verdict | Literal["crash"]


@dataclass
class Script:
    """Behaviour of each call. The last entry is repeated.

    Attributes:
        calls: By skill.
        replies: By condition.
    """

    calls: Mapping[str, Sequence[Call]] = field(default_factory=dict)
    replies: Mapping[str, Sequence[Reply]] = field(default_factory=dict)
    _used: dict[str, int] = field(default_factory=dict)

    def fresh(self) -> Script:
        """Return the same script from its beginning."""
        return Script(self.calls, self.replies)

    def skill(self, name: str) -> Call:
        """Return the behaviour of this call of a skill."""
        return self._next(name, self.calls.get(name) or (Call(),))

    def condition(self, name: str) -> Reply:
        """Return the current answer of a condition."""
        return self._next(name, self.replies.get(name) or (Verdict.yes(),))

    def _next(self, name: str, entries: Sequence[Any]) -> Any:
        used = self._used[name] = self._used.get(name, -1) + 1
        return entries[min(used, len(entries) - 1)]


class Player:
    """Robot that follows a script and logs every call."""

    still = True

    def __init__(self, script: Script) -> None:
        self.script = script
        self.log: list[str] = []

    def stop(self) -> None:
        """Log the stop."""
        self.log.append("robot stop")


class Got(NamedTuple):
    """Result of every scripted skill."""

    value: int


def _skill(name: str) -> Skill:
    def steps(robot: Any, value: int = 0) -> Steps[Got]:
        """Run the skill as scripted."""
        call = robot.script.skill(name)
        robot.log.append(f"{name} {value} start")
        try:
            for step in range(call.ticks):
                yield Running(None, call.doing(step))
            if call.end == "crash":
                raise ValueError("broken")
            if call.end != "done":
                again = call.end != "HOPELESS"
                raise Failed(call.end, "as written", retryable=again, value=call.value)
        finally:
            robot.log.append(f"{name} closed")
            if call.messy:
                raise RuntimeError("messy")
        return Got(call.value)

    return skill(name=name, fails=set(CODES), timeout_s=OWN_TIMEOUT_S[name])(steps)


def _condition(name: str) -> Condition:
    def ask(robot: Any) -> Verdict:
        """Answer as scripted."""
        robot.log.append(f"{name}?")
        reply = robot.script.condition(name)
        if reply == "crash":
            raise ValueError("broken")
        return reply  # type: ignore[no-any-return]  # a Verdict; the script is read untyped

    declare = condition(
        name=name,
        patience_s=PATIENCE_S[name],
        unknown=UNKNOWN[name],
        skip_reason=REASONS[name],
    )
    return declare(ask)


PACK = Pack(
    "stage", skills=tuple(map(_skill, SKILLS)), conditions=tuple(map(_condition, CONDITIONS))
)
CATALOGUE = Catalogue([PACK])
