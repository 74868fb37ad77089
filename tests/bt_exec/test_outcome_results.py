"""Outcome of a mission: its results and its text."""

from __future__ import annotations

from bt_exec.failure import Failure
from bt_exec.mission_outcome import Outcome
from bt_exec.testing import run_tree, scripted_skill

LOOK = """
tree: look
params: {place: {type: text, default: here}}
returns: {seen: $found, number: $count}
root: {do: look_at, save: {things: found, n: count}}
"""


def look(*script):
    return scripted_skill("look_at", script or ["done"], result={"things": ["cup"], "n": 2})


def test_root_tree_returns_its_results():
    outcome = run_tree("tree: top\nroot: {tree: look}", [look()], trees=[LOOK]).outcome
    assert outcome.results == {"seen": ["cup"], "number": 2}
    assert outcome.to_dict()["results"] == {"seen": ["cup"], "number": 2}


def test_saved_names_of_a_plan_are_results():
    text = "tree: top\nroot: {tree: look, save: {seen: mine}}"
    outcome = run_tree(text, [look()], trees=[LOOK]).outcome
    assert outcome.results == {"seen": ["cup"], "number": 2}


def test_unsuccessful_mission_has_no_results():
    outcome = run_tree("tree: top\nroot: {tree: look}", [look("BLIND")], trees=[LOOK]).outcome
    assert not outcome.ok
    assert outcome.results == {}
    assert "results" not in outcome.to_dict()


def test_failed_outcome_explains_its_causes():
    cause = Failure("SLIPPED", "moved 31 mm", "t/grasp", args={"arm": "left"})
    failure = Failure("STUCK", "", "t/pull", evidence={"traceback": "a\nb\nc\nd\n"}, cause=cause)
    outcome = Outcome(
        "m", "go", "failed", "STUCK", "It is stuck.", failures=(failure.to_dict(),), problems=("p",)
    )
    assert outcome.explain().splitlines() == [
        "failed: STUCK: It is stuck.",
        "  STUCK · t/pull",
        "    b",
        "    c",
        "    d",
        "  SLIPPED · t/grasp · moved 31 mm (arm='left')",
        "  p",
    ]
    assert repr(outcome) == (
        "<Outcome failed: STUCK: It is stuck. | STUCK · t/pull | b | c | d | "
        "SLIPPED · t/grasp · moved 31 mm (arm='left') | p>"
    )


def test_repr_of_an_outcome_is_its_message():
    assert repr(Outcome("m", "go", "satisfied", "OK", "Done.")) == "<Outcome satisfied: Done.>"
