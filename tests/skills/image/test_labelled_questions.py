"""Labelled questions: their interpretation, and which are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import bt_exec.language.reading
from bt_exec.language.messages import language_of
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_skills.image.rules.question import UnanswerableQuestion
from bt_exec_skills.image.rules.question_plans import CannotTell, build_plan
from bt_exec_skills.image.rules.question_reader import read_question

ASKED = parse_yaml(Path(__file__).with_name("asked.yaml").read_text("utf-8"))
NAMES = "tomato|apple|plate|cup|bottle|person"
FACTS = {
    "picture": "given", "annotation.names": NAMES, "detector.names": "", "reader": "ready",
    "second": "given",
}  # fmt: skip


def words_of(phrase):
    return sorted([*phrase.attributes, *filter(None, [phrase.thing])])


@pytest.mark.sampled
@pytest.mark.parametrize("case", ASKED, ids=lambda case: case["say"])
def test_question_is_read_as_labelled(case):
    text = case["say"]

    def read():
        question = read_question(text, case.get("context", ()), NAMES.split("|"))
        build_plan(question, language_of(text), FACTS, text)
        return question

    if case["want"] == "refuse":
        with pytest.raises((UnanswerableQuestion, CannotTell)):
            read()
        return
    found = read()
    assert found.kind == case["kind"]
    if "target" in case:
        assert words_of(found.target) == sorted(case["target"])
    if "other" in case:
        assert found.other is not None
        assert words_of(found.other) == sorted(case["other"])
    assert sorted(map(words_of, found.left_out)) == sorted(map(sorted, case.get("without", [])))
    assert found.relation == case.get("relation")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (
            "How many circles are not red and not blue?",
            "How many circles are neither red nor blue?",
        ),
        ("How many circles are not red or blue?", "How many circles are neither red nor blue?"),
        ("How many circles aren't red but big?", "How many big circles are not red?"),
        ("빨갛지 않고 크지 않은 원은 몇 개야?", "크지 않고 빨갛지 않은 원은 몇 개야?"),
        ("네모 왼쪽에 없는 원은 몇 개야?", "네모 왼쪽에 있지 않은 원은 몇 개야?"),
    ],
)
def test_negation_excludes_the_same_objects_as_its_paraphrase(text, same):
    one, other = read_question(text).target, read_question(same).target
    assert set(one.left_out) == set(other.left_out) or one.places == other.places != ()


@pytest.mark.parametrize(
    "text",
    [
        "Are not all circles red?",
        "Are any circles not red and big?",
        "Are only the circles red?",
        "Don't count the circles.",
        "모든 원이 빨갛지는 않지?",
        "원이 모두 빨갛지 않아?",
        "빨간 원만 있어?",
        "원만 빨간색이야?",
        "원 세지 마",
        "원이 네모보다 안 많아?",
    ],
)
def test_question_with_an_unused_operator_is_refused(text):
    with pytest.raises(UnanswerableQuestion):
        read_question(text)


def test_python_code_of_the_reader_contains_no_hangul():
    (folder,) = bt_exec.language.reading.__path__
    for file in Path(folder).glob("*.py"):
        text = file.read_text("utf-8")
        assert not any("가" <= char <= "힣" for char in text), file
