"""Test double of a language model, with scripted replies.

It has the interface of a model client. The classes of answers and failures are arguments, so that
this module does not depend on a client::

    from bt_exec_llm.client import Answer, ModelFailure

    model = ScriptedModel(["root: …", {"door": "open"}, ModelFailure("MODEL_OVERLOADED")],
                          Answer, ModelFailure)
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

__all__ = ["Asked", "ScriptedModel"]

A = TypeVar("A")


@dataclass(frozen=True)
class Asked:
    """A question as the scripted model received it."""

    system: Sequence[Any]
    messages: Sequence[Any]
    schema: Mapping[str, Any] | None
    plain: str | None
    structured: str | None = None
    tools: Sequence[Any] = ()


class ScriptedModel(Generic[A]):
    """Model that gives one reply per question and repeats the last one.

    Args:
        replies: Texts; mappings, which become the answer's ``data`` and, as JSON, its text;
            exceptions, which are raised; or functions, which take an `Asked` and return a reply of
            one of the other kinds.
        answer: Class of the answers, normally ``Answer``.
        failure: Class of the failure after a cancellation, normally ``ModelFailure``.
        seconds: Delay before every answer [s]; ends early if the question is cancelled.

    Attributes:
        asked: All questions so far.
    """

    def __init__(
        self,
        replies: Iterable[Any],
        answer: Callable[..., A],
        failure: Callable[[str, str], Exception],
        *,
        seconds: float = 0.0,
    ) -> None:
        self.asked: list[Asked] = []
        self._replies = list(replies)
        self._answer = answer
        self._failure = failure
        self._seconds = seconds
        self._lock = threading.Lock()
        if not self._replies:
            raise ValueError("a script holds at least one reply")

    def ask(
        self,
        system: Sequence[Any],
        messages: Sequence[Any],
        schema: Mapping[str, Any] | None = None,
        cancel: threading.Event | None = None,
        *,
        plain: str | None = None,
        structured: str | None = None,
        tools: Sequence[Any] = (),
    ) -> A:
        """Return the next answer, or raise the next failure."""
        question = Asked(tuple(system), tuple(messages), schema, plain, structured, tuple(tools))
        with self._lock:
            self.asked.append(question)
            reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        waiting = cancel or threading.Event()
        start = time.monotonic()
        if waiting.wait(self._seconds):
            raise self._failure("MODEL_CANCELLED", "asked to stop")
        while callable(reply) and not isinstance(reply, BaseException):
            reply = reply(question)
        if isinstance(reply, BaseException):
            raise reply
        seconds = time.monotonic() - start
        if isinstance(reply, Mapping):
            said = json.dumps(reply, ensure_ascii=False)
            tier = "schema" if schema is not None else "tool" if tools else "text"
            data = dict(reply) if schema is not None or tools else None
            return self._answer(text=said, data=data, tier=tier, seconds=seconds)
        return self._answer(text=str(reply), seconds=seconds)
