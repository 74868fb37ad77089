"""Verification of all layers: order and conditions of the checks."""

from __future__ import annotations

from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec.verify import verify_document, verify_library, verify_mission
from tests.bt_exec.verify.layers import CATALOGUE, LIBRARY


def test_example_library_has_no_problems() -> None:
    assert verify_library(LIBRARY, CATALOGUE) == ()


def test_problems_are_in_the_order_of_the_text() -> None:
    document, source = load_text(
        "tree: t\nroot:\n  parallel:\n    - {do: open_lid, with: {arm: left}}\n"
        "    - {do: open_lid, with: {arm: left}, repeat: 1000, timeout: 1h}\n    - {do: lok}\n"
        "    - {do: rest}\n  succeed_when: 9\n",
        "t.yaml",
    )
    found = verify_document(document, CATALOGUE, LIBRARY, source)
    assert [(p.file, p.line, p.code) for p in found] == [
        ("t.yaml", 5, "CLAIMED_TWICE"),
        ("t.yaml", 5, "TOO_LONG_RUNNING"),
        ("t.yaml", 6, "UNKNOWN_SKILL"),
        ("t.yaml", 7, "MISSING_ARGUMENT"),
        ("t.yaml", 8, "TOO_MANY_NEEDED"),
    ]


def test_observations_are_checked_only_for_valid_plans() -> None:
    root = {"sequence": [{"do": "take", "with": {"arm": "left"}}, {"do": "lok"}]}
    spec = MissionSpec.model_validate({"mission": {"command": "x"}, "root": root})
    found = verify_mission(spec, CATALOGUE, labels=(), facts={"lid": "closed"})
    assert [problem.code for problem in found] == ["UNKNOWN_SKILL"]


def test_plan_without_text_has_paths_but_no_lines() -> None:
    spec = MissionSpec.model_validate({"mission": {"command": "x"}, "root": {"do": "lok"}})
    (problem,) = verify_document(spec, CATALOGUE, Library())
    assert str(problem) == (
        "the plan: root/do: there is no skill 'lok' (found lok; allowed: look, take, open_lid, "
        "put, rest, follow, wait) [UNKNOWN_SKILL]"
    )
