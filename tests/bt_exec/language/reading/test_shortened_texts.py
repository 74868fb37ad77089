"""Words that may be left out of a text, and those that never are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.language.messages import language_of
from bt_exec.language.reading.shortened_texts import shortened_texts
from bt_exec_skills.tabletop.goals.command_reader import reader
from tests.cases import examples

LONG = {
    "en": "put the apple that is red on the tray and then the ball in the red bowl",
    "ko": "빨간 사과를 쟁반에 올려놓고 그다음에 파란 공을 빨간 그릇에 넣어 주세요",
}
ESSENTIAL = {
    "en": ["not", "don't", "never", "if", "unless", "only", "except", "before", "without", "how",
           "which", "both", "twice", "again", "two", "apple", "blue", "put",
           "tomorrow", "hardly", "halfway", "alone", "should"],
    "ko": ["말고", "없으면", "빼고", "전에", "만약", "왜", "어느", "모두", "다시", "또", "두",
           "사과만", "쟁반까지", "사과", "빨간", "옮겨", "내일", "거의", "혼자", "약간"],
}  # fmt: skip

JOINTS = ("and", "then", "that")  # after them, an unknown word is taken for a verb or noun


def shorter(text):
    return list(shortened_texts(text, reader(frozenset()).lexicon(language_of(text))))


@given(st.data(), st.sampled_from(["en", "ko"]))
@settings(max_examples=examples(40))
def test_essential_word_is_never_left_out(data, language):
    word = data.draw(st.sampled_from(ESSENTIAL[language]))
    words = LONG[language].split()
    words.insert(data.draw(st.integers(1, len(words) - 1)), word)
    count = words.count(word)
    for text in shorter(" ".join(words)):
        assert text.split().count(word) == count, text


@given(st.data(), st.sampled_from(["en", "ko"]))
@settings(max_examples=examples(40))
def test_inserted_unknown_word_may_be_left_out(data, language):
    unknown = {"en": "frobnicated", "ko": "뷁뷁뷁을"}[language]
    words = LONG[language].split()
    place = data.draw(st.integers(2, len(words) - 1).filter(lambda n: words[n - 1] not in JOINTS))
    said = [*words[:place], unknown, *words[place:]]
    assert shorter(" ".join(said))[0] == LONG[language]


def test_unknown_subject_of_a_condition_is_never_left_out():
    text = "뷁뷁 끝나면 빨간 사과를 쟁반에 올려놓고 파란 공을 가져와"
    assert all("뷁뷁" in one for one in shorter(text))


def test_results_keep_most_words():
    text = "frob the wugly apple quite gladly onto the tray blim blam blom"
    sizes = [len(one.split()) for one in shorter(text)]
    assert min(sizes) >= 0.6 * len(text.split())
    assert len(sizes) <= 16


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("is the apple on the tray wug?", "is the apple on the tray?"),
        ("take the red apple wug, now", "take the red apple now"),
        ("Wug, take the apple now", "take the apple now"),
    ],
)
def test_punctuation_follows_the_kept_words(text, result):
    assert result in shorter(text)


def test_unknown_word_at_the_beginning_of_a_clause_is_taken_for_a_verb():
    assert all("wug" in one for one in shorter("take the red apple, wug the tray and go home"))


def test_short_text_is_not_shortened():
    assert shorter("wug it") == []


def test_reader_yields_only_shortened_texts_that_it_can_parse():
    found = list(reader(frozenset()).shortened_texts("put the wug apple on the blim tray"))
    assert found == []
    found = list(reader(frozenset()).shortened_texts("put the apple wug on the tray"))
    assert found == ["put the apple on the tray"]
