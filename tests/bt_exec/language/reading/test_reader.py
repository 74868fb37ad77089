"""Reader with a small lexicon: parsing, spelling corrections and unknown words."""

from __future__ import annotations

import pytest

from bt_exec.language.closed_classes import closed_classes
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.reader import Reader, Reading, Unread

LEXICON = {
    "things": {
        "cup": {"en": ["cup"], "ko": ["컵"]},
        "table": {"en": ["table"], "ko": ["식탁"]},
        "bottle": {"en": ["bottle"], "ko": ["물병"]},
        "tomato": {"en": ["tomato/tomatoes"], "ko": ["토마토"]},
    },
    "attributes": {
        "red": {"kind": "colour", "en": {"adjective": ["red"]}, "ko": {"adjective": ["빨갛다"]}},
    },
    "relations": {"on": {"en": ["on"], "ko": ["위"]}},
    "anything": {"en": ["thing"], "ko": ["물건"]},
}  # fmt: skip
READER = Reader([LEXICON])


def cup(*formulas):
    return Node("np", (("of", formulas[0]),))


CUPS = Node("ask", (("what", "how_many"), ("of", cup(Node("thing", (("name", "cup"),))))))


@pytest.mark.parametrize("text", ["How many cups are there?", "컵이 몇 개 있어?", "컵몇개있어"])
def test_question_is_parsed(text):
    found = READER.read(text)
    assert isinstance(found, Reading)
    assert found.meaning == CUPS
    assert not found.unknown_words


@pytest.mark.parametrize(
    ("text", "intended"),
    [
        ("hwo many cups are there?", "how many cups are there?"),
        ("howmany cups are there?", "how many cups are there?"),
        ("howmanycups are there?", "how many cups are there?"),
        ("컵이 몆 개 있어?", "컵이 몇 개 있어?"),
        ("How many cupps are there?", "How many cups are there?"),
        ("howmany cups arethere", "how many cups are there"),
        ("컵 갯수 새줘", "컵 갯수 세줘"),
        ("컵이 몇 개 인나요?", "컵이 몇 개 있나요?"),
        ("커비 몇 개 이써?", "컵이 몇 개 있어?"),
        ("물벵이 몇 개 있어?", "물병이 몇 개 있어?"),
        ("How many tomatos are on the tabel?", "How many tomatoes are on the table?"),
    ],
)
def test_misspelt_text_is_corrected_to_the_nearest_parsable_text(text, intended):
    assert next(READER.intended_texts(text)) == intended


@pytest.mark.parametrize("word", ["bottles", "table"])
def test_word_with_one_typing_error_is_corrected(word):
    text = "are there bottles on the table?"
    for at in range(1, len(word) - 1):
        swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        for misspelt in (
            swapped,
            word[:at] + word[at : at + 1] + word[at:],
            word[:at] + word[at + 1 :],
        ):
            if misspelt != word:
                assert next(READER.intended_texts(text.replace(word, misspelt))) == text, misspelt


@pytest.mark.parametrize(
    ("language", "text"), [("en", "is the red cup {} here?"), ("ko", "{} 컵이 있어?")]
)
def test_essential_word_is_not_a_misspelling(language, text):
    for word in closed_classes(language)["essential"]["words"]:
        for intended in READER.intended_texts(text.format(word)):
            assert word in intended.split()


def test_word_of_a_phrase_is_not_a_misspelling():
    corrected = READER.intended_texts("by the way how many botles are there?")
    assert next(corrected) == "by the way how many bottles are there?"


def test_unknown_noun_is_reported():
    found = READER.read("How many zebras are there?")
    assert isinstance(found, Reading)
    assert found.unknown_words == ("zebras",)


def test_name_of_a_current_object_is_a_noun():
    found = READER.read("How many zebras are there?", names=["zebras"])
    assert isinstance(found, Reading)
    assert not found.unknown_words


def test_text_that_cannot_be_parsed_reports_its_unknown_words():
    found = READER.read("Sing me a lullaby about cups")
    assert isinstance(found, Unread)
    assert "lullaby" in found.unknown_words


@pytest.mark.parametrize("text", ["", " ", "?", "a" * 5000, "the " * 90, "은 " * 120, "컵 " * 130])
def test_meaningless_text_has_no_reading(text):
    assert isinstance(READER.read(text), Unread)


def test_leaves_of_a_parse_tree_cover_the_text():
    found = READER.read("Is there a red cup on the table?")
    assert isinstance(found, Reading)
    assert "".join(leaf.text for leaf in found.edge.leaves()) == "isthereared" + "cuponthetable"
