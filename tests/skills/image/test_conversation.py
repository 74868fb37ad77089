"""Questions that refer to earlier ones: pronouns, fragments, corrections."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bt_exec_skills.image.rules.question import UnanswerableQuestion
from bt_exec_skills.image.rules.question_reader import read_question

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
    ("병이 있어?", "어디에 있는데?", "병은 어디에 있어?"),
    ("컵이 몇 개야?", "무슨 색인데?", "컵은 무슨 색이야?"),
    ("How many cups are there?", "Count them again.", "How many cups are there?"),
    ("컵이 몇 개야?", "다시 세어 봐", "컵이 몇 개야?"),
    ("왼쪽에는 원이 몇 개야?", "오른쪽에는 몇 개 있어?", "오른쪽에는 원이 몇 개야?"),
    ("접시에는 사과가 몇 개야?", "그릇에는 몇 개 있어?", "그릇에는 사과가 몇 개야?"),
    ("How many red apples are there?", "And the rest?", "How many apples are not red?"),
    ("빨간 사과가 몇 개야?", "나머지 사과는?", "빨갛지 않은 사과가 몇 개야?"),
    (
        "How many cups are there?",
        "Did the other picture have fewer?",
        "Are there fewer cups in the second picture than in the first picture?",
    ),
    ("컵이 몇 개야?", "두 번째 사진에도 똑같아?", "두 번째 사진에 컵이 몇 개야?"),
    ("첫 번째 사진에 병 있어?", "다른 사진에도 있어?", "두 번째 사진에 병 있어?"),
    ("Which bar is the tallest?", "And what's its value?", "What is the value of the tallest bar?"),
    ("Which bar is the tallest?", "How high is that bar?", "How high is the tallest bar?"),
    ("어느 막대가 제일 높아?", "그 막대 값은 얼마야?", "가장 높은 막대의 값은 얼마야?"),
    ("어느 막대가 제일 높아?", "그 값은?", "가장 높은 막대의 가격은?"),
    (
        "What's the most expensive thing on the receipt?",
        "And how much does it cost?",
        "What is the price of the most expensive thing?",
    ),
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
def test_pronoun_one_refers_to_the_noun_of_the_previous_phrase(text, full):
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
    found, expected = read_question(text, before), read_question(full)
    assert replace(found, said_back="") == replace(expected, said_back="")


@pytest.mark.parametrize("text", ["Which are there more of?", "둘 중에 뭐가 더 많아?"])
def test_comparison_after_one_question_is_refused(text):
    with pytest.raises(UnanswerableQuestion, match="QUESTION_UNCLEAR"):
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
        "What is left of this one?",
        "이거 왼쪽에 뭐가 있어?",
        "Is this one red?",
    ],
)
def test_reference_without_antecedent_is_refused(text):
    with pytest.raises(UnanswerableQuestion, match="QUESTION_UNCLEAR"):
        read_question(text)


EQUAL = [
    ("If there's a dog in the picture, tell me what colour it is.", "What colour is the dog?"),
    ("If there is a bottle, where is it?", "Where is the bottle?"),
    ("Is there a cup? If so, what colour is it?", "What colour is the cup?"),
    ("강아지가 있으면 무슨 색인지 알려 주고, 없으면 없다고 해 줘.", "강아지는 무슨 색이야?"),
    ("사과가 있으면 몇 개인지 세어 줘", "사과는 몇 개야?"),
    ("There's nothing green in here, is there?", "Is there nothing green?"),
    ("There is a cup in the picture, isn't there?", "Is there a cup?"),
    ("컵 있지, 그치?", "컵 있어?"),
    ("Which item on the receipt is the cheapest?", "Which is the cheapest item?"),
    ("What costs the least on the receipt?", "What costs the least?"),
    ("영수증에서 제일 싼 게 뭔지 알려 주세요.", "제일 싼 게 뭐야?"),
    ("영수증에 있는 것 중에 제일 비싼 건 뭐야?", "제일 비싼 게 뭐야?"),
    ("영수증에 찍힌 날짜가 언제입니까?", "날짜가 언제야?"),
    ("I can't make out the date on this receipt, can you?", "What is the date?"),
    ("그래프에서 제일 짧은 막대가 어느 거야?", "어느 막대가 제일 짧아?"),
    ("If I buy a coffee and a cake, how much is it?", "How much are a coffee and a cake?"),
    ("Are there more red or blue circles?", "Are there more red circles than blue circles?"),
    ("How many squares, no, triangles are there?", "How many triangles are there?"),
    ("네모, 아니 세모가 몇 개야?", "세모가 몇 개야?"),
    ("의자가 하나도 없으면 없다고 하고, 있으면 몇 개인지 말해줘.", "의자는 몇 개야?"),
    (
        "If there's a dog, tell me its colour; if not, just say there's no dog.",
        "What colour is the dog?",
    ),
    ("가장 비싼 메뉴가 뭐고 얼마인가요?", "가장 비싼 게 뭐야?"),
    ("What's the cheapest item and how much is it?", "What is the cheapest item?"),
    ("Add up the coffee and the sandwich for me.", "How much are a coffee and a sandwich?"),
    ("우유랑 빵 값만 더하면 얼마예요?", "우유랑 빵은 모두 얼마야?"),
    ("우유하고 빵만 사면 얼마야?", "우유랑 빵은 모두 얼마야?"),
    ("What's written at the very bottom of the receipt?", "What does the last line say?"),
    ("tomato가 몇 개야?", "토마토가 몇 개야?"),
    ("Is there anything green in this one?", "Is there anything green?"),
    ("How many circles does this one have?", "How many circles are there?"),
    ("How many red things are on this?", "How many red things are there?"),
    ("이거 안에 초록색 물체 있어?", "초록색 물체 있어?"),
    ("이 안에 빨간 원 몇 개야?", "빨간 원 몇 개야?"),
    ("여기 안에 세모 있어?", "세모 있어?"),
    ("Is there any writing on it?", "Is there any text in the picture?"),
    ("글씨 같은 거 써져 있어?", "글씨가 있어?"),
    ("Is something written on this?", "Is there any text in the picture?"),
    ("Do I have at least three blue things in here?", "Are there at least three blue things?"),
    ("How many different colours are used here?", "How many colours are there?"),
    ("List me the colours and how many there are of each.", "How many are there of each colour?"),
    ("Name the shapes and the number of each.", "How many are there of each shape?"),
    ("색깔별로 몇 개씩 있는지 정리해줘", "색깔별로 몇 개씩 있어?"),
    ("전부 다 같은 색인가요?", "색이 모두 같아?"),
    ("빨간 원이랑 파란 네모 사이 거리 좀 재줘", "빨간 원과 파란 네모 사이의 거리는 얼마야?"),
    (
        "Are squares in the majority over circles, or the other way round?",
        "Are there more squares than circles?",
    ),
    ("원이랑 네모 중에 뭐가 더 많아?", "원이 네모보다 많아?"),
    ("Which colours are there, and how many things of each?", "How many are there of each colour?"),
    ("Leaving the circles aside, how many things are there?", "How many things except circles?"),
    ("여기 안에 글씨 있어?", "글씨가 있어?"),
    ("Do you have more circles or squares?", "Are there more circles than squares?"),
    (
        "Suppose the blue square is 4 cm wide. How tall would the red circle be then?",
        "If the blue square is 4 cm wide, how tall is the red circle?",
    ),
    (
        "If the blue square is 10 mm wide, how tall is the red circle?",
        "The blue square is 10 mm wide. How tall is the red circle?",
    ),
    (
        "파란 네모 가로가 5센치라고 치면 빨간 원 지름은 얼마예요?",
        "파란 네모 가로가 5센치이면 빨간 원 너비는 얼마야?",
    ),
]


@pytest.mark.parametrize(("text", "plain"), EQUAL)
def test_equivalent_questions_have_the_same_meaning(text, plain):
    found, expected = read_question(text), read_question(plain)
    assert replace(found, said_back="") == replace(expected, said_back="")


@pytest.mark.parametrize(
    "text",
    [
        "케이크 빼고 다 합하면 얼마야?",
        "어디 있는데?",
    ],
)
def test_condition_or_exception_that_tools_cannot_evaluate_is_refused(text):
    with pytest.raises(UnanswerableQuestion):
        read_question(text)


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("What is left of this one?", "What is left of the blue square?"),
        ("Is anything in this one?", "Is anything in the blue square?"),
    ],
)
def test_this_one_refers_to_the_object_of_the_previous_question(text, full):
    assert read_question(text, ["Where is the blue square?"]) == read_question(full)


@pytest.mark.parametrize("text", ["What colour is it?", "그건 무슨 색이야?", "작은 건?"])
def test_reference_to_the_answer_of_a_comparison_is_refused(text):
    with pytest.raises(UnanswerableQuestion, match="QUESTION_UNCLEAR"):
        read_question(text, ["Which is bigger, the cup or the bottle?"])


@pytest.mark.parametrize("text", ["Is there anything green in this one?", "What is in it?"])
def test_this_one_is_refused_after_a_question_about_several_objects(text):
    with pytest.raises(UnanswerableQuestion, match="QUESTION_UNCLEAR"):
        read_question(text, ["How many red circles are there?"])
