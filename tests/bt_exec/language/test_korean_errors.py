"""Errors in Korean: usage errors, and mistakes in written files such as trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bt_exec.failure import Problem, SpecError
from bt_exec.language import korean_errors
from bt_exec.language.korean_errors import (
    korean_error,
    korean_message,
    korean_mistake,
    korean_problem,
)
from bt_exec.spec.shipped_yaml import read_yaml

TABLE: dict[str, dict[str, str]] = read_yaml(Path(korean_errors.__file__).with_suffix(".yaml"))
ROOT = Path(__file__).parents[3]
FOLDERS = ("spec", "verify", "site", "language", "declarations", "scaffold", "evaluation", "cli")
MAKERS = ("Problem", "problem", "make_problem", "report_problem", "FactMistake", "refuse")
"""Functions that report a mistake in a file, also if their names begin with an underscore."""
CODE = re.compile(r"[A-Z]{3,}(_[A-Z0-9]+)*")
LINE = re.compile(
    r"\S+ \| (\d+:\d+: )?(?:([\w\[\]/]+): )?(.*?)( \((found|allowed).*\))? \[([A-Z_0-9]+)\]"
)
ENGLISH = re.compile(r"(?<![\w'/.:=$-])[a-z]+ [a-z]{2,}\b")
QUOTED = re.compile(r"'[^']*'")
NAMED = re.compile(r"'[^']+'|\$\w+|(?<![\w/$.])(?:[2-9]|\d\d+)\b")


def told() -> Iterator[Problem]:
    """Yield the mistakes of all malformed trees of the tests."""
    for line in (ROOT / "tests/data/malformed/told.txt").read_text(encoding="utf-8").splitlines():
        if found := LINE.match(line):
            yield Problem(found[6], found[3], found[2] or "")


def codes() -> Iterator[tuple[str, str]]:
    """Yield each code of a mistake in a file, with its place in the source."""
    files = [f for folder in FOLDERS for f in (ROOT / "bt_exec" / folder).rglob("*.py")]
    files += (ROOT / "llm/bt_exec_llm/offline").glob("lexicon_*.py")
    files += (ROOT / "bt_exec/interchange").glob("*import*.py")
    files += [ROOT / "bt_exec/interchange/xml_text.py", ROOT / "bt_exec/nodes/fault_plan.py"]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            for arg in node.args[:2] if name.lstrip("_") in MAKERS else ():
                if isinstance(arg, ast.Constant) and CODE.fullmatch(str(arg.value)):
                    yield str(arg.value), f"{file.relative_to(ROOT)}:{node.lineno}"


def test_every_code_of_a_mistake_has_a_korean_text():
    lacking = {code: where for code, where in codes() if code not in TABLE["problems"]}
    lacking |= {one.code: "told.txt" for one in told() if one.code not in TABLE["problems"]}
    assert lacking == {}
    assert len(dict(codes())) > 50


def test_every_korean_text_belongs_to_a_code():
    source = "".join(
        file.read_text(encoding="utf-8")
        for folder in ("bt_exec", "llm")
        for file in (ROOT / folder).rglob("*.py")
    )
    kinds = re.compile(r"UNKNOWN_(COMPILER|PACK|ROBOT|VALUE)")  # composed at run time
    assert {c for c in TABLE["problems"] if f'"{c}"' not in source and not kinds.match(c)} == set()


@pytest.mark.sampled
@pytest.mark.parametrize("code", TABLE["problems"])
def test_text_of_a_code_contains_no_english(code: str):
    said = TABLE["problems"][code]
    assert re.search("[가-힣]", said)
    assert not ENGLISH.search(QUOTED.sub("", said))


def test_problems_of_malformed_trees_have_korean_messages():
    english = {}
    for one in told():
        said = korean_problem(one)
        place = one.place and f"{one.place}: "
        if not re.search("[가-힣]", said) or ENGLISH.search(
            QUOTED.sub("", said.removeprefix(place))
        ):
            english[one.message] = said
    assert english == {}


def test_names_and_numbers_of_malformed_trees_are_kept_in_korean():
    lost = {}
    for one in told():
        said = korean_problem(one)
        named = [part.strip("'") for part in NAMED.findall(one.message)]
        if missing := [name for name in named if name not in said and not name[-1].isupper()]:
            lost[one.message] = (said, missing)
    assert lost == {}


def test_code_without_a_translated_message_keeps_its_names():
    one = Problem("MISSING_FIELD", "the new thing 'speed' and $arm are needed", found="$arm")
    assert korean_mistake(one) == "필요한 필드가 없습니다: 'speed', $arm"
    assert korean_problem(one).startswith("필요한 필드가 없습니다: 'speed' (쓴 것: $arm)")


def test_korean_problem_contains_position_found_and_allowed_values():
    one = Problem(
        "UNKNOWN_SKILL", "there is no skill 'fly'", "root/do", "fly", ("look",), "a.yaml", 2, 12
    )
    assert korean_problem(one) == (
        "a.yaml:2:12: root/do: 'fly' 동작이 없습니다 (쓴 것: fly; 쓸 수 있는 것: look) "
        "[UNKNOWN_SKILL]"
    )
    many = Problem("NEW_CODE", "a new mistake", allowed=tuple("abcdefghijklmno"))
    assert korean_problem(many).endswith("k, l 외 3개) [NEW_CODE]")
    assert korean_message(SpecError([one, many])).count("\n") == 1


@pytest.mark.sampled
@pytest.mark.parametrize("english", TABLE["errors"])
def test_korean_error_keeps_the_values_of_the_english_message(english: str):
    parts = [f"'x{number}'" for number in range(english.count("*"))]
    text = english
    for part in parts:
        text = text.replace("*", part, 1)
    korean = korean_error(text)
    assert re.search("[가-힣]", korean)
    assert all(part in korean for part in parts) or "형식" in korean
    assert not re.search(r"\((를|가|는|와)\)", korean)


def test_message_without_a_translation_is_unchanged():
    assert korean_error("something new happened") == "something new happened"


def test_names_in_quotes_are_not_translated():
    assert korean_error("the field 'site' is missing") == "'site' 필드가 없습니다"
    assert korean_error("there is no site 'site'; known, nearest first: none").startswith(
        "사이트 'site'"
    )
