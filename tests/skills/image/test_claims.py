"""Claims of answers, in both languages."""

import pytest

from bt_exec_skills.image.rules.answer_claims import find_amounts, parse_yes_or_no

NUMBERS = [
    ("There are 3.", {3}), ("three tomatoes", {3}), ("3개입니다", {3}), ("세 개입니다", {3}),
    ("모두 일곱 개 있습니다.", {7}), ("열두 명", {12}), ("사람이 두 명 있습니다", {2}),
    ("None.", {0}), ("No tomatoes.", {0}), ("하나도 없습니다.", {0}),
    ("3 of the 4 are red", {3, 4}),
    ("No, 3 is wrong", {3}), ("#2 is 40 px wide, 95 % sure, confidence 0.9", set()),
    ("The sky is blue.", set()), ("세상은 넓다", set()), ("네, 행복해 보입니다.", set()),
    ("", set()), ("1" * 400, set()),
    ("1,200 boxes", {1200}), ("1,200개", {1200}), ("2,3 or 4", {2, 3, 4}),
    ("thirteen cups", {13}), ("twenty-one cups", {21}), ("Forty of the fifty", {40, 50}),
    ("열세 개", {13}), ("열 세 개", {13}), ("스무 개", {20}), ("스물두 명", {22}),
    ("십이 개", {12}), ("이십 명", {20}), ("모두 셋입니다.", {3}), ("둘, 셋입니다", {3}),
    ("No one is there.", {0}), ("This one is red.", set()), ("이 개는 크다", set()),
    ("한 개도 없습니다", {0}), ("한 명도 보이지 않습니다", {0}), ("쉰 목소리", set()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "numbers"), NUMBERS)
def test_numbers_in_a_claim_are_found(text, numbers):
    assert find_amounts(text) == numbers


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Yes, two.", True), ("no", False), ("네, 있습니다", True), ("예.", True),
        ("아니요", False), ("Two.", None), ("", None), ("There is no doubt", None),
        ("네 개입니다", None), ("네모가 있어요", None), ("예쁜 사람입니다", None), ("예 3개", True),
        ("네 행복해 보입니다", True), ("Yesterday", None), ("Nothing", None), ("네", True),
    ],
)  # fmt: skip
def test_yes_or_no_in_a_claim_is_parsed(text, yes):
    assert parse_yes_or_no(text) is yes
