"""Skills and conditions that violate their contract: each yields a failure of the mission."""

import asyncio
import json
import sys
import threading
from dataclasses import dataclass

import numpy as np
import pytest
from py_trees.common import Status

from bt_exec import Failed
from bt_exec.events import Progress, SkillEnded
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.testing import run_tree, scripted_skill
from tests.bt_exec.nodes.two_packs import Stage


class _Mute(Exception):  # noqa: N818 - imitates a foreign exception
    """Exception whose text cannot be read."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def _exit():
    sys.exit(3)


def _raise(error):
    raise error


CRASHES = {
    "it leaves the program": (_exit, "SystemExit: 3"),
    "it is told to leave": (lambda: _raise(GeneratorExit("now")), "GeneratorExit: now"),
    "a task of its own is cancelled": (
        lambda: _raise(asyncio.CancelledError("late")),
        "CancelledError: late",
    ),
    "its error has no words": (lambda: _raise(_Mute()), "_Mute"),
}


@pytest.mark.parametrize("name", CRASHES)
def test_crashing_skill_is_a_failure_and_its_siblings_are_stopped(name):
    crash, said = CRASHES[name]

    @skill()
    def a() -> Steps:
        """Crash in the second step."""
        yield Running()
        crash()

    run = run_tree(
        "tree: t\nroot: {parallel: [{do: other}, {do: a}]}",
        [a, scripted_skill("other", [("forever",)])],
    )
    assert (run.outcome.status, run.outcome.reason_code) == ("failed", "SKILL_CRASHED")
    assert run.outcome.failures[0]["message"] == said
    assert run.robot.log == ["other start", "other stopped"]


@pytest.mark.parametrize("name", CRASHES)
@pytest.mark.parametrize(
    "node", ["{check: c}", "{do: a, while: c}", "{do: a, skip_if: c}", "{check: {not: c}}"]
)
def test_crashing_condition_is_a_failure(node, name):
    crash, said = CRASHES[name]

    @condition()
    def c() -> Verdict:
        """Crash."""
        crash()
        return Verdict.yes()

    run = run_tree(f"tree: t\nroot: {node}", [c, scripted_skill("a")])
    assert (run.outcome.status, run.outcome.reason_code) == ("failed", "CONDITION_CRASHED")
    assert run.outcome.failures[0]["message"] == f"c raised {said}"


ANSWERS = {
    "nothing": (None, "TypeError: returned NoneType instead of a Verdict"),
    "a bare truth": (True, "TypeError: returned bool instead of a Verdict"),
    "a word": (Verdict("yes"), "TypeError: holds must be True, False or None; found 'yes'"),
    "no list of facts": (
        Verdict(True, evidence=None),
        "TypeError: evidence must be a tuple of strings; found None",
    ),
    "a number for a reason": (Verdict(False, why=5), "TypeError: why must be a string; found 5"),
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("node", ["{check: c}", "{check: {all: [c, c]}}", "{check: {not: c}}"])
def test_condition_with_an_invalid_answer_is_a_failure(node, name):
    answer, said = ANSWERS[name]

    @condition()
    def c() -> Verdict:
        """Return an invalid answer."""
        return answer

    run = run_tree(f"tree: t\nroot: {node}", [c])
    assert (run.outcome.status, run.outcome.reason_code) == ("failed", "CONDITION_CRASHED")
    assert run.outcome.failures[0]["message"] == f"c raised {said}"


@pytest.mark.parametrize("node", ["{check: c}", "{check: {any: [no, c]}}", "{check: {all: [c]}}"])
def test_numpy_bool_is_a_valid_verdict(node):
    @condition()
    def c() -> Verdict:
        """Compare numbers."""
        return Verdict(np.float64(2) > 1, "more")

    @condition()
    def no() -> Verdict:
        """Compare numbers."""
        return Verdict(np.float64(0) > 1, "less")

    assert run_tree(f"tree: t\nroot: {node}", [c, no]).outcome.status == "satisfied"


@dataclass
class _Held:
    lock: object
    grams: int


def test_result_may_contain_objects_that_cannot_be_copied():
    @skill()
    def a() -> Steps[_Held]:
        """Return a lock."""
        yield Running()
        return _Held(threading.Lock(), 7)

    @skill()
    def b(grams: int) -> Steps:
        """Take a number."""
        assert grams == 7
        yield Running()

    tree = "tree: t\nroot: {sequence: [{do: a, save: {grams: g}}, {do: b, with: {grams: $g}}]}"
    run = run_tree(tree, [a, b])
    assert run.outcome.status == "satisfied"
    ended = next(event for event in run.events if isinstance(event, SkillEnded))
    assert ended.result["grams"] == 7


def test_outcome_with_a_lock_as_evidence_is_serialisable():
    @skill(fails={"STUCK"})
    def a() -> Steps:
        """Fail with a lock as evidence."""
        yield Running()
        raise Failed("STUCK", "no way", retryable=False, lock=threading.Lock())

    data = run_tree("tree: t\nroot: {do: a}", [a]).outcome.to_dict()
    assert json.loads(json.dumps(data, default=repr))["failures"][0]["code"] == "STUCK"


@pytest.mark.parametrize(
    ("told", "kept"), [(float("nan"), None), (np.float32(0.5), 0.5), (1, 1.0), (None, None)]
)
def test_invalid_progress_becomes_unknown(told, kept):
    @skill()
    def a() -> Steps:
        """Yield a progress value."""
        yield Running(told, "moving")

    run = run_tree("tree: t\nroot: {do: a}", [a])
    assert [e.progress for e in run.events if isinstance(e, Progress)] == [kept]


@pytest.mark.parametrize("step", [Running("half"), 42, None])
def test_invalid_step_is_a_skill_error(step):
    @skill()
    def a() -> Steps:
        """Yield an invalid step."""
        yield step

    assert run_tree("tree: t\nroot: {do: a}", [a]).outcome.reason_code == "SKILL_CRASHED"


@pytest.mark.parametrize("blocked", [1, 3])
def test_blocking_skill_is_logged_once_and_recorded(blocked, caplog):
    stage = Stage("{do: a}", [scripted_skill("a", [("5", "done")])])
    for _ in range(blocked - 1):
        stage.tick()
    clock = iter(range(0, 1000, 5))  # every step takes five seconds
    stage.runtime.watch.present.clock = lambda: next(clock)
    while (status := stage.tick()) is Status.RUNNING:
        pass
    assert status is Status.SUCCESS
    said = "“a” blocked the mission for 5.0 s; nothing else could run meanwhile."
    assert [record.message for record in caplog.records] == [said]
    assert [event.held_s for event in stage.of(SkillEnded)] == [5.0]


def test_skill_that_yields_in_time_is_not_logged(caplog):
    run_tree("tree: t\nroot: {do: a}", [scripted_skill("a", [("3", "done")])])
    assert caplog.records == []
