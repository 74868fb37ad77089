"""One turn of a model: ask, read and check; a violation is sent back once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from bt_exec.failure import Problem
from bt_exec.planning.compiler import Request
from bt_exec_llm.client import Answer, Model, ModelFailure, Question
from bt_exec_llm.dialogue import Dialogue
from bt_exec_llm.turns.conversation import Conversation
from bt_exec_llm.turns.prompt import objection

__all__ = ["Broken", "ask_twice"]

T = TypeVar("T")


class Broken(Exception):  # noqa: N818 - it is how a turn ends, with what was wrong in it
    """Raised when the second answer violates the format, too.

    Args:
        problems: Problems of the last answer.
    """

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(", ".join(one.code for one in problems))
        self.problems = problems


def ask_twice(
    model: Model,
    question: Question,
    request: Request,
    talk: Conversation,
    compiler: str,
    read: Callable[[Answer], tuple[T | None, list[Problem]]],
) -> T:
    """Return a well-formed answer; a malformed one is sent back once.

    Args:
        model: The model.
        question: The question.
        request: The request that it belongs to.
        talk: Conversation that the cost is added to.
        compiler: Name of the compiler, for the record.
        read: Parses and checks an answer; returns its content or all its problems.

    Raises:
        Broken: If the second answer is malformed, too.
        ModelFailure: If there is no answer.
    """
    dialogue = Dialogue(model, question, request, compiler)
    problems: list[Problem] = []
    try:
        with dialogue.in_time():
            for _ in range(2):
                try:
                    answer = dialogue.ask()
                    said, (found, problems) = answer.text, read(answer)
                except ModelFailure as failure:
                    if failure.code != "MODEL_CUT_OFF":
                        raise
                    found, said = None, failure.text
                    problems = [Problem("CUT_OFF", "the answer was cut off; write less")]
                if found is not None and not problems:
                    return found
                dialogue.object(said, objection(problems))
    finally:
        talk.calls += dialogue.calls
        talk.usage += dialogue.usage
    raise Broken(problems)
