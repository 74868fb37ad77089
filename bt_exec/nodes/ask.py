"""Asking a condition expression: verdicts combined, doubt bounded by patience.

The rules are in `bt_exec.spec.model`. Timing: `Ask.begin` once when a node is entered;
`Ask.verdict` each tick that asks.
"""

from __future__ import annotations

import math
import traceback
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, TypeAlias

from bt_exec.events import Asked
from bt_exec.failure import Failure, FailureKind, PartBroken, in_words
from bt_exec.nodes.runtime import Runtime
from bt_exec.skill import Verdict
from bt_exec.spec.expression import All, Any_, Is, Not

__all__ = ["CRASHED", "Ask"]

CRASHED = "CONDITION_CRASHED"

Role: TypeAlias = Literal["check", "while", "skip_if"]


@dataclass(frozen=True, slots=True)
class _Found:
    """What asking one part of an expression found.

    Attributes:
        verdict: The verdict of the part.
        name: The condition whose verdict it is; the first of several.
        held: The conditions that made it hold, where it holds.
        until: When doubt has lasted too long [s]; endless where it is known.
        code: What the doubt fails with then.
        crash: Traceback of a condition that raised, or an empty string.
    """

    verdict: Verdict
    name: str
    held: tuple[Is, ...] = ()
    until: float = math.inf
    code: str = ""
    crash: str = ""


class Ask:
    """One expression at one node.

    Attributes:
        expression: What is asked.
        text: The same as people say it.
        since: When this node began to ask [s].
    """

    since: float
    _said: tuple[bool | None, str] | None  # what listeners were told last
    _found: _Found
    _doubted: dict[str, float]  # since when a condition is unknown [s], by its text

    def __init__(self, expression: Any, runtime: Runtime) -> None:
        self.expression = expression
        self.text = str(expression)
        self.runtime = runtime

    def begin(self) -> None:
        """Start asking: what was captured before now is not fresh."""
        self.since = self.runtime.now()
        self._said = None
        self._doubted = {}

    def verdict(self) -> Verdict:
        """Return the verdict of this moment."""
        before, self._doubted = self._doubted, {}
        self._found = self._ask(self.expression, before)
        return self._found.verdict

    @property
    def name(self) -> str:
        """The condition that the last verdict is of; the first of several."""
        return self._found.name

    @property
    def expired(self) -> bool:
        """Whether not knowing has lasted too long when it was asked last."""
        return self.runtime.now() >= self._found.until - 1e-9

    def skip_reason(self) -> str:
        """Return why a node is not needed when this expression holds: "already open"."""
        reasons = []
        for leaf in self._found.held:
            condition = self.runtime.catalogue.conditions[leaf.name]
            args = self.runtime.resolve(leaf.args)
            if condition.skip_reason:
                reasons.append(condition.skip_reason.format(**condition.validate(args)))
        return ", ".join(dict.fromkeys(reasons)) or self.text

    def tell(self, verdict: Verdict, path: str, role: Role, *, told: bool = False) -> None:
        """Tell listeners about a verdict, if it says something new."""
        said = (verdict.holds, verdict.why)
        if said == self._said:
            return
        self._said = said
        runtime = self.runtime
        runtime.emit(Asked(runtime.now(), runtime.tick, path, role, self.text, verdict, told))

    def doubt(self, verdict: Verdict, path: str, kind: FailureKind) -> Failure:
        """Return the failure of a question that nobody could answer in time."""
        evidence: dict[str, Any] = {"question": self.text, "evidence": list(verdict.evidence)}
        if self._found.crash:
            evidence["traceback"] = self._found.crash
        message = verdict.why or f"cannot tell whether {self.text}"
        code = self._found.code
        return Failure(code, message, path, kind, self.name, {}, evidence, retryable=False)

    def _ask(self, part: Any, before: dict[str, float]) -> _Found:
        if isinstance(part, Is):
            return self._leaf(part, before)
        if isinstance(part, Not):
            inner = self._ask(part.of, before)
            if inner.verdict.holds is None:
                return inner
            turned = replace(inner.verdict, holds=not inner.verdict.holds)
            return _Found(turned, inner.name)
        assert isinstance(part, All | Any_)
        decides = isinstance(part, Any_)  # the verdict that settles it
        found = []
        for inner_part in part.of:
            inner = self._ask(inner_part, before)
            if inner.verdict.holds is decides:
                return inner
            found.append(inner)
        doubts = [one for one in found if one.verdict.holds is None]
        if doubts:
            return _doubtful(doubts, any_may_settle=decides)
        verdicts = [one.verdict for one in found]
        together = Verdict(
            not decides,
            " and ".join(one.why for one in verdicts if one.why),
            tuple(fact for one in verdicts for fact in one.evidence),
            max(one.age_s for one in verdicts),
        )
        return _Found(together, found[0].name, tuple(leaf for one in found for leaf in one.held))

    def _leaf(self, leaf: Is, before: dict[str, float]) -> _Found:
        condition = self.runtime.catalogue.conditions[leaf.name]
        try:
            args = condition.validate(self.runtime.resolve(leaf.args))
            given = {**self.runtime.injected(condition, self.since), **args}
            part = f"condition {leaf.name}"
            verdict = _checked(self.runtime.watch.call(part, condition, **given))
        except (KeyboardInterrupt, PartBroken):
            raise  # the operator's, or the watchdog's; not the condition's
        except BaseException as error:  # noqa: BLE001 - somebody's code; it must not end us
            said = Verdict.unknown(f"{leaf.name} raised {in_words(error)}")
            return _Found(said, leaf.name, (), -math.inf, CRASHED, traceback.format_exc())
        if verdict.holds is not None:
            return _Found(verdict, leaf.name, (leaf,))
        text, now = str(leaf), self.runtime.now()
        since = self._doubted[text] = before.get(text, now)
        return _Found(verdict, leaf.name, (), since + condition.patience_s, condition.unknown)


def _doubtful(doubts: list[_Found], *, any_may_settle: bool) -> _Found:
    """Return the doubt of ``all`` or ``any``: what runs out of patience first is what is told.

    ``all`` is given up with it; ``any`` while none of the others can be waited for either.
    """
    first = min(doubts, key=lambda one: one.until)
    if not any_may_settle:
        return first
    return replace(first, until=max(one.until for one in doubts))


def _checked(found: Any) -> Verdict:
    """Return a verdict that is what it should be; a truth of numpy becomes one of Python."""
    if not isinstance(found, Verdict):
        raise TypeError(f"returned {type(found).__name__} instead of a Verdict")
    if not isinstance(found.why, str):
        raise TypeError(f"why is a text; found {found.why!r}")
    if not isinstance(found.evidence, tuple):
        raise TypeError(f"evidence is a tuple of texts; found {found.evidence!r}")
    if not isinstance(found.age_s, Real):
        raise TypeError(f"age_s is a number; found {found.age_s!r}")
    if found.holds is None or found.holds is True or found.holds is False:
        return found
    if type(found.holds).__name__ in ("bool", "bool_"):  # numpy's, without importing it
        return replace(found, holds=bool(found.holds))
    raise TypeError(f"a verdict holds, or not, or is None; found {found.holds!r}")
