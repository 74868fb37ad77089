"""Planning dialogue with a model, in which problems of its answers are sent back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from bt_exec.failure import Problem, Refusal
from bt_exec.language.messages import load_messages
from bt_exec.language.sanitize import one_line
from bt_exec.planning.compiler import Request, VerifiedPlan
from bt_exec_llm.client import Answer, Model, ModelFailure, Question, Usage
from bt_exec_llm.model_compiler.answer_document_extraction import document_in
from bt_exec_llm.model_compiler.answer_to_plan import Judgement, check_answer
from bt_exec_llm.model_compiler.plan_effects import Meant
from bt_exec_llm.model_compiler.prompt import problems_text
from bt_exec_llm.model_dialogue import Dialogue, Rejected

__all__ = ["SENTENCES", "Result", "problem_sentences", "refusal_of", "run_dialogue"]


@dataclass(frozen=True)
class Result:
    """Result of a dialogue: a plan, the model's reason for declining, problems, or a failure.

    Attributes:
        plan: The accepted and verified plan; None without one.
        cannot: The model's reason for declining; empty if it did not decline.
        problems: Problems of the last answer.
        failure: Failure of the last request; None if there was an answer.
        calls: Number of questions asked.
        usage: Cost of the questions.
        unchanged: Whether the dialogue ended because the model repeated a rejected answer.
    """

    plan: VerifiedPlan | None = None
    cannot: str = ""
    problems: tuple[Problem, ...] = ()
    failure: ModelFailure | None = None
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    unchanged: bool = False

    @property
    def requests(self) -> int:
        """Number of HTTP requests, or of questions if that is larger, as with recorded answers."""
        return max(self.calls, self.usage.requests)


def run_dialogue(
    model: Model,
    question: Question,
    request: Request,
    meant: Meant | None,
    *,
    rounds: int,
    compiler: str,
) -> Result:
    """Ask the model until a plan is accepted, or until the rounds or the time are used up."""
    dialogue = Dialogue(model, question, request, compiler)

    def read(answer: Answer) -> tuple[Judgement | None, Sequence[Problem]]:
        found = _judge(answer, request, meant)
        return (found if found.plan is not None or found.cannot else None), found.problems

    shorter = "write a shorter plan, with trees of the library"
    try:
        found = dialogue.ask_until_accepted(rounds, read, problems_text, shorter)
        result = Result(found.plan, found.cannot if found.plan is None else "")
    except Rejected as rejected:
        result = Result(problems=rejected.problems, unchanged=rejected.unchanged)
    except ModelFailure as failure:
        result = Result(problems=tuple(dialogue.problems), failure=failure)
    return replace(result, calls=dialogue.calls, usage=dialogue.usage)


def _judge(answer: Answer, request: Request, meant: Meant | None) -> Judgement:
    document = document_in(answer.text)
    if document.problems:
        return Judgement(problems=document.problems)
    return check_answer(document.data, request, meant, answer.model, document.notes)


SENTENCES = Path(__file__).with_name("sentences.yaml")
_MOST_REASONS = 3
_LONGEST = 300


sentences = partial(load_messages, SENTENCES)
"""Function that returns the messages of this package."""


def refusal_of(
    result: Result, language: str, *, again: bool, nearest: tuple[str, ...] = ()
) -> Refusal:
    """Return the refusal for a dialogue that ended without a plan.

    Args:
        result: Result of the dialogue.
        language: Language of the command.
        again: Whether the request was for a re-plan after a failure.
        nearest: Suggested commands.
    """
    problems = tuple(map(str, result.problems))
    if result.cannot:
        reason = printable(result.cannot)
        message = sentences().say("MODEL_DECLINED", language, reason=reason.rstrip("."))
        return Refusal("MODEL_DECLINED", message, nearest, result.calls, (), result.requests)
    if result.failure is not None:
        message = printable(result.failure.say(language))
        calls, requests = result.calls, result.requests
        return Refusal(result.failure.code, message, nearest, calls, problems, requests)
    code = "REPAIR_REJECTED" if again else "PLAN_REJECTED"
    reasons = "; ".join(problem_sentences(result.problems, language))
    if result.unchanged:
        reasons += "; " + sentences().say("NO_PROGRESS", language)
    message = sentences().say(code, language, calls=result.calls, reasons=reasons)
    return Refusal(code, message, nearest, result.calls, problems, result.requests)


def problem_sentences(problems: Iterable[Problem], language: str) -> tuple[str, ...]:
    """Return a sentence for each of the first few problem codes."""
    sentence_by_code: dict[str, str] = {}
    for problem in problems:
        code = problem.code if problem.code in sentences() else "BAD_FORM"
        found = printable(problem.found or problem.code)[:60]
        sentence_by_code.setdefault(code, sentences().say(code, language, found=found))
    return tuple(sentence_by_code.values())[:_MOST_REASONS]


def printable(text: str) -> str:
    """Return untrusted text as one printable line."""
    return one_line(text, _LONGEST)
