"""Questions that refer to earlier ones: pronouns, fragments, corrections."""

from __future__ import annotations

import pytest

from bt_exec_skills.image.rules.question import Unread
from bt_exec_skills.image.rules.read import read_question

SAME = [
    ("How many red circles are there?", "And the blue ones?", "How many blue circles are there?"),
    ("How many red circles are there?", "What about the squares?", "How many squares are there?"),
    ("How many red circles are there?", "No, the big ones.", "How many big red circles are there?"),
    ("Where is the cup?", "What colour is it?", "What colour is the cup?"),
    ("Is there a tomato?", "And where?", "Where is the tomato?"),
    ("How many apples are there?", "How many of them are red?", "How many red apples are there?"),
    ("How many circles are there?", "And how many are red?", "How many red circles are there?"),
    ("How many circles are there?", "Only the red ones.", "How many red circles are there?"),
    ("Is there anything red?", "What about green?", "Is there anything green?"),
    ("빨간색 도형 있어?", "초록색은?", "초록색 도형 있어?"),
    ("How many circles are there?", "Except the red ones.", "How many circles are not red?"),
    (
        "How far apart are the red cup and the blue cup?",
        "Which is bigger?",
        "Which is bigger, the red cup or the blue cup?",
    ),
    (
        "How many circles are there?",
        "Which of those is the biggest?",
        "Which of the circles is the biggest?",
    ),
    ("빨간 원은 몇 개야?", "파란 건?", "파란 원은 몇 개야?"),
    ("컵과 병은 같은 색이야?", "어느 게 더 커?", "컵과 병 중에 어느 게 더 커?"),
    ("사과 몇 개야?", "그럼 토마토는?", "토마토 몇 개야?"),
    ("원이 몇 개야?", "초록색만", "초록색 원이 몇 개야?"),
    ("컵 어디 있어?", "무슨 색이야?", "컵은 무슨 색이야?"),
    ("빨간 세모 어디 있어?", "아니 파란 거 말이야", "파란 세모 어디 있어?"),
    ("사과가 몇 개야?", "그중에 빨간 건 몇 개야?", "빨간 사과가 몇 개야?"),
]


@pytest.mark.parametrize(("before", "text", "full"), SAME)
def test_reference_is_resolved(before, text, full):
    assert read_question(text, [before]) == read_question(full)


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("Is the red cup bigger than the blue one?", "Is the red cup bigger than the blue cup?"),
        ("빨간 원이 파란 거보다 커?", "빨간 원이 파란 원보다 커?"),
    ],
)  # fmt: skip
def test_one_refers_to_the_noun_of_the_previous_phrase(text, full):
    assert read_question(text) == read_question(full)


@pytest.mark.parametrize(
    ("before", "text", "full"),
    [
        (
            ["How many circles are there?", "And squares?"],
            "Which are there more of?",
            "Are there more squares than circles?",
        ),
        (["원은 몇 개야?", "네모는?"], "둘 중에 뭐가 더 많아?", "네모가 원보다 많아?"),
    ],
)
def test_comparison_refers_to_two_questions(before, text, full):
    assert read_question(text, before) == read_question(full)


@pytest.mark.parametrize("text", ["Which are there more of?", "둘 중에 뭐가 더 많아?"])
def test_comparison_after_one_question_is_refused(text):
    with pytest.raises(Unread, match="QUESTION_UNCLEAR"):
        read_question(text, ["How many circles are there?"])


@pytest.mark.parametrize(
    "text",
    [
        "And the blue ones?",
        "What colour is it?",
        "파란 건?",
        "무슨 색이야?",
        "And where?",
        "Which is bigger?",
        "어느 게 더 커?",
    ],
)
def test_reference_without_antecedent_is_refused(text):
    with pytest.raises(Unread, match="QUESTION_UNCLEAR"):
        read_question(text)
