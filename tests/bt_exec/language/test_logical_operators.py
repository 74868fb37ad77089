"""Detection of operator words in a text, and of unused ones."""

from __future__ import annotations

import pytest

from bt_exec.language.closed_classes import closed_classes
from bt_exec.language.logical_operators import operators_in

TABLES = {language: closed_classes(language)["operators"] for language in ("en", "ko")}
WORDS = [
    (language, kind, word)
    for language, table in TABLES.items()
    for kind in ("condition", "negation", "order", "limit")
    for word in table.get(kind, {}).get("words", ())
    if word not in table["leading"]
]
NEUTRAL = [(language, phrase) for language, table in TABLES.items() for phrase in table["neutral"]]


@pytest.mark.parametrize(("language", "kind", "word"), WORDS)
def test_operator_word_is_found_with_its_kind(language, kind, word):
    text = f"문 {word} 문" if language == "ko" else f"go {word} here"
    kinds = {one.kind for one in operators_in(text, language)}
    assert kind in kinds


@pytest.mark.parametrize(("language", "phrase"), NEUTRAL)
def test_neutral_phrase_has_no_operator(language, phrase):
    assert operators_in(phrase, language) == ()


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "open the door", []),
        ("en", "if you can't see it, come back", ["if", "can't"]),
        ("en", "if you can, open the door", []),
        ("en", "isn't the door open? don't close it", ["don't"]),
        ("en", "the knot is notable", []),
        ("en", "go everywhere except for the lounge", ["except for"]),
        ("en", "check it only if it is open", ["only if"]),
        ("en", "close it. Before that, open it", ["Before that"]),
        ("ko", "문이 열려 있으면 닫아", ["있으면"]),
        ("ko", "화면을 봐", []),
        ("ko", "그럼 문 닫아", []),
        ("ko", "문 열려 있어? 그럼 닫아", ["그럼"]),
        ("ko", "라운지는 말고 복도 봐", ["말고"]),
        ("ko", "몇 명 있는지 말씀드려", []),
        ("ko", "문 닫지 말고 열어 둬", ["닫지 말고"]),
        ("ko", "문 닫아. 그 전에는 팔 접어", ["그 전에는"]),
        ("ko", "괜찮으면 문 열어", []),
        ("ko", "자재가 있는지 없는지 봐", []),
    ],
)
def test_operators_are_returned_as_typed(language, text, expected):
    found = operators_in(text, language)
    assert [one.text for one in found] == expected
    assert all(text[one.start : one.end] in one.text for one in found)


def test_further_neutral_phrases_are_ignored():
    assert operators_in("do not bother me", "en", neutral=("do not bother me",)) == ()
