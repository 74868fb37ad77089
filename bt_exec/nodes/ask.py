"""Asking a condition expression: verdicts combined, doubt bounded by patience.

``not``, ``all`` and ``any`` follow three-valued logic: unknown stays unknown unless another part
decides. Timing: `Ask.begin` once when a node is entered; `Ask.verdict` each tick that asks.
"""

from __future__ import annotations

import traceback
from typing import Any

from bt_exec.nodes.runtime import Runtime
from bt_exec.skill import Verdict
from bt_exec.spec.expression import All, Any_, Is, Not, leaves

__all__ = ["CRASHED", "Ask"]

CRASHED = "CONDITION_CRASHED"


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

    def begin(self) -> None:
        """Start asking: what was captured before now is not fresh."""
        self.since = self.runtime.now()
        self.crash = ""
        self.said = None
        self._unknown_since = None

    def verdict(self) -> Verdict:
        """Return the verdict of this moment."""
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
        for leaf in leaves(self.expression):
            condition = self.runtime.catalogue.conditions[leaf.name]
            args = self.runtime.resolve(leaf.args)
            if condition.skip_reason:
                reasons.append(condition.skip_reason.format(**condition.validate(args)))
        return ", ".join(dict.fromkeys(reasons)) or self.text

    def _ask(self, part: Any) -> Verdict:
        if isinstance(part, Is):
            return self._leaf(part)
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
        robot, world = self.runtime.surroundings(leaf.name, self.since)
        try:
            args = condition.validate(self.runtime.resolve(leaf.args))
            verdict = condition(**condition.inject(robot, world), **args)
        except Exception as error:  # noqa: BLE001 - a condition is somebody's code; it must not end us
            self.crash = traceback.format_exc()
            self.code = CRASHED
            return Verdict.unknown(f"{leaf.name} raised {type(error).__name__}: {error}")
        if verdict.holds is None:
            self.code, self._patience_s = condition.unknown, condition.patience_s
        return verdict
