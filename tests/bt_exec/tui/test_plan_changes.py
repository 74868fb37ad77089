from __future__ import annotations

import pytest

from bt_exec.failure import Failure
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec.tui.plan_changes import changes_text


def plan(*steps: str, kept: str = "") -> MissionSpec:
    lines = [
        "mission: {command: work, plan_version: 1, kept: [" + kept + "]}",
        "root:",
        "  sequence:",
    ]
    for step in steps:
        name, _, arm = step.partition(" ")
        lines.append(f"    - {{do: {name}, with: {{arm: {arm or 'right'}}}}}")
    document = load_text("\n".join(lines)).document
    assert isinstance(document, MissionSpec)
    return document


@pytest.mark.parametrize(
    ("old", "new", "failed", "said"),
    [
        (
            plan("open", "grasp", "home"),
            plan("open", "look", "grasp", "home", kept="open"),
            "grasp",
            "keeps: open · changes: grasp → look, grasp",
        ),
        (plan("open"), plan("open left"), "open", "changes: open arm right → left"),
        (plan("open"), plan("open"), "open", "tries the same again"),
        (
            plan("open", "grasp"),
            plan("open", kept="open"),
            "grasp",
            "keeps: open · changes: grasp → nothing",
        ),
        (
            plan("a"),
            plan("b", "c", "d", "e", "f", "a"),
            "a",
            "changes: a → b, c, d, e and 2 more",
        ),
    ],
)
def test_new_plan_lists_its_changes(
    old: MissionSpec, new: MissionSpec, failed: str, said: str
) -> None:
    assert changes_text(old, new, Failure("X", path=failed)) == said


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("open the door with the {arm} arm", "open the door with the right arm → left arm"),
        ("{arm}팔로 문 열기", "right팔로 → left팔로 문 열기"),
        ("{arm}", "right → left"),
    ],
)
def test_words_common_to_two_phrases_are_shown_once(phrase: str, said: str) -> None:
    told = changes_text(
        plan("open"),
        plan("open left"),
        Failure("X", path="open"),
        phrase=lambda node: phrase.format(**getattr(node, "args", {"arm": ""})),
    )
    assert told == f"changes: {said}"


def test_checks_that_only_let_a_plan_continue_are_not_steps() -> None:
    text = (
        "mission: {command: work, plan_version: 1, kept: [noted]}\nroot:\n  sequence:\n"
        "    - fallback: [{do: open, with: {arm: right}}, {check: noted}]\n"
        "    - {do: grasp, with: {arm: right}}\n"
    )
    new = load_text(text).document
    assert isinstance(new, MissionSpec)
    assert changes_text(plan("grasp"), new, Failure("X", path="grasp")) == (
        "changes: grasp → open, grasp"
    )
