"""Generated questions about the world "mixed", whose answers are known by construction."""

from __future__ import annotations

import re
from itertools import product

import pytest

from bt_exec_skills.tabletop.goals.answers import answer
from bt_exec_skills.tabletop.goals.compiler import understand
from bt_exec_skills.tabletop.goals.model import Trouble
from tests.skills.tabletop.test_commands import WORLDS

pytestmark = pytest.mark.sampled

NOW = WORLDS["mixed"]
TABLES = {"left": ("왼쪽 테이블", "table_0"), "right": ("오른쪽 테이블", "table_1"),
          "back": ("뒤쪽 테이블", "table_2")}  # fmt: skip
KINDS = {"cube": "큐브", "cup": "컵", "bowl": "그릇", "plate": "접시"}
FINAL = ("컵", "그릇")  # end in a consonant
COLOURS = {"red": "빨간", "blue": "파란", "green": "초록"}


def topic(word: str) -> str:
    return f"{word}은" if word in FINAL else f"{word}는"


def found(*words: str, table: str = "") -> list[str]:
    """Return the objects whose names contain all words, on a table if one is given."""
    return [
        name
        for name in NOW.objects
        if all(word in name.split("_") for word in words)
        and (not table or NOW.table_of(name) == table)
    ]


def answered(question: str) -> bool | int:
    """Return the answer to a question: yes or no, or a number."""
    asked = understand(question, NOW).question
    assert asked is not None, question
    said = answer(asked, NOW, None, "en")
    assert said.decided, question
    if question.startswith("how many") or "몇" in question:
        number = re.match(r"\d+", said.text)
        return int(number[0]) if number else 0
    return said.holds


@pytest.mark.parametrize("kind", KINDS)
def test_answers_about_counts_match_the_world(kind: str) -> None:
    word = KINDS[kind]
    assert answered(f"how many {kind}s are there?") == len(found(kind))
    assert answered(f"{word} 몇 개야?") == len(found(kind))
    for table, (name, id_) in TABLES.items():
        count = len(found(kind, table=id_))
        assert answered(f"how many {kind}s are on the {table} table?") == count
        assert answered(f"{name}에 {word} 몇 개 있어?") == count
    for colour, spoken in COLOURS.items():
        count = len(found(kind, colour))
        assert answered(f"how many {colour} {kind}s are there?") == count
        assert answered(f"{spoken} {topic(word)} 몇 개 있어?") == count
        assert answered(f"how many {kind}s are not {colour}?") == len(found(kind)) - count
    for other in KINDS.keys() - {kind}:
        both = len(found(kind)) + len(found(other))
        assert answered(f"how many {kind}s and {other}s are there?") == both
        assert answered(f"{word}하고 {topic(KINDS[other])} 모두 몇 개야?") == both


@pytest.mark.parametrize("kind", KINDS)
def test_answers_about_existence_and_comparisons_match_the_world(kind: str) -> None:
    word = KINDS[kind]
    for (table, (name, id_)), (colour, spoken) in product(TABLES.items(), COLOURS.items()):
        there = bool(found(kind, table=id_))
        assert answered(f"is there a {kind} on the {table} table?") is there
        assert answered(f"{name}에 {word} 있어?") is there
        there = bool(found(kind, colour, table=id_))
        assert answered(f"is there a {colour} {kind} on the {table} table?") is there
        assert answered(f"is any {kind} on the {table} table {colour}?") is there
        assert answered(f"{name}에 {spoken} {word} 있어?") is there
    for other in KINDS.keys() - {kind}:
        more = len(found(kind)) > len(found(other))
        assert answered(f"are there more {kind}s than {other}s?") is more


@pytest.mark.parametrize("holder", ["빨간 그릇", "파란 그릇"])
@pytest.mark.parametrize("case", ["이", "은", ""])
def test_korean_word_for_not_is_not_read_as_inside(holder: str, case: str) -> None:
    assert answered(f"{holder} 안이 비어 있어?") is True
    try:
        asked = understand(f"{holder}{case} 안 비어 있어?", NOW).question
    except Trouble:
        return
    assert asked is not None
    assert answer(asked, NOW, None, "ko").holds is False or not case


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("every", ["다", "모두", "전부"])
def test_question_about_all_objects_is_answered_yes_only_if_it_holds_for_each(
    kind: str, every: str
) -> None:
    word, kinds = KINDS[kind], found(kind)
    for colour, spoken in COLOURS.items():
        holds = set(found(kind, colour)) == set(kinds)
        hue = spoken if spoken.endswith("록") else f"{spoken}색"
        assert answered(f"are all {kind}s {colour}?") is holds
        assert answered(f"{topic(word)} {every} {hue}이야?") is holds
    for table, (name, id_) in TABLES.items():
        holds = set(found(kind, table=id_)) == set(kinds)
        assert answered(f"are all {kind}s on the {table} table?") is holds
        assert answered(f"{topic(word)} {every} {name}에 있어?") is holds
