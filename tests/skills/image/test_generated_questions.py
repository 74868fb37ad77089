"""Generated questions about drawn shapes are answered truly or refused."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bt_exec_skills.image.rules.question import UnanswerableQuestion
from bt_exec_skills.image.rules.question_plans import CannotTell
from tests.cases import examples
from tests.skills.image.asking import ask_all, bench_of
from tests.skills.image.generated_questions import Compared, draw_question, draw_shapes

ANY = settings(
    max_examples=examples(30),
    suppress_health_check=[HealthCheck.too_slow],
    deadline=None,
)


def is_true(value: Any, truth: Any) -> bool:
    """Return True if the value of an answer is the truth; a comparison may give both numbers."""
    if not isinstance(truth, Compared):
        return value == truth and isinstance(value, bool) == isinstance(truth, bool)
    if isinstance(value, dict):
        return (value["target"], value["other"]) == (truth.target, truth.other)
    return value in (truth.holds, truth.target - truth.other)


@pytest.mark.parametrize("language", ["en", "ko"])
@given(picture_seed=st.integers(0, 200), seed=st.integers(0, 2**20))
@ANY
def test_generated_question_is_answered_truly(language: str, picture_seed: int, seed: int) -> None:
    picture, shapes = draw_shapes(random.Random(picture_seed))
    asked = draw_question(shapes, language, random.Random(seed))
    try:
        values = ask_all(bench_of(picture), asked.text)
    except (UnanswerableQuestion, CannotTell):
        return
    if asked.truth is None:
        return  # such as "are all squares red?" without a square
    truths = asked.truth if isinstance(asked.truth, list) else [asked.truth]
    assert len(values) == len(truths), asked.text
    assert all(map(is_true, values, truths)), (asked, values)
