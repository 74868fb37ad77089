"""Texts with several questions, conditions on answers, and questions about two pictures.

The first picture shows three red discs in a row, a blue disc and two squares, a blue and a green
one. In the second picture, a red disc is missing and a yellow square is new.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace

import cv2
import numpy as np
import pytest

from bt_exec_skills.image.rules.question import Question, UnanswerableQuestion
from bt_exec_skills.image.rules.question_plans import CannotTell, build_plan_of_all
from bt_exec_skills.image.rules.question_reader import read_questions
from bt_exec_skills.image.workbench import Bench
from tests.skills.image.asking import ask_all

pytestmark = pytest.mark.sampled

RED, BLUE, GREEN, YELLOW = (200, 30, 30), (30, 60, 200), (40, 150, 60), (240, 200, 20)
DISCS = [(53, 53, 23, RED), (127, 53, 20, RED), (200, 53, 13, RED), (267, 173, 30, BLUE)]
SQUARES = [(80, 173, 27, BLUE), (173, 173, 20, GREEN)]


def draw(file, discs, squares):
    pixels = np.full((240, 320, 3), 235, np.uint8)
    for x, y, radius, colour in discs:
        cv2.circle(pixels, (x, y), radius, colour, -1, cv2.LINE_AA)
    for x, y, half, colour in squares:
        cv2.rectangle(pixels, (x - half, y - half), (x + half, y + half), colour, -1)
    cv2.imwrite(str(file), pixels[..., ::-1])
    return file


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    first = draw(folder / "first.png", DISCS, SQUARES)
    changed = [DISCS[0], *DISCS[2:]], [*SQUARES, (280, 60, 15, YELLOW)]
    return Bench(first, second_file=draw(folder / "second.png", *changed))


ANSWERS = [
    ("How many circles are there and what colour is the biggest one?", [4, ["blue"]]),
    ("원은 몇 개고 제일 큰 건 무슨 색이야?", [4, ["blue"]]),
    ("First count the circles, then the squares, then tell me which are more.",
     [4, 2, {"target": 2, "other": 4}]),
    ("If there are more circles than squares, count the red ones.", [{"target": 4, "other": 2}, 3]),
    ("If there are fewer circles than squares, count the red ones; otherwise the squares' colour.",
     [{"target": 4, "other": 2}, ["blue", "green"]]),
    ("If there is a triangle, where is it; otherwise how many squares are there?", [False, 2]),
    ("네모가 세 개 이상이면 색을 말하고 아니면 원이 몇 개인지 알려 줘", [False, 4]),
    ("Unless all circles are red, tell me how many squares there are.", [False, 2]),
    ("Unless there is a circle, tell me how many squares there are.", [True]),
    ("If there is no triangle, say so.", [True]),
    ("How many circles are in the second picture?", [3]),
    ("두 번째 사진에 네모가 몇 개 있어?", [3]),
    ("What colour is the new square?", [["yellow"]]),
    ("Is there anything new in the second picture?", [True]),
    ("Which picture has more circles?", [{"target": 4, "other": 3}]),
    ("두 사진에 원이 똑같이 있어?", [{"target": 4, "other": 3}]),
    ("Does the second picture show more squares than the first?", [{"target": 3, "other": 2}]),
    ("How many circles have not moved?", [3]),
    ("두 번째 사진에는 없는데 여기엔 있는 게 뭐야?", [["red circle"]]),
    ("Where is the green square in the other picture?", [["bottom centre"]]),
    ("Do any two squares have the same colour?", [False]),
    ("Are any two circles of the same colour?", [True]),
    ("색이 같은 네모가 둘 이상 있니?", [False]),
    ("Which shape is there least of?", [["square"]]),
    ("List the circles from right to left.", [["blue circle", *["red circle"] * 3]]),
    ("원을 작은 것부터 차례로 말해 줘", [[*["red circle"] * 3, "blue circle"]]),
    ("Where are the biggest circle and the smallest square?",
     [["bottom right"], ["bottom centre"]]),
    ("If the biggest circle is red, say so; otherwise tell me its colour.", [False, ["blue"]]),
    ("제일 큰 원이 빨간색이면 어디 있는지 말하고 아니면 무슨 색인지 말해 줘.", [False, ["blue"]]),
    ("If there is nothing below the green square, what is to the left of it?",
     [True, ["red circle", "blue square"]]),
    ("초록 원이 없으면 빨간 건 몇 개야?", [True, 3]),
    ("If both pictures have the same number of circles, count the squares.",
     [{"target": 4, "other": 3}]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "values"), ANSWERS)
def test_questions_are_answered_in_turn(bench, text, values):
    assert ask_all(bench, text) == values


def unsaid(asked):
    """Return questions without the words of answers."""
    if isinstance(asked, tuple):
        return tuple(map(unsaid, asked))
    if not is_dataclass(asked):
        return asked
    changed = {one.name: unsaid(getattr(asked, one.name)) for one in fields(asked)}
    return replace(asked, **{**changed, **{k: "" for k in ("said", "said_back") if k in changed}})


SAME = [
    ("How many apples are there, and where is the biggest cup?",
     "Tell me how many apples there are and where the biggest cup is.",
     "How many apples are there? Where is the biggest cup?",
     "First count the apples, then find the biggest cup.",
     "사과는 몇 개고 제일 큰 컵은 어디 있어?",
     "먼저 사과가 몇 개인지 말하고 그다음 가장 큰 컵 위치를 알려 줘.",
     "사과가 몇 개인지, 그리고 가장 큰 컵이 어디 있는지 알려 주세요."),
    ("If there is a red cup, where is the plate; if not, count the apples.",
     "Is there a red cup? If so, where is the plate? Otherwise, count the apples.",
     "Unless there is a red cup, count the apples, otherwise tell me where the plate is.",
     "빨간 컵이 있으면 접시가 어디 있는지 말하고 아니면 사과가 몇 개인지 알려 줘.",
     "빨간 컵이 있으면 접시 위치를, 없으면 사과 개수를 말해 줘."),
    ("If there is a bottle, what does it say?", "What does the bottle say?",
     "병이 있으면 뭐라고 쓰여 있는지 읽어 줘."),
    ("Are there more cups in the second picture than in the first?",
     "Does the second picture have more cups than the first one?",
     "두 번째 사진에 컵이 더 많아?", "컵이 첫 번째 사진보다 두 번째 사진에 더 많나요?"),
    ("Which picture shows more bottles?", "In which of the two pictures are more bottles?",
     "Are there more bottles in the first picture or in the second?",
     "두 사진 중 병이 더 많은 건 어느 쪽이야?",
     "병이 첫 번째 사진에 더 많아, 두 번째 사진에 더 많아?"),
    ("How many plates are there?", "Are there two or three plates?", "접시가 두 개야 세 개야?"),
    ("Is the left cup red or blue?", "Is the left cup red or is it blue?",
     "왼쪽 컵은 빨간색이야, 아니면 파란색이야?"),
    ("Is the left cup red? Is the right cup red?", "Is the left cup red? And the right one?"),
    ("What is between the cups?", "컵 두 개 사이에 뭐가 있어?"),
    ("What is on the plate?", "What is it that is on the plate?", "What's it that's on the plate?"),
    ("Which cup is nearest to the bottle?", "어느 컵이 병이랑 제일 가까워?"),
    ("Are there more cups on the plate or more bottles on the plate?",
     "Are there more cups or more bottles on the plate?",
     "접시에 컵이 더 많아, 병이 더 많아?"),
    ("Are all the apples red? Is there a green apple?",
     "Are all the apples red, or are some green?"),
    ("Did a cup disappear?", "Has a cup vanished in the second picture?",
     "두 번째 사진에서 컵이 없어졌어?", "두 번째 사진에서 컵이 없어졌어, 아니면 그대로 있어?"),
    ("What is only in the first picture?", "둘째 사진에는 없는데 첫째 사진에만 있는 게 뭐야?"),
    ("Is there a cup in the first picture? Is there a cup in the second picture?",
     "Does either picture show a cup?", "Is there a cup in both pictures?",
     "두 사진 모두에 컵이 있어?"),
    ("How many cups are red? How many cups are blue?",
     "How many cups are red and how many are blue?"),
    ("사과가 세 개 넘으면 몇 개인지, 아니면 컵이 몇 개인지 말해 줘",
     "사과가 세 개 넘으면 몇 갠지, 안 넘으면 컵이 몇 갠지 말해 줘"),
    ("If all the apples are red, count the apples.", "Count the apples only if they're all red."),
    ("What colour is the cup on the right?",
     "What colour is the cup on the left, I mean on the right?"),
    ("How many blue cups are there?", "Count the red cups, no, the blue ones.",
     "Count the red cups, or rather the blue ones."),
    ("Is there a blue cup?", "Is there a red cup? No, a blue one?"),
    ("Are there more cups than plates or bottles?", "Are there more cups than plates and bottles?"),
    ("What is left of the cup? What is right of the cup?",
     "What is left of the cup and what is on the right?",
     "컵 왼쪽에는 뭐가 있고 오른쪽에는 뭐가 있어?"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"), [(texts[0], other) for texts in SAME for other in texts[1:]]
)
def test_paraphrases_have_the_same_questions(one, other):
    found, expected = unsaid(read_questions(other)), unsaid(read_questions(one))
    if "Unless" not in other:
        assert found == expected
        return
    (swapped,), (branches,) = found, expected  # the same choice with exchanged branches
    assert (swapped.then, swapped.other) == (branches.then, branches.other)


@pytest.mark.parametrize(
    ("before", "text", "full"),
    [
        ("How many cups are there?", "Same question for the second picture, please.",
         "How many cups are in the second picture?"),
        ("컵이 몇 개 있어?", "다른 사진에서는 어때?", "두 번째 사진에 컵이 몇 개 있어?"),
        ("How many cups are in the second picture?", "And plates?",
         "How many plates are in the second picture?"),
        ("두 사진에 사과가 똑같이 있어?", "접시는?", "두 사진에 접시가 똑같이 있어?"),
        ("Is the biggest cup white?", "Where is it?", "Where is the biggest cup?"),
        ("Are all cups red?", "Why do you say that?", "Are all cups red?"),
        ("컵이 몇 개야?", "확실해?", "컵이 몇 개야?"),
        ("Are there more apples than cups?", "And in the second picture?",
         "In the second picture, are there more apples than cups?"),
    ],
)  # fmt: skip
def test_follow_up_about_a_picture_is_completed(before, text, full):
    assert unsaid(read_questions(text, [before])) == unsaid(read_questions(full))


@pytest.mark.parametrize(
    ("before", "text", "full"),
    [
        (["How many apples are there?", "How many cups are there?"], "So the total is what?",
         "How many apples and cups are there in total?"),
        (["사과가 몇 개야?", "컵은 몇 개야?", "접시는?"], "둘을 더하면?",
         "컵과 접시는 합하면 몇 개야?"),
    ],
)  # fmt: skip
def test_sum_refers_to_the_last_counts(before, text, full):
    assert unsaid(read_questions(text, before)) == unsaid(read_questions(full))


@pytest.mark.parametrize(
    "before", [["How many cups are there?"], ["How many cups are there?", "And red cups?"]]
)
def test_sum_without_two_separate_counts_is_refused(before):
    with pytest.raises(UnanswerableQuestion):
        read_questions("What is the total of both?", before)


@pytest.mark.parametrize(
    "text",
    [
        "If the man is happy, count the cups.",
        "If there is no apple on the plate, what is on it?",
        "If no circle is green, list their colours.",
        "접시가 비어 있지 않으면 뭐가 있는지 말해 줘.",
        "If there are more than five, count the tomatoes.",
        "If how many cups are there, count the plates.",
        "Count the cups before the plates are counted.",
        "남자가 행복하면 컵이 몇 개야?",
        "If there is a cup, put it on the plate.",
    ],
)
def test_condition_that_tools_cannot_evaluate_is_refused(text):
    with pytest.raises(UnanswerableQuestion):
        read_questions(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tell me the colour of the cup, but only if there is exactly one.",
        "컵이 딱 하나일 때만 색을 알려 줘.",
    ],
)
def test_number_in_a_condition_counts_the_object_of_the_question(text):
    condition = read_questions(text)[0].condition
    counted = condition.target.thing, condition.bound, condition.number
    assert counted == ("cup", "exactly", 1)


def test_program_is_refused_for_several_questions():
    facts = {"picture": "given", "program": "wanted"}
    with pytest.raises(CannotTell, match="PROGRAM_OF_ONE"):
        build_plan_of_all(read_questions("How many circles and where is the square?"), "en", facts)


def test_single_question_is_not_conditional():
    assert isinstance(read_questions("If there is a cup, where is it?")[0], Question)


@pytest.mark.parametrize(
    ("before", "text", "same"),
    [
        (
            "Where is the biggest cup?",
            "What colour is that cup?",
            "What colour is the biggest cup?",
        ),
        ("제일 큰 컵이 어디 있어?", "그 컵은 무슨 색이야?", "제일 큰 컵은 무슨 색이야?"),
        (
            "Is there an apple on the left plate?",
            "Is that plate white?",
            "Is the left plate white?",
        ),
        ("Are the red cups on the plate?", "Are those cups big?", "Are the red cups big?"),
        ("Where is the plate?", "What colour is that cup?", "What colour is the cup?"),
    ],
)
def test_phrase_that_object_refers_to_the_object_mentioned_before(before, text, same):
    named, described = (read_questions(asked, [before])[0] for asked in (text, same))
    assert unsaid(named) == unsaid(described)
