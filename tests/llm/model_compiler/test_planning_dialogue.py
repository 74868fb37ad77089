"""Sentences for every fault, in both languages, each reason once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bt_exec.failure import Problem
from bt_exec.language.messages import LANGUAGES
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_llm.model_compiler import typical_mistake_checks
from bt_exec_llm.model_compiler.planning_dialogue import printable, problem_sentences, sentences
from bt_exec_skills.door.rules import checkers as rules
from tests.llm.model_compiler.corpus import corpus
from tests.llm.model_compiler.fake_door import run_paper

TALK = Path(__file__).parents[2] / "data" / "bad_talk" / "building.yaml"
NAMED = {
    code
    for module in (typical_mistake_checks, rules)
    for code in re.findall(r"^([A-Z][A-Z_]{5,})  ", module.__doc__ or "", re.MULTILINE)
}


def test_every_fault_code_has_a_bad_answer_in_the_corpus():
    assert {"EMPTY_PLAN", "OPENING_IN_CLOSE_COMMAND", "PLAN_FOR_ANOTHER_COMMAND"} <= NAMED
    talk = parse_yaml(TALK.read_text(encoding="utf-8"))
    tried = {code for bad in corpus() for code in bad.codes}
    tried |= {code for bad in talk for code in bad["codes"]}
    assert tried | {"COMMAND_FORBIDS", "SAME_PART_AGAIN"} >= NAMED  # both need another situation


@pytest.mark.parametrize("code", sorted(NAMED))
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_has_a_sentence(code, language):
    assert code in sentences()
    (told,) = problem_sentences([Problem(code, "x", found="y")], language)
    assert code not in told


@pytest.mark.parametrize(
    ("command", "answer", "found"),
    [
        ("get the material", "root: {tree: shut_and_go_home}", "nothing on hand.right"),
        ("is the door open?", "root: {tree: is_the_door_closed}", "door_is closed"),
        ("is the door open?", "root: {check: door_known}", "no such check"),
        (
            "get the material",
            "root: {tree: get_material, skip_if: {door_is: {state: closed}}}",
            "hand.right=material, not in every case",
        ),
    ],
)
def test_refusal_describes_the_deviation_of_the_plan(scripted, command, answer, found):
    said = run_paper(command, scripted([answer])).outcome.message
    assert f"it did not do what was asked ({found})" in said


def test_fault_without_a_sentence_is_reported_as_format_error():
    assert problem_sentences([Problem("BAD_TIME", "x", found="20")], "en") == (
        "the plan did not have the required form (20)",
    )


def test_refusal_lists_at_most_three_kinds_of_reasons():
    problems = [
        Problem(code, "x") for code in ("EMPTY_PLAN", "NO_PLAN", "EMPTY_PLAN", "TOO_BIG", "CUT_OFF")
    ]
    assert len(problem_sentences(problems, "ko")) == 3


def test_external_text_is_reduced_to_one_printable_line():
    assert printable("a\x1b[2J\nb\u202e" + "c" * 1000) == "a [2J b " + "c" * 291 + "…"
