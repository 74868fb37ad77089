"""Asking a condition expression: verdicts combined, doubt bounded by patience.

``not``, ``all`` and ``any`` follow three-valued logic: unknown stays unknown unless another part
decides. Timing: `Ask.begin` once when a node is entered; `Ask.verdict` each tick that asks.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from bt_exec.events import Asked
from bt_exec.failure import Failure, FailureKind
from bt_exec.nodes.crash import in_words
from bt_exec.nodes.runtime import Runtime
from bt_exec.skill import Verdict
from bt_exec.spec.expression import All, Any_, Is, Not, leaves

__all__ = ["CRASHED", "Ask"]

CRASHED = "CONDITION_CRASHED"

Role: TypeAlias = Literal["check", "while", "skip_if"]


class Ask:
    """One expression at one node.

    Attributes:
        code: Why nobody could tell, once `expired` is true.
        crash: Traceback of a condition that raised, or an empty string.
    """

    def __init__(self, expression: Any, runtime: Runtime) -> None:
        self.expression = expression
        self.text = str(expression)
        self.runtime = runtime
        self.since = 0.0
        self.code = "UNCERTAIN"
        self.crash = ""
        self.said: tuple[bool | None, str] | None = None  # what listeners were told last
        self.name = next(leaves(expression)).name
        self._unknown_since: float | None = None
        self._patience_s = 0.0
        self._held: dict[str, bool] = {}  # the conditions that were asked last, by their text

    def begin(self) -> None:
        """Start asking: what was captured before now is not fresh."""
        self.since = self.runtime.now()
        self.crash = ""
        self.said = None
        self._unknown_since = None

    def verdict(self) -> Verdict:
        """Return the verdict of this moment."""
        self._held = {}
        found = self._ask(self.expression)
        if found.holds is not None:
            self._unknown_since = None
        elif self._unknown_since is None:
            self._unknown_since = self.runtime.now()
        return found

    @property
    def expired(self) -> bool:
        """Whether not knowing has lasted longer than the condition's patience."""
        if self.crash:
            return True
        if self._unknown_since is None:
            return False
        return self.runtime.now() - self._unknown_since >= self._patience_s - 1e-9

    def skip_reason(self) -> str:
        """Return why a node is not needed when this expression holds: "already open"."""
        reasons = []
        for leaf in self._holding(self.expression):
            condition = self.runtime.catalogue.conditions[leaf.name]
            args = self.runtime.resolve(leaf.args)
            if condition.skip_reason:
                reasons.append(condition.skip_reason.format(**condition.validate(args)))
        return ", ".join(dict.fromkeys(reasons)) or self.text

    def _holding(self, part: Any) -> Iterator[Is]:
        """Yield the conditions that held when they were last asked and so made `part` hold."""
        if isinstance(part, Is):
            if self._held.get(str(part)):
                yield part
        elif isinstance(part, All | Any_):
            for inner in part.of:
                yield from self._holding(inner)

    def tell(self, verdict: Verdict, path: str, role: Role, *, told: bool = False) -> None:
        """Tell listeners about a verdict, if it says something new."""
        said = (verdict.holds, verdict.why)
        if said == self.said:
            return
        self.said = said
        runtime = self.runtime
        runtime.emit(Asked(runtime.now(), runtime.tick, path, role, self.text, verdict, told))

    def doubt(self, verdict: Verdict, path: str, kind: FailureKind) -> Failure:
        """Return the failure of a question that nobody could answer in time."""
        evidence: dict[str, Any] = {"question": self.text, "evidence": list(verdict.evidence)}
        if self.crash:
            evidence["traceback"] = self.crash
        message = verdict.why or f"cannot tell whether {self.text}"
        return Failure(self.code, message, path, kind, self.name, {}, evidence, retryable=False)

    def _ask(self, part: Any) -> Verdict:
        if isinstance(part, Is):
            verdict = self._leaf(part)
            self._held[str(part)] = verdict.holds is True
            return verdict
        if isinstance(part, Not):
            inner = self._ask(part.of)
            turned = None if inner.holds is None else not inner.holds
            return Verdict(turned, inner.why, inner.evidence, inner.age_s)
        assert isinstance(part, All | Any_)
        decides = isinstance(part, Any_)  # the verdict that settles it
        found = []
        for inner_part in part.of:
            inner = self._ask(inner_part)
            if inner.holds is decides:
                return inner
            found.append(inner)
        doubt = next((one for one in found if one.holds is None), None)
        if doubt is not None:
            return doubt
        return Verdict(
            not decides,
            " and ".join(one.why for one in found if one.why),
            tuple(fact for one in found for fact in one.evidence),
            max(one.age_s for one in found),
        )

    def _leaf(self, leaf: Is) -> Verdict:
        condition = self.runtime.catalogue.conditions[leaf.name]
        try:
            args = condition.validate(self.runtime.resolve(leaf.args))
            verdict = _checked(condition(**self.runtime.injected(condition, self.since), **args))
        except KeyboardInterrupt:
            raise  # the operator's, not the condition's
        except BaseException as error:  # noqa: BLE001 - somebody's code; it must not end us
            self.crash = traceback.format_exc()
            self.code = CRASHED
            return Verdict.unknown(f"{leaf.name} raised {in_words(error)}")
        if verdict.holds is None:
            self.code, self._patience_s = condition.unknown, condition.patience_s
        return verdict


def _checked(found: Any) -> Verdict:
    """Return a verdict that is what it should be; a truth of numpy becomes one of Python."""
    if not isinstance(found, Verdict):
        raise TypeError(f"returned {type(found).__name__} instead of a Verdict")
    if not isinstance(found.why, str):
        raise TypeError(f"why is a text; found {found.why!r}")
    if not isinstance(found.evidence, tuple):
        raise TypeError(f"evidence is a tuple of texts; found {found.evidence!r}")
    if found.holds is None or found.holds is True or found.holds is False:
        return found
    if type(found.holds).__name__ in ("bool", "bool_"):  # numpy's, without importing it
        return replace(found, holds=bool(found.holds))
    raise TypeError(f"a verdict holds, or not, or is None; found {found.holds!r}")
