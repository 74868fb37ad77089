"""Questions: first answer, timeout and withdrawal."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from bt_exec.serve.plan_confirmation_questions import Questions
from tests.bt_exec.serve.test_page_rows import spec_of

SPEC = spec_of("", "{do: a}")


@pytest.mark.parametrize("yes", [True, False])
def test_first_answer_is_used(yes: bool):
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


def test_question_times_out_without_an_answer():
    assert Questions(0.0, lambda: None)(SPEC, "why?", threading.Event()) is False


def test_question_is_withdrawn_when_no_longer_needed():
    over = threading.Event()
    over.set()
    assert Questions(30.0, lambda: None)(SPEC, "why?", over) is False


def test_number_of_a_question_is_valid_for_one_service_only():
    """An answer to a question of an earlier service or of another site confirms nothing."""

    numbers = []
    for _ in range(3):
        questions = Questions(0.0, lambda: numbers.append(questions.pending))  # noqa: B023
        questions(SPEC, "why?", threading.Event())
    found = {one.number for one in numbers if one is not None}
    assert len(found) == 3
    assert max(found) < 2**53, "exact in JavaScript"
