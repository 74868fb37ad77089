"""The dialogue with a model: ask, check, send everything that is wrong back, at most N times."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from bt_exec.failure import Problem
from bt_exec.planning.compiler import Request
from bt_exec.planning.verified_plan import VerifiedPlan
from bt_exec_llm.client import Answer, Model, ModelFailure, Question, Turn, Usage
from bt_exec_llm.model_compiler.check import Judgement, assess
from bt_exec_llm.model_compiler.document import document_in
from bt_exec_llm.model_compiler.expected_effects import Meant
from bt_exec_llm.model_compiler.prompt import Prompt, problems_text

__all__ = ["Dialogue", "Result", "talk"]

_LONGEST_ECHO = 20_000
"""How much of a bad answer is shown to the model again [characters]."""
_MARGIN = 0.9
"""Share of the time that is waited for us in which the model must have answered."""


@dataclass(frozen=True)
class Result:
    """What came of a dialogue: a plan, a reason of the model, problems, or a failure.

    Attributes:
        plan: The plan, accepted and verified.
        cannot: Why the model makes no plan, if it said so.
        problems: What was wrong with the last answer.
        failure: Why there was no answer.
        calls: How many questions were asked.
        usage: What they cost.
        codes: The codes of all problems, round by round.
        unchanged: Whether it ended because the model repeated an answer that was turned down.
    """

    plan: VerifiedPlan | None = None
    cannot: str = ""
    problems: tuple[Problem, ...] = ()
    failure: ModelFailure | None = None
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    codes: tuple[tuple[str, ...], ...] = ()
    unchanged: bool = False

    @property
    def requests(self) -> int:
        """How many requests were sent; a model without a network is asked once a question."""
        return max(self.calls, self.usage.requests)


def talk(
    model: Model,
    prompt: Prompt,
    request: Request,
    meant: Meant | None,
    *,
    rounds: int,
    compiler: str,
) -> Result:
    """Ask until a plan is accepted, nothing more can be asked, or time is up."""
    dialogue = Dialogue(model, prompt, request, compiler)
    timer = None
    if request.limit_s is not None:
        timer = threading.Timer(request.limit_s * _MARGIN, dialogue.time_is_up)
        timer.daemon = True
        timer.start()
    try:
        return _rounds(dialogue, request, meant, rounds)
    finally:
        if timer is not None:
            timer.cancel()


def _rounds(dialogue: Dialogue, request: Request, meant: Meant | None, rounds: int) -> Result:
    codes: list[tuple[str, ...]] = []
    problems: tuple[Problem, ...] = ()
    before: str | None = None
    for _ in range(rounds):
        try:
            answer = dialogue.ask()
            found = _judged(answer, request, meant)
            said = answer.text
        except ModelFailure as failure:
            if failure.code != "MODEL_CUT_OFF":
                return Result(
                    problems=problems,
                    failure=failure,
                    calls=dialogue.calls,
                    usage=dialogue.usage,
                    codes=tuple(codes),
                )
            message = "the answer was cut off; write a shorter plan, with trees of the library"
            found = Judgement(problems=(Problem("CUT_OFF", message),))
            said = failure.text
        known, problems = problems, found.problems
        codes.append(tuple(dict.fromkeys(problem.code for problem in problems)))
        if found.plan is not None or found.cannot:
            return Result(
                found.plan,
                found.cannot if found.plan is None else "",
                calls=dialogue.calls,
                usage=dialogue.usage,
                codes=tuple(codes),
            )
        if before is not None and said.split() == before.split():
            return Result(
                problems=problems,
                calls=dialogue.calls,
                usage=dialogue.usage,
                codes=tuple(codes),
                unchanged=True,
            )
        before = said
        dialogue.object(said, problems, known)
    return Result(problems=problems, calls=dialogue.calls, usage=dialogue.usage, codes=tuple(codes))


def _judged(answer: Answer, request: Request, meant: Meant | None) -> Judgement:
    document = document_in(answer.text)
    if document.problems:
        return Judgement(problems=document.problems, notes=document.notes)
    return assess(document.data, request, meant, answer.model, document.notes)


class Dialogue:
    """What was said so far, and what it cost.

    Attributes:
        calls: Questions asked.
        usage: What they cost.
    """

    def __init__(self, model: Model, prompt: Prompt, request: Request, compiler: str) -> None:
        self.calls = 0
        self.usage = Usage()
        self._model = model
        self._prompt = prompt
        self._request = request
        self._compiler = compiler
        self._turns: list[Turn] = [prompt.first]
        self._late = False

    def ask(self) -> Answer:
        """Ask the next question; on record, whatever comes of it.

        Raises:
            ModelFailure: If there is no answer to use.
        """
        self.calls += 1
        turns = tuple(self._turns)
        prompt = self._prompt
        try:
            answer = self._model.ask(
                prompt.system,
                turns,
                prompt.schema,
                self._request.cancel,
                plain=prompt.plain,
                structured=prompt.structured,
            )
        except ModelFailure as failure:
            if self._late and failure.code == "MODEL_CANCELLED":
                failure = ModelFailure("MODEL_TIMEOUT", "there was no time left")
            self.usage += failure.usage
            self._note(
                turns, "", f"[{failure.code}] {failure.message}\n{failure.text}", failure.usage
            )
            raise failure from None
        self.usage += answer.usage
        self._note(turns, answer.model, answer.text, answer.usage)
        return answer

    def object(self, said: str, problems: Sequence[Problem], known: Sequence[Problem]) -> None:
        """Send an answer back with everything that is wrong with it; `known` was so before."""
        echo = said.strip()[:_LONGEST_ECHO] or "(nothing)"
        self._turns += [Turn.assistant(echo), Turn.user(problems_text(problems, known))]

    def time_is_up(self) -> None:
        """End the question under way: nobody waits longer."""
        self._late = True
        self._request.cancel.set()

    def _note(self, turns: tuple[Turn, ...], model: str, answer: str, usage: Usage) -> None:
        if self._request.record is None:
            return
        prompt = self._prompt
        asked = Question(
            prompt.system, turns, prompt.schema, prompt.plain, prompt.structured
        ).to_dict()
        text = json.dumps(asked, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        self._request.record(
            compiler=self._compiler,
            model=model,
            request=text,
            answer=answer,
            usage=usage.to_dict(),
        )
