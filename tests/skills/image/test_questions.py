"""Corpus of questions in Korean and English, with the tools that answer them."""

from dataclasses import replace
from pathlib import Path

import pytest

from bt_exec.language.messages import language_of
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_skills.image.rules.question import UnanswerableQuestion
from bt_exec_skills.image.rules.question_plans import CannotTell, build_plan
from bt_exec_skills.image.rules.question_reader import read_question
from tests.skills.image.asking import tools_of

CORPUS = parse_yaml(Path(__file__).with_name("questions.yaml").read_text("utf-8"))
ASKED = parse_yaml(Path(__file__).with_name("questions_of_people.yaml").read_text("utf-8"))
SHORT = {
    "s": ["segment_colour", "separate_touching", "crop"],
    "a": ["read_annotation", "crop"],
    "v": ["verify_attribute"],
    "m": ["measure_places"],
    "g": ["compare_degrees"],
    "c": ["count"],
    "n": ["count", "answer"],
    "r": ["read_text", "crop", "answer"],
    "t": ["read_text", "crop"],
    "p": ["check_part"],
    "o": ["segment_colour", "crop"],
    "l": ["count", "compare_things"],
    "d": ["compare_pictures", "crop", "answer"],
}
NOTHING = {"picture": "given", "annotation.names": "", "detector.names": "", "reader": "ready"}
FACTS = {
    "drawn": NOTHING,
    "annotated": {**NOTHING, "annotation.names": "tomato|apple|plate"},
    "paired": {**NOTHING, "second": "given"},
    "refused": NOTHING,
}


def planned(text, kind):
    return tools_of(build_plan(read_question(text), language_of(text), FACTS[kind]))


def test_corpus_has_the_minimum_size():
    texts = [text for part in CORPUS.values() for text, _ in part]
    assert len(texts) >= 50
    assert sum(language_of(text) == "ko" for text in texts) >= 20


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kind", "text", "tools"),
    [(kind, *pair) for kind in ("drawn", "annotated", "paired") for pair in CORPUS[kind]],
)
def test_question_uses_the_expected_tools(kind, text, tools):
    expected = [name for short in tools.split() for name in SHORT[short]]
    assert [name for name, _ in planned(text, kind)] == expected


def test_most_questions_select_the_expected_tools():
    """Measure the share of all questions with exactly the expected tools, or with a refusal."""
    right, wrong = 0, []
    for part in (CORPUS, ASKED):
        for kind, rows in part.items():
            for text, tools in rows:
                try:
                    found = [name for name, _ in planned(text, kind)]
                except (UnanswerableQuestion, CannotTell) as error:
                    found = ["-", error.code]
                wanted = [name for short in tools.split() for name in SHORT.get(short, [short])]
                same = found[:1] == ["-"] if tools == "-" else found in (wanted, ["-", *wanted])
                right += same
                wrong += [] if same else [f"{text}: {found}"]
    total = right + len(wrong)
    print(f"\n{right} of {total} questions lead to their tools ({right / total:.1%})", *wrong)
    assert total >= 120
    assert right >= 0.95 * total, wrong


@pytest.mark.sampled
@pytest.mark.parametrize(("text", "code"), CORPUS["refused"])
def test_question_that_no_tool_can_answer_is_refused(text, code):
    with pytest.raises((UnanswerableQuestion, CannotTell)) as caught:
        planned(text, "refused")
    assert caught.value.code == code


PARAPHRASES = [
    (
        "Which is bigger, the leftmost apple or the rightmost apple?",
        "Which is bigger, the leftmost apple or the rightmost one?",
    ),
    (
        "Is there an apple on the plate?",
        "I'd like to know whether an apple lies on the plate.",
        "Could you tell me if some apple is on the plate or not?",
        "사과가 접시 위에 있는지 없는지 궁금해요.",
    ),
    (
        "Is the apple red?",
        "Tell me if the apple is red.",
    ),
    (
        "Is any plate empty?",
        "I wonder whether a plate is empty.",
        "빈 접시 있어?",
        "아무것도 없는 접시가 있어?",
    ),
    (
        "Are there more than five apples and tomatoes together?",
        "Do the apples and the tomatoes add up to more than five?",
        "Is the total of apples and tomatoes more than five?",
        "사과와 토마토를 합하면 다섯 개보다 많아?",
        "사과랑 토마토 다 합쳐서 다섯 개 넘어?",
    ),
    (
        "사과랑 토마토 합쳐서 다섯 개 안 넘지?",
        "Are there at most five apples and tomatoes in total?",
        "사과와 토마토가 모두 다섯 개 이하야?",
    ),
    (
        "How many apples are there, and how many of them are red?",
        "How many apples are there? And how many are red?",
        "사과가 몇 개고 그중에 빨간 건 몇 개야?",
        "사과가 몇 개 있는지, 그중에 빨간 게 몇 개인지 알려 줘.",
    ),
    (
        "If there is an apple, tell me its colour; if not, say so.",
        "If there is no apple, say so; otherwise tell me its colour.",
        "사과가 있으면 색깔을 말해 주고 없으면 없다고 해.",
    ),
    (
        "Are there exactly three plates?",
        "Make sure there are exactly three plates.",
        "접시가 정확히 세 개인지 꼭 확인해 줘.",
    ),
    (
        "Read me all the text you can find, from top to bottom.",
        "Read everything that is written.",
        "위에서 아래로 글자를 전부 읽어 줘.",
    ),
    (
        "Is no apple next to the plate?",
        "No apple is lying next to the plate, right?",
        "Tell me whether no apple is next to the plate.",
        "접시 옆에 사과가 하나도 없어?",
    ),
    (
        "Is there a tomato that is not red?",
        "Not all of the tomatoes are red, are they?",
        "토마토가 다 빨간 건 아니지?",
    ),
    (
        "What colour is each tomato?",
        "For each tomato, tell me the colour.",
        "토마토마다 색을 하나씩 불러 봐.",
        "각 토마토가 무슨 색이야?",
    ),
    (
        "What percentage of the tomatoes is red?",
        "Give me the share of red ones among all tomatoes.",
        "전체 토마토에서 빨간 토마토가 차지하는 비율은?",
    ),
    (
        "How many plates have no apple on them?",
        "How many plates without apples are there?",
        "사과가 없는 접시는 몇 개야?",
    ),
    (
        "What is the biggest thing that is not a plate?",
        "Apart from the plates, what is the biggest object?",
        "접시를 뺀 나머지 중에 제일 큰 게 뭐야?",
    ),
    (
        "Which plate is the apple on?",
        "On which plate is the apple?",
        "사과가 어느 접시 위에 있어?",
        "어느 접시에 사과가 있어?",
    ),
]


def decided(text):
    """Return the steps of a plan without the words of the question."""
    words = ("what", "other_what", "language")
    return [
        (name, sorted((key, value) for key, value in given.items() if key not in words))
        for name, given in planned(text, "annotated")
    ]


@pytest.mark.parametrize("texts", PARAPHRASES)
def test_paraphrases_have_the_same_plan(texts):
    first, *others = map(decided, texts)
    assert all(plan == first for plan in others)


def test_different_questions_have_different_plans():
    plans = [str(decided(texts[0])) for texts in PARAPHRASES]
    plans += [str(decided("Is any plate not empty?"))]
    assert len(set(plans)) == len(plans)


@pytest.mark.parametrize(
    "text", ["If there is no apple, count the plates.", "사과가 없으면 접시를 세어 줘."]
)
def test_question_that_depends_on_another_one_is_refused(text):
    with pytest.raises(UnanswerableQuestion):
        planned(text, "annotated")


def test_class_missing_from_the_annotation_is_not_guessed():
    with pytest.raises(CannotTell) as caught:
        planned("How many cups are there?", "annotated")
    assert caught.value.code == "NOT_ANNOTATED"
    assert caught.value.facts == {"thing": "cup", "known": "tomato, apple, plate"}


@pytest.mark.parametrize("text", ["", "?", "몇", "how many", "a" * 3000, "the " * 500, "는 " * 500])
def test_arbitrary_text_is_parsed_or_refused(text):
    try:
        read_question(text)
    except UnanswerableQuestion:
        return


@pytest.mark.slow
def test_unknown_word_is_never_dropped_at_any_position():
    for kind in ("drawn", "annotated", "paired"):
        for text, tools in ASKED[kind]:
            language, words = language_of(text), text.split()
            strange = {"en": "grumpily", "ko": "뚱하게"}[language]
            last = len(words) + (language == "en")
            for place in range(1, last) if tools != "-" else ():
                said = " ".join([*words[:place], strange, *words[place:]])
                with pytest.raises((UnanswerableQuestion, CannotTell)):
                    planned(said, kind)


@pytest.mark.sampled
@pytest.mark.parametrize(("text", "_"), [*CORPUS["drawn"], *CORPUS["annotated"]])
def test_unknown_word_is_never_dropped(text, _):
    """An additional meaningless word leads to a refusal."""
    language = language_of(text)
    word = {"en": "grumpily", "ko": "뚱하게"}[language]
    first, _, rest = text.partition(" ")
    strange = f"{first} {word} {rest}" if language == "en" else f"{word} {text}"
    with pytest.raises((UnanswerableQuestion, CannotTell)):
        planned(strange, "drawn")


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("How many red circles are there except the small ones?", 0, "theme: small not"),
        ("빨간 원이랑 파란 원은 크기가 같아?", 0, "alike (ask)"),
        ("표지판에 뭐라고 써 있어?", 0, "read (ask)"),
        ("Is the man happy?", 5, "NEEDS_MODEL"),
    ],
)
def test_understand_command_prints_the_meaning_of_a_question(text, code, says, capsys):
    from bt_exec.cli.app import run_command_line

    assert run_command_line(["understand", "--site", "image", text]) == code
    assert says in capsys.readouterr().out


@pytest.mark.parametrize(
    ("chat", "standard"),
    [
        ("hw many apples r there plzzz lol", "How many apples are there?"),
        ("wats the txt say", "What does the text say?"),
        ("컵 color 머임ㅋㅋㅋ", "컵 색깔 뭐야?"),
        ("젤 큰 tomato 어딧음??", "제일 큰 토마토 어디 있어?"),
        ("사과 몇갠지 count좀", "사과 몇 개인지 세어 줘"),
    ],
)
def test_chat_spelling_is_read_as_the_standard_spelling(chat, standard):
    asked, meant = read_question(chat), read_question(standard)
    assert replace(asked, said_back="") == replace(meant, said_back="")
