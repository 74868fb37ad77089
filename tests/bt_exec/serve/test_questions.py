"""A question waits for one answer, not for ever, and not when nobody wants it any more."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from bt_exec.serve.questions import Questions
from tests.bt_exec.serve.test_view import spec_of

SPEC = spec_of("", "{do: a}")


@pytest.mark.parametrize("yes", [True, False])
def test_the_first_answer_counts(yes: bool):
    changes: list[object] = []
    questions = Questions(30.0, lambda: changes.append(questions.pending))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(questions, SPEC, "why?", threading.Event())
        while questions.pending is None:
            continue
        question = questions.pending
        assert not questions.answer(question.number + 1, yes=not yes)
        assert questions.answer(question.number, yes=yes)
        assert not questions.answer(question.number, yes=not yes)
        assert asked.result(10) is yes
    assert changes == [question, None]
    assert not questions.answer(question.number, yes=True)


def test_nobody_answers():
    assert Questions(0.0, lambda: None)(SPEC, "why?", threading.Event()) is False


def test_the_answer_is_no_longer_wanted():
    over = threading.Event()
    over.set()
    assert Questions(30.0, lambda: None)(SPEC, "why?", over) is False
