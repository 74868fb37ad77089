"""Assumed facts during a mission, from the steps that ran."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.planning.assumed_facts_and_first_cause import Assumed
from bt_exec.skill import Verdict, condition
from bt_exec.testing import run_tree, scripted_skill
from bt_exec.testing.tree_run import scripted_site


@condition(establishes={"lid": "{state}"}, skip_reason="already {state}")
def lid_is(state: str) -> Verdict:
    """Return the verdict yes."""
    return Verdict(state == "open", "seen")


PARTS: list[Any] = [
    scripted_skill("go", effects={"at": "b"}),
    scripted_skill("leave", effects={"at": "?"}),
    scripted_skill("slip", ["NO"], effects={"at": "c", "hand": "full"}),
    scripted_skill("far", [("3", "done")], effects={"at": "c"}),
    scripted_skill("lost", [("3", "NO")], effects={"at": "d"}),
    scripted_skill("idle", ["forever"], effects={"lamp": "on"}),
    lid_is,
]
OPEN, SHUT = "{lid_is: {state: open}}", "{lid_is: {state: shut}}"


@pytest.mark.parametrize(
    ("root", "facts"),
    [
        ("{do: go}", {"at": "b"}),
        ("{sequence: [{do: go}, {do: leave}]}", {"at": "?"}),
        ("{fallback: [{do: slip}, {do: go}]}", {"at": "b", "hand": "?"}),
        ("{fallback: [{sequence: [{do: go}, {do: slip}]}, {check: " + OPEN + "}]}",
         {"at": "?", "hand": "?", "lid": "open"}),
        ("{parallel: [{do: go}, {do: idle}], succeed_when: any}", {"at": "b", "lamp": "?"}),
        # of two writers of a fact, the one that ended last counts
        ("{parallel: [{do: far}, {do: go}]}", {"at": "c"}),
        ("{parallel: [{do: go}, {do: far}]}", {"at": "c"}),
        ("{parallel: [{do: far}, {do: go}], succeed_when: any}", {"at": "?"}),
        ("{parallel: [{do: lost}, {do: go}, {do: far}], succeed_when: 2}", {"at": "c"}),
        ("{fallback: [{parallel: [{do: lost}, {do: go}]}, {do: slip}, {check: " + OPEN + "}]}",
         {"at": "?", "hand": "?", "lid": "open"}),
        ("{do: go, skip_if: " + OPEN + "}", {"lid": "open"}),
        ("{sequence: [{do: go}], skip_if: " + OPEN + "}", {"lid": "open"}),
        ("{do: go, skip_if: " + SHUT + "}", {"at": "b"}),
        ("{check: " + SHUT + ", tell: true}", {}),
        ("{fallback: [{check: " + SHUT + "}, {do: go}]}", {"at": "b"}),
    ],
)  # fmt: skip
def test_declared_effects_of_finished_steps_are_expected(root: str, facts: dict[str, str]) -> None:
    run = run_tree(f"tree: t\nroot: {root}", PARTS)
    assert run.outcome.status == "satisfied"
    assumed = Assumed(scripted_site(PARTS).catalogue)
    for event in run.events:
        assumed.on(event)
    assert assumed.facts == facts
