"""Generated commands whose plans are known by construction, in the world "mixed".

A command is built from objects, goals and a condition, and so are the moves that it means. It may
be refused, because some combinations are ambiguous, but it never means other moves.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.cases import examples
from tests.skills.tabletop.test_commands import Row, understood

Moves: TypeAlias = frozenset[tuple[str, str, str]]


class Objects(NamedTuple):
    en: str
    ko: str  # ends in a word with a final consonant, or is followed by a particle for both
    names: frozenset[str]


class Goal(NamedTuple):
    en: str
    ko: str
    name: str


class Condition(NamedTuple):
    en: str
    ko: str
    holds: bool


def objects(en: str, ko: str, *names: str) -> Objects:
    return Objects(en, ko, frozenset(f"object_{name}_0" for name in names))


OBJECTS = [
    objects("the apple", "사과를", "apple"),
    objects("the red cup", "빨간 컵을", "red_cup"),
    objects("the ball", "공을", "big_blue_ball"),
    objects("the blue cube", "파란 큐브를", "small_blue_cube"),
    objects("the green cylinder", "초록 원기둥을", "small_green_cylinder"),
    objects("the red cube on the right table", "오른쪽 테이블에 있는 빨간 큐브를", "big_red_cube"),
    objects("the cube on the left table", "왼쪽 테이블에 있는 큐브를", "small_red_cube"),
    objects("both red cubes", "빨간 큐브를 둘 다", "big_red_cube", "small_red_cube"),
    objects("all cubes except the blue one", "파란 것 빼고 큐브를 전부", "big_red_cube",
            "small_red_cube"),
    objects("the small cubes", "작은 큐브들을", "small_blue_cube", "small_red_cube"),
]  # fmt: skip
GOALS = [
    Goal("in the red bowl", "빨간 그릇에", "object_red_bowl_0"),
    Goal("into the blue bowl", "파란 그릇에", "object_blue_bowl_0"),
    Goal("on the tray", "쟁반에", "object_tray_0"),
    Goal("onto the left table", "왼쪽 테이블에", "table_0"),
    Goal("on the right table", "오른쪽 테이블에", "table_1"),
    Goal("on the back table", "뒤쪽 테이블에", "table_2"),
]
CONDITIONS = [
    Condition("the red bowl is empty", "빨간 그릇이 비어 있으면", True),
    Condition("the tray is not empty", "쟁반이 비어 있지 않으면", False),
    Condition("there is a banana", "바나나가 있으면", False),
    Condition("there is no banana", "바나나가 없으면", True),
    Condition("the ball is on the left table", "공이 왼쪽 테이블에 있으면", True),
    Condition("the apple is on the right table", "사과가 오른쪽 테이블에 있으면", False),
]
FORMS = {  # text with {a} {g} for the first act, {b} {h} for the second one, {c} for the condition
    "en": {
        "both": ["put {a} {g} and move {b} {h}", "put {a} {g} and {b} {h}",
                 "first put {a} {g}, then move {b} {h}", "put {a} {g} before you put {b} {h}",
                 "before you put {b} {h}, put {a} {g}", "after putting {a} {g}, move {b} {h}",
                 "move {b} {h}, but first put {a} {g}"],
        "first": ["put {a} {g}", "put {a} {g} but leave {b} alone", "put {a} {g}, not {b}"],
        "if": ["if {c}, put {a} {g}", "put {a} {g} only if {c}", "put {a} {g} if {c}"],
        "unless": ["put {a} {g} unless {c}", "unless {c}, put {a} {g}"],
        "if both": ["if {c}, put {a} {g} and move {b} {h}"],
        "otherwise": ["if {c}, put {a} {g}, otherwise move {b} {h}",
                      "if {c}, put {a} {g}; if not, move {b} {h}"],
        "then if": ["put {a} {g}; if {c}, move {b} {h}"],
    },
    "ko": {
        "both": ["{a} {g} 놓고 {b} {h} 옮겨", "먼저 {a} {g} 놓고 그다음에 {b} {h} 놔",
                 "{b} {h} 놓기 전에 {a} {g} 옮겨", "{a} {g} 놓은 다음 {b} {h} 옮겨",
                 "{a} {g} 놓고 나서 {b} {h} 옮겨 줘"],
        "first": ["{a} {g} 놔", "{a} {g} 옮겨 줘"],
        "if": ["{c} {a} {g} 놔"],
        "unless": [],
        "if both": ["{c} {a} {g} 놓고 {b} {h} 놔"],
        "otherwise": ["{c} {a} {g} 놓고 아니면 {b} {h} 놔",
                      "{c} {a} {g} 놓고 그렇지 않으면 {b} {h} 놔"],
        "then if": [],
    },
}  # fmt: skip
LANGUAGES = ("en", "ko")
KINDS = [(language, kind) for language in LANGUAGES for kind, forms in FORMS[language].items()
         if forms]  # fmt: skip


def moves(what: Objects, goal: Goal) -> Moves:
    return frozenset((name, "in", goal.name) for name in what.names)


def meant(kind: str, first: Moves, second: Moves, holds: bool) -> list[Moves]:
    """Return the moves of a command, part by part; none if a condition does not hold."""
    match kind:
        case "both":
            return [first, second]
        case "first":
            return [first]
        case "if":
            return [first] if holds else []
        case "unless":
            return [] if holds else [first]
        case "if both":
            return [first, second] if holds else []
        case "otherwise":
            return [first] if holds else [second]
        case _:
            return [first, second] if holds else [first]


@pytest.mark.parametrize(("language", "kind"), KINDS)
@given(data=st.data())
@settings(max_examples=examples(60))
def test_generated_command_has_its_meaning_or_is_refused(data, language: str, kind: str) -> None:
    a, b = (data.draw(st.sampled_from(OBJECTS)) for _ in range(2))
    g, h = (data.draw(st.sampled_from(GOALS)) for _ in range(2))
    condition = data.draw(st.sampled_from(CONDITIONS))
    assume(a.names.isdisjoint(b.names))
    said = {
        name: getattr(part, language)
        for name, part in zip("abghc", (a, b, g, h, condition), strict=True)
    }
    command = data.draw(st.sampled_from(FORMS[language][kind])).format(**said)
    got = understood(Row("mixed", command, ""))
    wanted = meant(kind, moves(a, g), moves(b, h), condition.holds)
    if isinstance(got, str):
        assert got.startswith("!"), command
    else:
        assert list(map(frozenset, got)) == wanted, command


@pytest.mark.parametrize(("language", "kind"), KINDS)
def test_most_generated_commands_are_understood(language: str, kind: str) -> None:
    """Each form is tested with plain objects, because other ones may be refused as ambiguous."""
    a, b = OBJECTS[0], OBJECTS[2]
    g, h, condition = GOALS[1], GOALS[2], CONDITIONS[0]
    for form in FORMS[language][kind]:
        for holds in (condition, CONDITIONS[1]):
            parts = {"a": a, "b": b, "g": g, "h": h, "c": holds}
            said = {name: getattr(part, language) for name, part in parts.items()}
            got = understood(Row("mixed", form.format(**said), ""))
            wanted = meant(kind, moves(a, g), moves(b, h), holds.holds)
            found = [] if got in ("!CONDITION_UNMET", "!NOTHING_TO_DO") else got
            assert found != "?"
            assert isinstance(found, list), (form, got)
            assert list(map(frozenset, found)) == wanted, form
