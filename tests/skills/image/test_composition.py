"""Composed questions on a picture of known truth: quantifiers, comparisons, alternatives, nesting.

The picture: red discs of radius 23, 20 and 13 px in a row, a blue one of 30 px at the lower
right, a blue square of 53 px at the lower left, and a green one of 40 px between the two.
"""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from bt_exec_skills.image.rules.program_from_steps import build_program
from bt_exec_skills.image.workbench import Bench
from tests.skills.image.asking import ask

pytestmark = pytest.mark.sampled

RED, BLUE, GREEN = (200, 30, 30), (30, 60, 200), (40, 150, 60)

ANSWERS = [
    ("How many red or blue circles are there?", 4),
    ("How many circles are neither red nor blue?", 0),
    ("How many things are neither circles nor green?", 1),
    ("Are all circles red?", False),
    ("Are all squares big?", None),
    ("Are none of the squares red?", True),
    ("Is every red thing a circle?", True),
    ("Are there more than two red circles?", True),
    ("Are there at least four red circles?", False),
    ("Are there exactly two squares?", True),
    ("Are there no triangles?", True),
    ("Where is the biggest circle?", ["bottom right"]),
    ("What colour is the smallest circle?", ["red"]),
    ("Is the biggest circle red?", False),
    ("Is the blue circle bigger than the green square?", True),
    ("Is the green square bigger than the blue one?", False),
    ("How many circles are bigger than the green square?", 1),
    ("How many red circles are not left of the blue circle?", 1),
    ("How many squares are left of the green square?", 1),
    ("What colour is the square left of the square left of the blue circle?", ["blue"]),
    ("빨간색이나 파란색 원은 몇 개야?", 4),
    ("빨간색도 파란색도 아닌 원은 몇 개야?", 0),
    ("원이 모두 빨간색이야?", False),
    ("빨간 원이 두 개 넘게 있어?", True),
    ("빨간 원이 네 개 이상 있어?", False),
    ("삼각형이 없어?", True),
    ("가장 큰 원은 무슨 색이야?", ["blue"]),
    ("초록색 네모가 파란 네모보다 커?", False),
    ("초록색 네모보다 큰 원은 몇 개야?", 1),
    ("초록색 네모 왼쪽에 있는 네모는 무슨 색이야?", ["blue"]),
    ("What colour is the thing between the blue square and the blue circle?", ["green"]),
    ("How many things are between the red circle and the green square?", 0),
    ("What colour is the leftmost square?", ["blue"]),
    ("What colour is the thing nearest to the blue circle?", ["green"]),
    ("What colour is the circle farthest from the blue circle?", ["red"]),
    ("How many of each colour are there?", {"red": 3, "blue": 2, "green": 1}),
    ("How many circles of each colour are there?", {"red": 3, "blue": 1}),
    ("Which colour is the most common?", ["red"]),
    ("What is the rightmost square?", ["green square"]),
    ("What shape is the biggest thing?", []),
    ("Is the biggest circle red or blue?", ["blue"]),
    ("Is the biggest circle red, blue or green?", ["blue"]),
    ("Is the biggest circle red, green or black?", []),
    ("Is the smallest thing a square, a circle or a triangle?", ["circle"]),
    ("Is the blue circle left or right of the green square?", {"target": 0, "other": 1}),
    ("Which of the circles is the biggest?", ["blue circle"]),
    ("What is between the blue square and the blue circle?", ["green square"]),
    ("What is next to the blue circle?", ["green square"]),
    ("What is directly to the left of the blue circle?", ["green square"]),
    ("파란 원 바로 왼쪽에 뭐가 있어?", ["green square"]),
    ("How many red things are in this one?", 3),
    ("How many circles and squares are there?", {"circle": 4, "square": 2}),
    ("How many are red or green?", 4),
    ("How many different colours are there?", 3),
    ("How many red shapes and how many blue shapes are there?", {"red": 3, "blue": 2}),
    ("How many circles and triangles are there?", {"circle": 4, "triangle": 0}),
    (
        "Compare the blue square with the green square: which one is smaller?",
        {"target": 0, "other": 1},
    ),
    ("What shape is at the bottom?", []),
    ("Which is bigger, the blue square or the green square?", {"target": 1, "other": 0}),
    ("파란 네모와 파란 원 사이에 있는 것은 무슨 색이야?", ["green"]),
    ("파란 네모 위에 원이 몇 개 있어?", 2),
    ("맨 왼쪽에 있는 네모는 무슨 색이야?", ["blue"]),
    ("파란 원에서 가장 가까운 도형은 무슨 색이야?", ["green"]),
    ("색깔별로 몇 개씩 있어?", {"red": 3, "blue": 2, "green": 1}),
    ("모양별로 몇 개야?", {"circle": 4, "square": 2}),
    ("어떤 색이 제일 많아?", ["red"]),
    ("가장 큰 원은 빨간색이야 파란색이야?", ["blue"]),
    ("가장 큰 원은 빨간색, 파란색, 초록색 중에 뭐야?", ["blue"]),
    ("가장 작은 것은 네모야, 원이야, 세모야?", ["circle"]),
    ("파란 원은 초록색 네모 왼쪽에 있어 오른쪽에 있어?", {"target": 0, "other": 1}),
    ("초록색 네모와 파란 네모 중에 어느 게 더 커?", {"target": 0, "other": 1}),
    ("가장 작은 원은 무슨 모양이야?", ["circle"]),
    ("파란 원 옆에 뭐가 있어?", ["green square"]),
    ("원과 네모는 각각 몇 개야?", {"circle": 4, "square": 2}),
    ("원이 하나야?", False),
    ("색깔이 몇 가지야?", 3),
    ("빨간 것과 파란 것은 각각 몇 개야?", {"red": 3, "blue": 2}),
    ("네모를 빼고 세면 몇 개야?", 4),
    ("What colour is the second shape from the left?", ["blue"]),
    ("What is the second biggest circle?", ["red circle"]),
    ("Of all the squares, what colour is the smallest?", ["green"]),
    ("How many things are bigger than the green square?", 2),
    ("How many more circles than squares are there?", 2),
    ("How many circles are on the left side of the picture?", 2),
    ("Is there a circle in the top left corner?", True),
    ("Are there any triangles in the upper half?", False),
    ("Do all the squares have the same colour?", False),
    ("Are all the red things the same shape?", True),
    ("How many red and blue circles are there?", {"red": 3, "blue": 1}),
    ("Are the circles all the same size?", False),
    ("Which one is closest to the blue circle?", ["green square"]),
    ("What lies between the blue square and the blue circle?", ["green square"]),
    ("What colour is the thing between the blue things?", ["green"]),
    ("On which side of the green square is the blue circle?", {"target": 0, "other": 1}),
    ("How many of these are red?", 3),
    ("초록색 네모보다 큰 것은 몇 개야?", 2),
    ("왼쪽에서 두 번째 도형은 무슨 색이야?", ["blue"]),
    ("두 번째로 큰 원은 무슨 색이야?", ["red"]),
    ("원이 네모보다 몇 개 더 많아?", 2),
    ("사진 왼쪽에 있는 원은 몇 개야?", 2),
    ("네모들은 색이 모두 같아?", False),
    ("가장 큰 원의 왼쪽에 있는 네모는 몇 개야?", 2),
    ("빨간색이거나 초록색인 도형은 몇 개야?", 4),
    ("빨간 원이 하나도 없는 거 맞아?", False),
    ("도형 종류가 몇 가지예요?", 2),
    ("Is there a green square or a yellow circle?", True),
    ("Is there a red square or a blue triangle?", False),
    ("How many red circles or green squares are there?", 4),
    ("빨간 원이나 파란 네모는 모두 몇 개야?", 4),
    ("Which is closer to the blue circle, the blue square or the green square?", ["green square"]),
    ("Is the blue square or the green square farther from the blue circle?", ["blue square"]),
    ("파란 네모랑 초록색 네모 중에 파란 원에 더 가까운 건 뭐야?", ["green square"]),
    ("Of the circles, which one's the biggest?", ["blue circle"]),
    ("네모 두 개 중에 더 작은 건 무슨 색이야?", ["green"]),
    ("빨간 원 세 개 중에서 제일 큰 건 어느 쪽에 있어?", ["top left"]),
    ("Only count the blue things.", 2),
    ("Are the two squares the same colour?", False),
    ("빨간 것도 아니고 파란 것도 아닌 도형은 몇 개야?", 1),
    ("초록색도 아니고 파란색도 아닌 원은 몇 개야?", 3),
    ("원은 몇 개이고 네모는 몇 개야?", {"circle": 4, "square": 2}),
    ("What is the thing between the blue square and the blue circle?", ["green square"]),
    ("What two colours are the squares?", ["blue", "green"]),
    ("Which side is the green square on?", ["bottom centre"]),
    ("Which square is larger?", ["blue square"]),
    ("Is the green square the smallest square?", True),
    ("초록색 네모가 제일 작은 네모야?", True),
    ("초록색 네모가 제일 작아?", False),
    ("빨간 원 중에 제일 작은 건 파란 원이랑 크기가 같아?", False),
    ("파란 네모는 초록색 네모랑 모양이 같아?", True),
    ("네모 두 개는 색이 같아?", False),
    ("빨간 거 빼고 도형이 전부 몇 개야?", 3),
    ("How many red circles and how many blue circles are there?", {"red": 3, "blue": 1}),
    ("Is the green square inside or outside the blue circle?", {"target": 0, "other": 1}),
    ("Is the green square inside the blue circle or outside?", {"target": 0, "other": 1}),
    ("Is the blue circle bigger or smaller than the green square?", {"target": 1, "other": 0}),
    ("Is the green square bigger than the blue one or smaller?", {"target": 0, "other": 1}),
    ("Is the green square left of the blue circle or right of it?", {"target": 1, "other": 0}),
    (
        "Is the green square to the right of the blue circle or to the left?",
        {"target": 1, "other": 0},
    ),
    ("How many circles are outside the blue square?", 4),
    ("How many things are outside the blue square?", 5),
    ("초록색 네모는 파란 원 안에 있어, 밖에 있어?", {"target": 0, "other": 1}),
    ("파란 원이 초록색 네모보다 커, 작아?", {"target": 1, "other": 0}),
    ("파란 원은 초록색 네모보다 작은가요 아니면 큰가요?", {"target": 1, "other": 0}),
    ("파란 네모 밖에 있는 원은 몇 개야?", 4),
    ("파란 네모 바깥에 있는 건 몇 개야?", 5),
    ("원이랑 네모 중에 뭐가 더 많고 몇 개 차이 나?", 2),
    ("Would you describe the squares you can see?", ["blue square", "green square"]),
    ("Name the thing between the blue square and the blue circle.", ["green square"]),
    ("Which squares do you see?", ["blue square", "green square"]),
    ("Count the squares for me, blue ones included.", 2),
    ("How many circles are there, including the blue one?", 4),
    ("Count the circles and squares for me.", {"circle": 4, "square": 2}),
    ("파란 네모랑 파란 원 사이에 있는 게 뭐더라?", ["green square"]),
    ("빨간 원이 몇 개더라?", 3),
    ("가장 큰 원이 무슨 색이었더라?", ["blue"]),
    ("초록색 원이 있던가?", False),
    ("원이 몇 개였지?", 4),
    ("사진 아래쪽에 어떤 도형들이 있어?", ["blue circle", "blue square", "green square"]),
    ("파란 도형들을 설명해 줘", ["blue circle", "blue square"]),
    ("파란 것까지 포함해서 원이 몇 개야?", 4),
    ("How many shapes are there in total, leaving out the two squares?", 4),
    ("Which of the two squares is the larger one?", ["blue square"]),
    ("Is it true that no square is red?", True),
    ("Is it true that no square is blue?", False),
    ("Count the circles for me, squares included.", 6),
    ("네모 중에 빨간 게 있긴 해?", False),
    ("원하고 네모 합치면 몇 개나 되나?", 6),
    ("빨갛지도 파랗지도 않은 도형은 무슨 색이야?", ["green"]),
    ("빨갛지도 않은 도형은 몇 개야?", 3),
    ("네모가 뭐 있어?", ["blue square", "green square"]),
]


@pytest.fixture(scope="module")
def picture(tmp_path_factory):
    pixels = np.full((240, 320, 3), 235, np.uint8)
    discs = [(53, 53, 23, RED), (127, 53, 20, RED), (200, 53, 13, RED), (267, 173, 30, BLUE)]
    for x, y, radius, colour in discs:
        cv2.circle(pixels, (x, y), radius, colour, -1, cv2.LINE_AA)
    for x, y, half, colour in [(80, 173, 27, BLUE), (173, 173, 20, GREEN)]:
        cv2.rectangle(pixels, (x - half, y - half), (x + half, y + half), colour, -1)
    file = tmp_path_factory.mktemp("pictures") / "shapes.png"
    cv2.imwrite(str(file), pixels[..., ::-1])
    return file


@pytest.mark.parametrize(("text", "value"), ANSWERS)
def test_composed_question_is_answered_by_tools_and_program(picture, text, value):
    bench = Bench(picture)
    answer = ask(bench, text)
    assert answer.value == value, answer.text
    space: dict = {}
    exec(build_program(bench, text), space)
    assert json.loads(json.dumps(space["run"](str(picture))["answer"])) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Are all circles red?", "No, 3 of 4 (red circle)."),
        ("Are there more than two red circles?", "Yes, 3 (red circle)."),
        ("Are all triangles red?", "None found (triangle)."),
        ("원이 모두 빨간색이야?", "아니요, 4개 중 3개입니다(빨간 원)."),
        ("빨간 원이 네 개 이상 있어?", "아니요, 3개입니다(빨간 원)."),
        ("How many of each shape are there?", "thing, by shape: circle 4, square 2."),
        ("어떤 색이 제일 많아?", "물체, 가장 많은 색: 빨간색."),
        ("가장 큰 원은 빨간색이야 파란색이야?", "파란 또는 빨간 가장 큰 원: 파란색."),
        ("가장 작은 원은 무슨 색이야?", "제외: 작지 않음 (3), 정사각형 (2)."),
        ("왼쪽 아래에 있는 건 뭐야?", "제외: 아래 왼쪽 아님 (5)."),
    ],
)
def test_composed_answer_states_the_result_in_words(picture, text, says):
    assert says in ask(Bench(picture), text).text


@pytest.mark.parametrize(("gap", "beside"), [(10, True), (34, None), (120, False)])
@pytest.mark.parametrize(
    "text", ["Is the blue circle next to the green square?", "파란 원 옆에 초록색 네모가 있어?"]
)
def test_object_is_beside_another_one_at_a_small_gap(tmp_path, text, gap, beside):
    pixels = np.full((120, 320, 3), 235, np.uint8)
    cv2.rectangle(pixels, (20, 40), (60, 80), GREEN, -1)
    cv2.circle(pixels, (60 + gap + 20, 60), 20, BLUE, -1)
    file = tmp_path / "two.png"
    cv2.imwrite(str(file), pixels[..., ::-1])
    assert ask(Bench(file), text).value is beside
