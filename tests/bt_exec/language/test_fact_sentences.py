"""Known state in sentences: selection of facts, wording and age."""

from __future__ import annotations

import pytest

from bt_exec.language.fact_sentences import OLD_S, Known, _sentences, age_phrase, fact_sentences
from bt_exec.language.messages import Messages

WORDS = """
door=open: {en: The door is open., ko: 문이 열려 있습니다.}
at=*: {en: "I am at {value}.", ko: "{value}에 있습니다."}
at=dock: {en: I am at home., ko: 집에 있습니다.}
left=up: {en: The left arm is up., ko: 왼팔}
right=up: {en: The right arm is up., ko: 오른팔}
left=up + right=up: {en: Both arms are up., ko: 두 팔을 들었습니다.}
"""
BOTH = "Both arms are up."


@pytest.fixture
def words(tmp_path) -> Messages:
    file = tmp_path / "words.yaml"
    file.write_text(WORDS, encoding="utf-8")
    return Messages.load([file])


@pytest.mark.parametrize(
    ("facts", "said", "rest"),
    [
        ({}, (), {}),
        ({"door": "open"}, ("The door is open.",), {}),
        ({"door": "ajar", "lid": "on"}, (), {"door": "ajar", "lid": "on"}),
        # the sentence of a value is preferred to that of any value
        ({"at": "dock"}, ("I am at home.",), {}),
        ({"at": "shelf"}, ("I am at shelf.",), {}),
        # a sentence of several facts is used once and only if all of them hold
        ({"left": "up", "door": "open", "right": "up"}, (BOTH, "The door is open."), {}),
        ({"left": "up", "right": "down"}, ("The left arm is up.",), {"right": "down"}),
        ({"right": "up"}, ("The right arm is up.",), {}),
    ],
)  # fmt: skip
def test_facts_with_sentences_are_reported_and_the_others_returned(words, facts, said, rest):
    assert fact_sentences(facts, words, "en") == (said, rest)


def test_earlier_fact_is_joined_with_a_current_one(words):
    words._sentences["was door=open + left=up"] = {"en": "The arm holds the door."}
    facts = {"door": "open", "left": "up", "right": "up"}
    known = Known(facts, now=3.0, since={"door": 1.0})
    assert [said for _, said in _sentences(facts, words, "en", known)] == [
        "The arm holds the door.",
        BOTH,
    ]


def test_facts_are_reported_in_the_requested_language(words):
    facts = {"door": "open", "left": "up", "right": "up", "at": "A"}
    said, _ = fact_sentences(facts, words, "ko")
    assert said == ("문이 열려 있습니다.", "두 팔을 들었습니다.", "A에 있습니다.")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0, "a moment ago"), (0.99, "a moment ago"), (1.0, "1 s ago"), (12.4, "12 s ago")],
)
def test_age_is_formatted_in_words(seconds, words):
    assert age_phrase(seconds) == words


@pytest.mark.parametrize(
    ("t", "old"),
    [(10.0, False), (10.0 - OLD_S, False), (9.9 - OLD_S, True), (8.0, False), (7.9, True)],
)
def test_fact_is_old_when_found_before_the_last_action_or_long_ago(t, old):
    acted = 8.0 if t in (8.0, 7.9) else 0.0
    assert Known({}, now=10.0, acted=acted).is_old(t) is old


def test_fact_without_a_later_action_is_not_old():
    assert not Known({}).is_old(-1.0)
    assert OLD_S == 5.0  # this number is documented for operators
