"""Questions that ask operators whether a plan may run."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bt_exec.spec.model import MissionSpec

__all__ = ["Question", "Questions"]

_STEP_S = 0.1
# below 2**53, so exact in JavaScript; random, so that a page of an earlier service run cannot
# confirm a new plan
_BITS = 52


@dataclass
class Question:
    """Question to the operators whether a plan may run.

    Attributes:
        number: Random identifier.
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
    """Questions that operators answer on the page; see `bt_exec.planning.confirmation.Confirm`.

    Args:
        limit_s: Time limit of an answer [s]; the plan is rejected after it.
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
        """Answer the question `number`; return False if that question is not open."""
        question = self.pending
        if question is None or question.number != number or question.answered.is_set():
            return False
        question.answer = yes
        question.answered.set()
        return True
