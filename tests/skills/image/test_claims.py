"""What answers claim, in both languages."""

import pytest

from bt_exec_skills.image.rules.claims import claimed_numbers, claims_yes

NUMBERS = [
    ("There are 3.", {3}), ("three tomatoes", {3}), ("3개입니다", {3}), ("세 개입니다", {3}),
    ("모두 일곱 개 있습니다.", {7}), ("열두 명", {12}), ("사람이 두 명 있습니다", {2}),
    ("None.", {0}), ("No tomatoes.", {0}), ("하나도 없습니다.", {0}),
    ("3 of the 4 are red", {3, 4}),
    ("No, 3 is wrong", {3}), ("#2 is 40 px wide, 95 % sure, confidence 0.9", set()),
    ("The sky is blue.", set()), ("세상은 넓다", set()), ("네, 행복해 보입니다.", set()),
    ("", set()), ("1" * 400, set()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "numbers"), NUMBERS)
def test_numbers(text, numbers):
    assert claimed_numbers(text) == numbers


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Yes, two.", True), ("no", False), ("네, 있습니다", True), ("예.", True),
        ("아니요", False), ("Two.", None), ("", None), ("There is no doubt", None),
    ],
)  # fmt: skip
def test_yes_and_no(text, yes):
    assert claims_yes(text) is yes
