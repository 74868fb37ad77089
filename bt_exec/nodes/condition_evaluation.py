"""Evaluation of condition expressions: combined verdicts, uncertainty limited by patience.

The rules are in `bt_exec.spec.model`. `begin` is called once when a node is entered, `verdict` in
each tick that evaluates the expression. Arguments are validated once per entry, unless they refer
to saved results, which may change.

A condition that takes only the ``world`` depends on observations alone, which arrive between ticks.
Within a tick, its verdict is shared by all nodes that evaluate it with the same arguments since the
same time. Robots and services may change with every step, so other conditions are evaluated each
time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, Literal, TypeAlias

from bt_exec.events import Asked
from bt_exec.failure import (
    Failure,
    FailureKind,
    PartBroken,
    describe_exception,
    plain_error,
    traceback_text,
)
from bt_exec.mission_outcome import UNMET
from bt_exec.nodes.runtime import Runtime
from bt_exec.skill import Condition, Verdict
from bt_exec.spec.condition_expression import All, Any_, Is, Not, named_conditions
from bt_exec.spec.expand import has_reference

__all__ = ["CRASHED", "ConditionEvaluation"]

CRASHED = "CONDITION_CRASHED"
_NO_VERDICT = Verdict(None)

Role: TypeAlias = Literal["check", "while", "skip_if", "until"]


@dataclass(slots=True)
class _Found:
    """Result of the evaluation of one part of an expression.

    Attributes:
        verdict: The verdict of the part.
        name: Name of the condition that determined the verdict; the first of several.
        held: Conditions that held and thereby made the part hold; empty if it does not hold.
        until: Time at which the patience for an unknown verdict ends [s]; infinite if it is known.
        code: Failure code if the verdict is still unknown at that time.
        crash: Traceback of a condition that raised, or an empty string.
    """

    verdict: Verdict
    name: str
    held: tuple[Is, ...] = ()
    until: float = math.inf
    code: str = ""
    crash: str = ""


@dataclass(slots=True, eq=False, weakref_slot=True)
class _Answer:
    """Verdict shared by several nodes in the same tick.

    Attributes:
        moment: Identifier of the tick.
        verdict: The verdict.
    """

    moment: int = 0
    verdict: Verdict = _NO_VERDICT


class _PreparedCondition:
    """One condition of an expression, and the prepared call that evaluates it.

    Attributes:
        leaf: The condition as written.
        text: The condition as text for display.
        condition: Its declaration in the pack.
        since: Time at which its node was entered [s].
        found: The last known verdict.
    """

    __slots__ = (
        "_answer",
        "_call",
        "condition",
        "found",
        "leaf",
        "part",
        "runtime",
        "since",
        "text",
    )
    condition: Condition
    found: _Found | None
    since: float

    def __init__(self, leaf: Is, runtime: Runtime) -> None:
        self.leaf = leaf
        self.text = str(leaf)
        self.part = f"condition {leaf.name}"
        self.runtime = runtime

    def begin(self, since: float) -> None:
        """Discard the prepared call and the last verdict, because the node is entered."""
        self.since = since
        self.found = None
        self._call: Callable[[], Any] | None = None
        self._answer: _Answer | None = None
        self.condition = self.runtime.catalogue.conditions[self.leaf.name]

    def verdict(self) -> Verdict:
        """Return the current verdict; exceptions of the condition are not caught."""
        runtime = self.runtime
        call = self._call or self._prepared()
        answer = self._answer
        if answer is not None and runtime.in_tick and answer.moment == runtime.moment:
            return answer.verdict
        present = runtime.watch.present
        present.begin(self.part)
        try:
            found = call()
        finally:
            present.end()
        verdict = _checked_verdict(found)
        if answer is not None:
            answer.moment, answer.verdict = runtime.moment, verdict
        return verdict

    def _prepared(self) -> Callable[[], Any]:
        """Return the call with its arguments; store it if the arguments cannot change."""
        condition, runtime, given = self.condition, self.runtime, self.leaf.args
        args = condition.validate(runtime.resolve_references(given))
        call = partial(
            condition.function, **runtime.injected_parameters(condition, self.since), **args
        )
        if not any(map(has_reference, given.values())):
            self._call = call
            if condition.injected == {"world"} and not condition.services:
                key = (condition.name, repr(args), self.since)
                self._answer = runtime.answers.setdefault(key, _Answer())
        return call


class ConditionEvaluation:
    """Evaluator of one condition expression of a node.

    Attributes:
        expression: The expression.
        text: The expression as text for display.
        since: Time at which the node was entered [s].
    """

    since: float
    _said: Verdict | None  # the last verdict passed to `report_verdict`
    _found: _Found
    _doubted: dict[str, float]  # time at which a condition became unknown [s], by its text

    def __init__(self, expression: Any, runtime: Runtime) -> None:
        self.expression = expression
        self.text = str(expression)
        self.runtime = runtime
        self._conditions = {
            id(leaf): _PreparedCondition(leaf, runtime) for leaf in named_conditions(expression)
        }
        # set if the expression is a single condition
        self._only = self._conditions.get(id(expression))

    def begin(self) -> None:
        """Start evaluating: only observations captured from now on are fresh."""
        self.since = self.runtime.now()
        self._said = None
        self._doubted = {}
        for prepared in self._conditions.values():
            prepared.begin(self.since)

    def verdict(self) -> Verdict:
        """Return the current verdict."""
        before = self._doubted
        if before:
            self._doubted = {}
        only = self._only
        found = (
            self._evaluate(self.expression, before)
            if only is None
            else self._evaluate_leaf(only, before)
        )
        self._found = found
        return found.verdict

    @property
    def name(self) -> str:
        """Name of the condition that determined the last verdict; the first of several."""
        return self._found.name

    @property
    def expired(self) -> bool:
        """Whether the verdict has been unknown for longer than the patience of its condition."""
        return self.runtime.now() >= self._found.until - 1e-9

    def skip_reason(self) -> str:
        """Return the reason to skip a node when this expression holds, such as "already open".

        The reason is `UNMET` if the conditions declare none.
        """
        reasons = []
        for leaf in self._found.held:
            condition = self.runtime.catalogue.conditions[leaf.name]
            args = self.runtime.resolve_references(leaf.args)
            if condition.skip_reason:
                reasons.append(condition.skip_reason.format(**condition.validate(args)))
        return ", ".join(dict.fromkeys(reasons)) or UNMET

    def report_verdict(
        self, verdict: Verdict, path: str, role: Role, *, to_operator: bool = False
    ) -> None:
        """Emit an `Asked` event for a verdict that differs from the last one."""
        if verdict is self._said:
            return
        before, self._said = self._said, verdict
        if before is not None and before.holds is verdict.holds and before.why == verdict.why:
            return
        runtime = self.runtime
        runtime.emit(
            Asked(runtime.now(), runtime.tick, path, role, self.text, verdict, to_operator)
        )

    def unmet_failure(
        self, verdict: Verdict, path: str, kind: FailureKind, code: str, message: str = ""
    ) -> Failure:
        """Return the failure of a condition that does not hold.

        Args:
            verdict: The verdict.
            path: Path of the node.
            kind: Role of the condition at the node.
            code: Code of the failure.
            message: The message; the reason for the verdict if empty.
        """
        evidence = {"question": self.text, "why": verdict.why, "evidence": list(verdict.evidence)}
        message = message or verdict.why or f"{self.text} does not hold"
        return Failure(code, message, path, kind, self.name, self.args, evidence)

    def uncertainty_failure(self, verdict: Verdict, path: str, kind: FailureKind) -> Failure:
        """Return the failure of a condition that stayed unknown for too long."""
        evidence: dict[str, Any] = {"question": self.text, "evidence": list(verdict.evidence)}
        if self._found.crash:
            evidence["traceback"] = self._found.crash
        message = verdict.why or f"cannot determine whether {self.text}"
        code = self._found.code
        return Failure(code, message, path, kind, self.name, self.args, evidence, retryable=False)

    @property
    def args(self) -> Mapping[str, Any]:
        """Arguments of the condition that determined the last verdict.

        Empty if several conditions have this name, or if the arguments refer to saved results.
        """
        given = [one.leaf.args for one in self._conditions.values() if one.leaf.name == self.name]
        known = len(given) == 1 and not any(map(has_reference, given[0].values()))
        return given[0] if known else {}

    def _evaluate(self, part: Any, before: dict[str, float]) -> _Found:
        if isinstance(part, Is):
            return self._evaluate_leaf(self._conditions[id(part)], before)
        if isinstance(part, Not):
            inner = self._evaluate(part.of, before)
            if inner.verdict.holds is None:
                return inner
            turned = replace(inner.verdict, holds=not inner.verdict.holds)
            return _Found(turned, inner.name)
        assert isinstance(part, All | Any_)
        decides = isinstance(part, Any_)  # deciding verdict: True for any, False for all
        found = []
        for inner_part in part.of:
            inner = self._evaluate(inner_part, before)
            if inner.verdict.holds is decides:
                return inner
            found.append(inner)
        doubts = [one for one in found if one.verdict.holds is None]
        if doubts:
            return _unknown_result(doubts, any_may_settle=decides)
        verdicts = [one.verdict for one in found]
        together = Verdict(
            not decides,
            "; ".join(one.why for one in verdicts if one.why),
            tuple(fact for one in verdicts for fact in one.evidence),
            max(one.age_s for one in verdicts),
        )
        return _Found(together, found[0].name, tuple(leaf for one in found for leaf in one.held))

    def _evaluate_leaf(self, prepared: _PreparedCondition, before: dict[str, float]) -> _Found:
        leaf = prepared.leaf
        try:
            verdict = prepared.verdict()
        except BaseException as error:
            if isinstance(plain_error(error), KeyboardInterrupt | PartBroken):
                raise  # raised by the operator or the watchdog, not by the condition
            said = Verdict.unknown(f"{leaf.name} raised {describe_exception(error)}")
            return _Found(said, leaf.name, (), -math.inf, CRASHED, traceback_text(error))
        if verdict.holds is not None:
            if prepared.found is None or prepared.found.verdict is not verdict:
                prepared.found = _Found(verdict, leaf.name, (leaf,))
            return prepared.found
        text, condition, now = prepared.text, prepared.condition, self.runtime.now()
        since = self._doubted[text] = before.get(text, now)
        return _Found(verdict, leaf.name, (), since + condition.patience_s, condition.unknown)


def _unknown_result(doubts: list[_Found], *, any_may_settle: bool) -> _Found:
    """Return the result of an ``all`` or ``any`` with unknown operands.

    The result names the operand whose patience ends first. ``all`` fails at that time; ``any``
    fails only when the patience of every operand has ended.
    """
    first = min(doubts, key=lambda one: one.until)
    if not any_may_settle:
        return first
    return replace(first, until=max(one.until for one in doubts))


def _checked_verdict(found: Any) -> Verdict:
    """Return a verdict after checking its fields; numpy booleans become Python ones."""
    if not isinstance(found, Verdict):
        raise TypeError(f"returned {type(found).__name__} instead of a Verdict")
    if not isinstance(found.why, str):
        raise TypeError(f"why must be a string; found {found.why!r}")
    if not isinstance(found.evidence, tuple):
        raise TypeError(f"evidence must be a tuple of strings; found {found.evidence!r}")
    if type(found.age_s) is not float and not isinstance(
        found.age_s, Real
    ):  # the exact type is compared first, because `isinstance` with Real is slow
        raise TypeError(f"age_s must be a number; found {found.age_s!r}")
    if found.holds is None or found.holds is True or found.holds is False:
        return found
    if type(found.holds).__name__ in ("bool", "bool_"):  # accept numpy's without importing numpy
        return replace(found, holds=bool(found.holds))
    raise TypeError(f"holds must be True, False or None; found {found.holds!r}")
