"""Confirmation of plans that only their author can vouch for.

A compiler that asks a language model may get a plan for a command that nothing else understands. No
comparison can then tell whether the plan does what was asked. Such a plan carries a sentence that
says so (`bt_exec.planning.compiler.Plan.unconfirmed`); the site says what becomes of it:

=============  ===================================================================================
``confirm``    what happens
=============  ===================================================================================
``always``     every plan of a compiler is shown and asked about
``unknown``    plans that cannot be compared with the command are asked about (the default)
``never``      every plan that passes verification runs
=============  ===================================================================================

Without an operator to ask (no terminal, a service, a test), the mission is refused and the reason
says how to allow it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from bt_exec.failure import Refusal
from bt_exec.planning.compiler import Plan, Request
from bt_exec.spec.model import MissionSpec

__all__ = ["Confirm", "ConfirmMode", "Confirmation"]

ConfirmMode: TypeAlias = Literal["always", "unknown", "never"]


class Confirm(Protocol):
    """Confirmation of a plan by a person."""

    def __call__(self, spec: MissionSpec, why: str, over: threading.Event) -> bool:
        """Return whether the plan may run.

        Args:
            spec: The plan, verified and expanded.
            why: Why it is asked, a sentence in the language of the command.
            over: Set when the answer is no longer wanted; return soon then.
        """


@dataclass(frozen=True)
class Confirmation:
    """A site's setting, and how the operator is asked.

    Attributes:
        mode: The rule.
        ask: Asks the operator; None without one.
    """

    mode: ConfirmMode = "unknown"
    ask: Confirm | None = None

    def refusal(
        self, plan: Plan, spec: MissionSpec, request: Request, heed: Callable[[], None]
    ) -> Refusal | None:
        """Return why a verified plan does not run; None if it may.

        Args:
            plan: What the compiler gave.
            spec: The same, expanded and verified.
            request: What was asked for.
            heed: Raises when the mission is to end; called while a person thinks.
        """
        if self.mode == "never" or (self.mode == "unknown" and not plan.unconfirmed):
            return None
        say, language = request.messages.say, request.language
        why = plan.unconfirmed or say("CONFIRM_ALWAYS", language)
        if self.ask is None:
            return Refusal("NOT_CONFIRMED", say("NOBODY_TO_CONFIRM", language, why=why))
        if _asked(self.ask, spec, why, heed):
            return None
        return Refusal("NOT_CONFIRMED", say("NOT_CONFIRMED", language))


def _asked(ask: Confirm, spec: MissionSpec, why: str, heed: Callable[[], None]) -> bool:
    """Ask on an abandoned thread, so that an abort takes effect before an answer."""
    answers: list[bool] = []
    ready, over = threading.Event(), threading.Event()

    def put() -> None:
        try:
            answers.append(ask(spec, why, over))
        finally:
            ready.set()

    threading.Thread(target=put, name="confirmation", daemon=True).start()
    try:
        while not ready.wait(0.05):
            heed()
        heed()
    finally:
        over.set()
    return answers == [True]
