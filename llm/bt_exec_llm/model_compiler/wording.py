"""Refusal messages in the language of the command."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from bt_exec.failure import Problem, Refusal
from bt_exec.language.messages import messages_of
from bt_exec.language.sanitize import one_line
from bt_exec_llm.model_compiler.dialogue import Result

__all__ = ["SENTENCES", "reasons", "refusal_of"]

SENTENCES = Path(__file__).with_name("sentences.yaml")
_MOST_REASONS = 3
_LONGEST = 300


sentences = partial(messages_of, SENTENCES)
"""Return the sentences of this package."""


def refusal_of(
    result: Result, language: str, *, again: bool, nearest: tuple[str, ...] = ()
) -> Refusal:
    """Return the refusal of a dialogue without a plan, for the operator.

    Args:
        result: The dialogue.
        language: Language of the command.
        again: Whether it was a re-plan.
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
    told = "; ".join(reasons(result.problems, language))
    if result.unchanged:
        told += "; " + sentences().say("NO_PROGRESS", language)
    message = sentences().say(code, language, calls=result.calls, reasons=told)
    return Refusal(code, message, nearest, result.calls, problems, result.requests)


def reasons(problems: Iterable[Problem], language: str) -> tuple[str, ...]:
    """Return the first few reasons, each kind once."""
    told: dict[str, str] = {}
    for problem in problems:
        code = problem.code if problem.code in sentences() else "BAD_FORM"
        found = printable(problem.found or problem.code)[:60]
        told.setdefault(code, sentences().say(code, language, found=found))
    return tuple(told.values())[:_MOST_REASONS]


def printable(text: str) -> str:
    """Return untrusted text as one printable line."""
    return one_line(text, _LONGEST)
