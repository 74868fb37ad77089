"""Replan policy: failures that lead to another plan."""

from __future__ import annotations

import pytest

from bt_exec.failure import Failure
from bt_exec.mission.planner import ReplanPolicy
from bt_exec.pack import Catalogue, Pack
from bt_exec.skill import Verdict, condition
from bt_exec.spec.model import Do, Mission, MissionSpec


@condition(patience_s=1.0, unknown="DOUBT")
def clear() -> Verdict:
    """Return True."""
    return Verdict.yes("clear")


CATALOGUE = Catalogue([Pack("p", conditions=(clear,))])
SLIPPED = Failure("SLIPPED", "it slipped", path="0", kind="skill")


def plan(version: int = 1, skill: str = "grab") -> MissionSpec:
    return MissionSpec(mission=Mission(command="x", plan_version=version), root=Do(do=skill))


@pytest.mark.parametrize(
    ("failure", "ending"),
    [
        (Failure("SKILL_CRASHED", "bug"), ("failed", "SKILL_CRASHED", "")),
        (Failure("CONDITION_CRASHED", "bug"), ("failed", "CONDITION_CRASHED", "")),
        (Failure("BAD_ARGUMENT", "no"), ("failed", "BAD_ARGUMENT", "")),
        (Failure("NOT_RECORDED", "disk full"), ("failed", "NOT_RECORDED", "")),
        (Failure("DOUBT", "who knows"), ("blocked", "DOUBT", "")),
        (Failure("ABSENT", "no", kind="check"), ("blocked", "ABSENT", "")),
        (Failure("ABSENT", "no", kind="check", retryable=False), ("blocked", "ABSENT", "")),
        (Failure("BROKEN", "no", retryable=False), ("blocked", "SKILL_FAILED", "")),
    ],
)
def test_failure_that_no_plan_can_fix_ends_the_mission(failure, ending):
    worth = ReplanPolicy(3, CATALOGUE)
    found = worth.ending_after_failure(failure, plan(), {})
    assert (found.status, found.reason_code, found.why) == ending
    assert found.failure is failure
    assert worth.replans == 0


def test_same_failure_of_the_same_plan_ends_the_mission():
    worth = ReplanPolicy(9, CATALOGUE)
    assert worth.ending_after_failure(SLIPPED, plan(1), {"door": "open"}) is None
    again = worth.ending_after_failure(SLIPPED, plan(2), {"door": "open"})
    assert (again.status, again.why) == ("blocked", "NO_PROGRESS")
    assert (again.reason_code, again.failure, worth.replans) == ("SKILL_FAILED", SLIPPED, 1)


def test_plan_with_other_kept_steps_counts_as_different():
    worth = ReplanPolicy(9, CATALOGUE)
    kept = MissionSpec(mission=Mission(command="x", kept=("grab",)), root=Do(do="grab"))
    said = MissionSpec(mission=Mission(command="y", notes=("n",)), root=Do(do="grab"))
    assert worth.ending_after_failure(SLIPPED, plan(), {}) is None
    assert worth.ending_after_failure(SLIPPED, kept, {}) is None
    assert worth.ending_after_failure(SLIPPED, said, {}).why == "NO_PROGRESS"


@pytest.mark.parametrize(
    ("failure", "spec", "facts"),
    [
        (SLIPPED, plan(2), {"door": "closed"}),
        (SLIPPED, plan(2, "push"), {"door": "open"}),
        (Failure("STUCK", "", path="0"), plan(2), {"door": "open"}),
        (Failure("SLIPPED", "", path="1"), plan(2), {"door": "open"}),
    ],
)
def test_different_failure_counts_as_progress(failure, spec, facts):
    worth = ReplanPolicy(9, CATALOGUE)
    assert worth.ending_after_failure(SLIPPED, plan(1), {"door": "open"}) is None
    assert worth.ending_after_failure(failure, spec, facts) is None
    assert worth.replans == 2


def test_replan_budget_ends_the_mission():
    worth = ReplanPolicy(2, CATALOGUE)
    for turn in range(2):
        assert worth.ending_after_failure(SLIPPED, plan(), {"turn": str(turn)}) is None
    spent = worth.ending_after_failure(SLIPPED, plan(), {"turn": "2"})
    assert (spent.status, spent.why, worth.replans) == ("blocked", "BUDGET_SPENT", 2)
    assert (spent.reason_code, spent.failure) == ("SKILL_FAILED", SLIPPED)


def test_turns_are_limited_and_failures_passed_to_the_next_turn():
    turns = ReplanPolicy(0, CATALOGUE, turns=3)
    assert turns.ending_after_turn(None) is None
    assert turns.ending_after_turn(SLIPPED) is None
    spent = turns.ending_after_turn(SLIPPED)
    assert (spent.status, spent.reason_code, spent.why) == ("blocked", "TURNS_SPENT", "TURNS_SPENT")
    assert (spent.failure, turns.replans) == (SLIPPED, 0)


def test_default_limit_is_twenty_four_turns():
    turns = ReplanPolicy(0, CATALOGUE)
    assert [turns.ending_after_turn(None) for _ in range(23)] == [None] * 23
    assert turns.ending_after_turn(None).why == "TURNS_SPENT"


def test_turn_that_cannot_be_recorded_is_the_last():
    lost = Failure("NOT_RECORDED", "disk full")
    ending = ReplanPolicy(0, CATALOGUE).ending_after_turn(lost)
    assert (ending.status, ending.reason_code, ending.failure) == ("failed", "NOT_RECORDED", lost)
