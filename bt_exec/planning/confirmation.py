"""Confirmation of plans that cannot be compared with the command.

A language model may return a plan for a command that the offline compiler does not understand. The
plan can then not be compared with the command, which is recorded in
`bt_exec.planning.compiler.Plan.unconfirmed`. A site setting decides what happens:

=============  ===================================================================================
``confirm``    what happens
=============  ===================================================================================
``always``     every plan of a compiler is shown and needs confirmation
``unknown``    plans that cannot be compared with the command need confirmation (default)
``never``      every plan that passes verification runs
=============  ===================================================================================

Without an operator (no terminal, a service, a test), the mission is refused, and the refusal
explains how to allow such plans.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from bt_exec.failure import Refusal
from bt_exec.planning.compiler import Plan, Request
from bt_exec.spec.model import MissionSpec
from bt_exec.standby_threads import STANDBY

__all__ = ["Confirm", "ConfirmMode", "Confirmation"]

ConfirmMode: TypeAlias = Literal["always", "unknown", "never"]


class Confirm(Protocol):
    """Callback that asks the operator to confirm a plan."""

    def __call__(self, spec: MissionSpec, why: str, over: threading.Event) -> bool:
        """Return whether the plan may run.

        Args:
            spec: The plan, verified and expanded.
            why: Reason why confirmation is needed, as a sentence in the language of the command.
            over: Set when the question is withdrawn; the callback must then return soon.
        """


@dataclass(frozen=True)
class Confirmation:
    """A site's confirmation rule with the callback for the operator.

    Attributes:
        mode: The rule.
        ask: Asks the operator; None if there is no operator.
    """

    mode: ConfirmMode = "unknown"
    ask: Confirm | None = None

    def refusal(
        self, plan: Plan, spec: MissionSpec, request: Request, check_stop: Callable[[], None]
    ) -> Refusal | None:
        """Ask for confirmation if the rule requires it; return a refusal if the plan must not run.

        Args:
            plan: The plan of the compiler.
            spec: The same plan, expanded and verified.
            request: The request.
            check_stop: Called while waiting for the operator. It raises if the mission is aborted.
        """
        if self.mode == "never" or (self.mode == "unknown" and not plan.unconfirmed):
            return None
        say, language = request.messages.say, request.language
        why = plan.unconfirmed or say("CONFIRM_ALWAYS", language)
        if self.ask is None:
            return Refusal("NOT_CONFIRMED", say("NOBODY_TO_CONFIRM", language, why=why))
        if _ask_on_thread(self.ask, spec, why, check_stop):
            return None
        return Refusal("NOT_CONFIRMED", say("NOT_CONFIRMED", language))


def _ask_on_thread(
    ask: Confirm, spec: MissionSpec, why: str, check_stop: Callable[[], None]
) -> bool:
    """Ask on a separate thread, so that an abort takes effect before the operator answers."""
    answers: list[bool] = []
    ready, over = threading.Event(), threading.Event()

    def put_answer() -> None:
        try:
            answers.append(ask(spec, why, over))
        finally:
            ready.set()

    STANDBY.run(put_answer)
    try:
        while not ready.wait(0.05):
            check_stop()
        check_stop()
    finally:
        over.set()
    return answers == [True]
