"""Test double of a language model, with scripted replies.

::

    model = ScriptedModel(["root: …", {"door": "open"}, ModelFailure("MODEL_OVERLOADED")])
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any

from bt_exec_llm.client import Answer, ModelFailure, Question, Tier

__all__ = ["ScriptedModel"]


class ScriptedModel:
    """Model that gives one reply per question and repeats the last one.

    Args:
        replies: Texts; mappings, which become the answer's ``data`` and, as JSON, its text;
            exceptions, which are raised; or functions, which take the `Question` and return a reply
            of one of the other kinds.
        seconds: Delay before every answer [s]; ends early if the question is cancelled.

    Attributes:
        asked: All questions so far.
    """

    def __init__(self, replies: Iterable[Any], *, seconds: float = 0.0) -> None:
        self.asked: list[Question] = []
        self._replies = list(replies)
        self._seconds = seconds
        self._lock = threading.Lock()
        if not self._replies:
            raise ValueError("a script needs at least one reply")

    def ask(self, question: Question, cancel: threading.Event | None = None) -> Answer:
        """Return the next answer, or raise the next failure."""
        with self._lock:
            self.asked.append(question)
            reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        waiting = cancel or threading.Event()
        start = time.monotonic()
        if waiting.wait(self._seconds):
            raise ModelFailure("MODEL_CANCELLED", "asked to stop")
        while callable(reply) and not isinstance(reply, BaseException):
            reply = reply(question)
        if isinstance(reply, BaseException):
            raise reply
        seconds = time.monotonic() - start
        if not isinstance(reply, Mapping):
            return Answer(str(reply), seconds=seconds)
        said = json.dumps(reply, ensure_ascii=False)
        tier: Tier = (
            "schema" if question.schema is not None else "tool" if question.tools else "text"
        )
        return Answer(said, None if tier == "text" else dict(reply), tier=tier, seconds=seconds)
