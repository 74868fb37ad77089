"""Conditions in the reference interpreter: expressions, unknown verdicts and their failures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from bt_exec.events import Asked, Event
from bt_exec.failure import Failure, FailureKind
from bt_exec.skill import Verdict
from bt_exec.spec.condition_expression import Any_, Is, Not
from tests.bt_exec.nodes.stage import PATIENCE_S, REASONS, UNKNOWN, Script

__all__ = ["Question", "Surroundings"]


@dataclass
class Surroundings:
    """State shared by all nodes: time, listener, saved results, script and call log."""

    emit: Callable[[Event], None]
    script: Script
    now: float = 0.0
    tick: int = 0
    results: dict[str, Any] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Answer:
    """Current answer of one part of an expression.

    Attributes:
        verdict: The verdict.
        name: The condition that determined it; of several, the first one.
        holding: The conditions that made it hold.
        until: Time at which an unknown verdict becomes a failure [s].
        code: Code of that failure.
        facts: Further evidence of that failure.
    """

    verdict: Verdict
    name: str
    holding: tuple[str, ...] = ()
    until: float = math.inf
    code: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    given_up: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether the verdict is true."""
        return self.verdict.holds


class Question:
    """Expression at one node, from the time at which the node is entered."""

    def __init__(
        self, expression: Any, path: str, role: Any, around: Surroundings, *, told: bool = False
    ) -> None:
        self.expression, self.path, self.role = expression, path, role
        self.around, self.told = around, told
        self.said: Any = None
        self.doubted: dict[str, float] = {}

    def ask(self) -> Answer:
        """Evaluate once and emit changed verdicts."""
        doubted, self.doubted = self.doubted, {}
        answer = self.part(self.expression, doubted)
        verdict, around = answer.verdict, self.around
        if (verdict.holds, verdict.why) != self.said:
            self.said = (verdict.holds, verdict.why)
            text = str(self.expression)
            asked = Asked(around.now, around.tick, self.path, self.role, text, verdict, self.told)
            around.emit(asked)
        self.answer = replace(
            answer, given_up=verdict.holds is None and around.now >= answer.until - 1e-9
        )
        return self.answer

    def part(self, part: Any, doubted: dict[str, float]) -> Answer:
        """Evaluate one part. Evaluation ends when the result is determined."""
        if isinstance(part, Is):
            return self.leaf(part, doubted)
        if isinstance(part, Not):
            inner = self.part(part.of, doubted)
            if inner.holds is None:
                return inner
            turned = replace(inner.verdict, holds=not inner.holds)
            return replace(inner, verdict=turned, holding=())
        either = isinstance(part, Any_)
        answers = []
        for one in part.of:
            answer = self.part(one, doubted)
            if answer.holds is either:
                return answer
            answers.append(answer)
        unknown = [answer for answer in answers if answer.holds is None]
        if unknown:
            first = min(unknown, key=lambda answer: answer.until)
            ends = [answer.until for answer in unknown]
            return replace(first, until=max(ends) if either else min(ends))
        verdicts = [answer.verdict for answer in answers]
        together = Verdict(
            not either,
            "; ".join(verdict.why for verdict in verdicts if verdict.why),
            tuple(fact for verdict in verdicts for fact in verdict.evidence),
            max(verdict.age_s for verdict in verdicts),
        )
        holding = tuple(name for answer in answers for name in answer.holding)
        return Answer(together, answers[0].name, holding)

    def leaf(self, leaf: Is, doubted: dict[str, float]) -> Answer:
        """Evaluate one condition."""
        name = leaf.name
        self.around.log.append(f"{name}?")
        verdict = self.around.script.condition(name)
        if verdict == "crash":
            said = Verdict.unknown(f"{name} raised ValueError: broken")
            facts = (("traceback", "…"),)
            return Answer(said, name, (), -math.inf, "CONDITION_CRASHED", facts)
        if verdict.holds is not None:
            return Answer(verdict, name, (name,) if verdict.holds else ())
        since = self.doubted[name] = doubted.get(name, self.around.now)
        return Answer(verdict, name, (), since + PATIENCE_S[name], UNKNOWN[name])

    # -- failures ----------------------------------------------------------------------------

    def skip_reason(self) -> str:
        """Return the reason of the conditions that held, or the name of an unmet one."""
        reasons = [REASONS[name] for name in self.answer.holding if REASONS[name]]
        return ", ".join(dict.fromkeys(reasons)) or "condition not met"

    def doubt(self, kind: FailureKind) -> Failure:
        """Return the failure of a verdict that was unknown for too long."""
        said = self.answer.verdict.why or f"cannot determine whether {self.expression}"
        return self._failure(self.answer.code, said, kind, **dict(self.answer.facts))

    def broken(self, *, started: bool) -> Failure:
        """Return the failure of a guard."""
        why = self.answer.verdict.why
        said = f"{self.expression} {'no longer holds' if started else 'does not hold'}"
        said += f": {why}" if why else ""
        return replace(self._failure("GUARD_BROKEN", said, "guard", why=why), retryable=True)

    def missed(self, code: str | None) -> Failure:
        """Return the failure of repetitions after which the condition still does not hold."""
        why = self.answer.verdict.why
        said = why or f"{self.expression} does not hold"
        failure = self._failure(code or "NOT_REACHED", said, "check", why=why)
        return replace(failure, retryable=True)

    def failed(self, code: str | None) -> Failure:
        """Return the failure of a check."""
        said = self.answer.verdict.why or f"{self.expression} does not hold"
        return replace(self._failure(code or "CHECK_FAILED", said, "check"), retryable=True)

    def _failure(self, code: str, message: str, kind: FailureKind, **facts: Any) -> Failure:
        evidence = {
            "question": str(self.expression),
            "evidence": list(self.answer.verdict.evidence),
            **facts,
        }
        name = self.answer.name
        return Failure(code, message, self.path, kind, name, {}, evidence, retryable=False)
