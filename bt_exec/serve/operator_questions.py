"""Questions of a mission to its operators: may this plan run?"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bt_exec.spec.model import MissionSpec

__all__ = ["Question", "Questions"]

_STEP_S = 0.1
_BITS = 52  # exact in JavaScript; unique among services, so that an old page confirms nothing


@dataclass
class Question:
    """One question that waits for an answer.

    Attributes:
        number: Identifier, random.
        why: Why confirmation is needed, in the language of the command.
        spec: The plan.
        answer: The answer; None if there is none yet.
    """

    number: int
    why: str
    spec: MissionSpec
    answer: bool | None = None
    answered: threading.Event = field(default_factory=threading.Event, repr=False)


class Questions:
    """Confirmation on the page; implements `bt_exec.planning.confirmation.Confirm`.

    Args:
        limit_s: Time limit of an answer, after which the plan is rejected [s].
        changed: Called when a question is asked or answered.
    """

    def __init__(self, limit_s: float, changed: Callable[[], None]) -> None:
        self.limit_s = limit_s
        self.pending: Question | None = None
        self._changed = changed

    def __call__(self, spec: MissionSpec, why: str, over: threading.Event) -> bool:
        """Return whether the plan was confirmed in time."""
        question = self.pending = Question(secrets.randbits(_BITS), why, spec)
        until = time.monotonic() + self.limit_s
        self._changed()
        try:
            while not (question.answered.wait(_STEP_S) or over.is_set()):
                if time.monotonic() > until:
                    break
            return question.answer is True
        finally:
            self.pending = None
            self._changed()

    def answer(self, number: int, *, yes: bool) -> bool:
        """Answer the question of that number; return whether it was waiting for an answer."""
        question = self.pending
        if question is None or question.number != number or question.answered.is_set():
            return False
        question.answer = yes
        question.answered.set()
        return True
