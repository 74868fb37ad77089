"""Dialogue with a model for one planning request, recorded and limited in time."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeAlias, TypeVar

from bt_exec.failure import Problem
from bt_exec.planning.compiler import Request
from bt_exec_llm.client import Answer, Model, ModelFailure, Question, Turn, Usage

__all__ = ["Dialogue", "Rejected"]

_LONGEST_ECHO = 20_000
"""Maximum length of a rejected answer that is sent back to the model [characters]."""
_MARGIN = 0.9
"""Fraction of the caller's time limit within which the model must answer."""


T = TypeVar("T")
Problems: TypeAlias = Sequence[Problem]


class Rejected(Exception):  # noqa: N818 - is converted to a refusal
    """Raised when the last allowed answer has problems, too.

    Args:
        problems: Problems of that answer.
        unchanged: Whether the dialogue ended early, because the model repeated its answer.
    """

    def __init__(self, problems: Problems, *, unchanged: bool = False) -> None:
        super().__init__(", ".join(one.code for one in problems))
        self.problems = tuple(problems)
        self.unchanged = unchanged


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
        problems: Problems of the last answer.
    """

    def __init__(self, model: Model, question: Question, request: Request, compiler: str) -> None:
        self.calls = 0
        self.usage = Usage()
        self.problems: Problems = ()
        self._model = model
        self._question = question
        self._request = request
        self._compiler = compiler
        self._late = False

    def ask_until_accepted(
        self,
        rounds: int,
        read: Callable[[Answer], tuple[T | None, Problems]],
        objection: Callable[[Problems, Problems], str],
        if_cut_off: str,
    ) -> T:
        """Return the content of the first answer without problems; others are sent back.

        Args:
            rounds: Maximum number of answers.
            read: Function that parses and checks an answer, and returns its content or all its
                problems.
            objection: Function that returns text for the model, given the problems of an answer
                and the problems of the previous answer.
            if_cut_off: Request to the model after an answer that was cut off.

        Raises:
            Rejected: If no answer was accepted.
            ModelFailure: If there is no answer.
        """
        before: str | None = None
        with self._limit_time():
            for _ in range(rounds):
                known, found = self.problems, None
                try:
                    answer = self._ask()
                    said, (found, self.problems) = answer.text, read(answer)
                except ModelFailure as failure:
                    if failure.code != "MODEL_CUT_OFF":
                        raise
                    said = failure.text
                    message = f"the answer was cut off; {if_cut_off}"
                    self.problems = (Problem("CUT_OFF", message),)
                if found is not None and not self.problems:
                    return found
                if before is not None and said.split() == before.split():
                    raise Rejected(self.problems, unchanged=True)
                before = said
                self._add_objection(said, objection(self.problems, known))
        raise Rejected(self.problems)

    @contextmanager
    def _limit_time(self) -> Iterator[None]:
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

    def _ask(self) -> Answer:
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

    def _add_objection(self, said: str, objection: str) -> None:
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
