"""Dialogue with a model for one planning request, recorded and limited in time."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from bt_exec.planning.compiler import Request
from bt_exec_llm.client import Answer, Model, ModelFailure, Question, Turn, Usage

__all__ = ["Dialogue"]

_LONGEST_ECHO = 20_000
"""Maximum length of a rejected answer that is sent back to the model [characters]."""
_MARGIN = 0.9
"""Fraction of the caller's time limit within which the model must answer."""


class Dialogue:
    """Dialogue with a model, with its turns so far and their cost.

    Args:
        model: The model.
        question: The first question.
        request: Planning request, with its journal record, cancel event and time limit.
        compiler: Name of the compiler, for the record.

    Attributes:
        calls: Number of questions asked.
        usage: Cost of the questions.
    """

    def __init__(self, model: Model, question: Question, request: Request, compiler: str) -> None:
        self.calls = 0
        self.usage = Usage()
        self._model = model
        self._question = question
        self._request = request
        self._compiler = compiler
        self._late = False

    @contextmanager
    def limit_time(self) -> Iterator[None]:
        """Cancel the pending question when 90 % of the request's time limit has passed."""
        timer = None
        if self._request.limit_s is not None:
            timer = threading.Timer(self._request.limit_s * _MARGIN, self._time_is_up)
            timer.daemon = True
            timer.start()
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()

    def ask(self) -> Answer:
        """Ask the next question and record its result.

        Raises:
            ModelFailure: If there is no usable answer.
        """
        self.calls += 1
        try:
            answer = self._model.ask(self._question, self._request.cancel)
        except ModelFailure as failure:
            if self._late and failure.code == "MODEL_CANCELLED":
                failure = ModelFailure("MODEL_TIMEOUT", "there was no time left")
            self.usage += failure.usage
            self._note("", f"[{failure.code}] {failure.message}\n{failure.text}", failure.usage)
            raise failure from None
        self.usage += answer.usage
        self._note(answer.model, answer.text, answer.usage)
        return answer

    def add_objection(self, said: str, objection: str) -> None:
        """Append a rejected answer and the objection to it, so that the next question has them."""
        echo = said.strip()[:_LONGEST_ECHO] or "(nothing)"
        turns = (*self._question.messages, Turn.assistant(echo), Turn.user(objection))
        self._question = replace(self._question, messages=turns)

    def _time_is_up(self) -> None:
        self._late = True
        self._request.cancel.set()

    def _note(self, model: str, answer: str, usage: Usage) -> None:
        if self._request.record is None:
            return
        asked = self._question.to_dict()
        text = json.dumps(asked, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        self._request.record(
            compiler=self._compiler,
            model=model,
            request=text,
            answer=answer,
            usage=usage.to_dict(),
        )
