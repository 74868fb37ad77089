"""Table of modifiers in bt_exec.spec.model, row by row, as traces."""

from typing import Literal

import pytest

from bt_exec.skill import Verdict, condition
from bt_exec.testing import run_tree, scripted_condition, scripted_skill

CASES = {
    "skip_if holds: done without doing, once on entry": (
        "root: {do: a, skip_if: c}",
        [scripted_skill("a"), scripted_condition("c", [True], skip_reason="already so")],
        ["1 a skipped already so"],
        [],
    ),
    "skip_if is explained by what held, not by what did not": (
        "root: {do: a, skip_if: {any: [c, d]}}",
        [
            scripted_skill("a"),
            scripted_condition("c", [False], skip_reason="already so"),
            scripted_condition("d", [True], skip_reason="already thus"),
        ],
        ["1 a skipped already thus"],
        [],
    ),
    "skip_if of what does not hold is an unmet condition": (
        "root: {do: a, skip_if: {not: c}}",
        [scripted_skill("a"), scripted_condition("c", [False], skip_reason="already so")],
        ["1 a skipped condition not met"],
        [],
    ),
    "skip_if does not hold: the node runs; it is not asked again": (
        "root: {do: a, skip_if: c}",
        [scripted_skill("a", [("2", "done")]), scripted_condition("c", [False, True])],
        ["1 a running", "3 a done"],
        ["a start", "a done"],
    ),
    "skip_if waits for what is not known yet": (
        "root: {do: a, skip_if: c}",
        [scripted_skill("a"), scripted_condition("c", [None, None, False])],
        ["1 a running", "3 a done"],
        ["a start", "a done"],
    ),
    "skip_if that nobody can answer fails within its patience; nothing ran": (
        "root: {do: a, skip_if: c}",
        [scripted_skill("a"), scripted_condition("c", [None], patience_s=0.1, unknown="DARK")],
        ["1 a running", "3 a failed DARK"],
        [],
    ),
    "retry: attempts in all, one per tick": (
        "root: {do: a, retry: 3}",
        [scripted_skill("a", ["SLIPPED", "SLIPPED", "done"])],
        ["1 a running", "3 a done"],
        ["a start", "a SLIPPED", "a start", "a SLIPPED", "a start", "a done"],
    ),
    "retry: a crash is not tried again": (
        "root: {do: a, retry: 3}",
        [scripted_skill("a", ["crash", "done"])],
        ["1 a failed SKILL_CRASHED"],
        ["a start", "a crash"],
    ),
    "timeout: checked before the tick, so a late success cannot pass": (
        "root: {do: a, timeout: 100ms}",
        [scripted_skill("a", [("2", "done")])],  # would be done in tick 3, at 0.10 s
        ["1 a running", "3 a stopped", "3 a failed TIMEOUT"],
        ["a start", "a stopped"],
    ),
    "timeout counts per attempt, inside retry": (
        "root: {do: a, timeout: 100ms, retry: 2}",
        [scripted_skill("a", [("forever",), "done"])],
        ["1 a running", "3 a stopped", "4 a done"],
        ["a start", "a stopped", "a start", "a done"],
    ),
    "while: asked each tick before the node, which is stopped when it does not hold": (
        "root: {do: a, while: c}",
        [scripted_skill("a", [("forever",)]), scripted_condition("c", [True, True, False])],
        ["1 a running", "3 a stopped", "3 a failed GUARD_BROKEN"],
        ["a start", "a stopped"],
    ),
    "while: the code that stands beside the condition is that of the failure": (
        "root: {do: a, while: {c: {}, else: DARK}}",
        [scripted_skill("a", [("9", "done")]), scripted_condition("c", [True, False])],
        ["1 a running", "2 a stopped", "2 a failed DARK"],
        ["a start", "a stopped"],
    ),
    "while: not known yet starts nothing": (
        "root: {do: a, while: c}",
        [scripted_skill("a"), scripted_condition("c", [None, None, True])],
        ["1 a running", "3 a done"],
        ["a start", "a done"],
    ),
    "while: once started, doubt is borne within the condition's patience": (
        "root: {do: a, while: c}",
        [
            scripted_skill("a", [("forever",)]),
            scripted_condition("c", [True, None], patience_s=0.1, unknown="DARK"),
        ],
        ["1 a running", "4 a stopped", "4 a failed DARK"],
        ["a start", "a stopped"],
    ),
    "while is inside timeout: the guard's time counts": (
        "root: {do: a, while: c, timeout: 100ms}",
        [scripted_skill("a"), scripted_condition("c", [None], patience_s=9)],
        ["1 a running", "3 a failed TIMEOUT"],
        [],
    ),
    "repeat: N successes in a row, one per tick": (
        "root: {do: a, repeat: 3}",
        [scripted_skill("a")],
        ["1 a running", "3 a done"],
        ["a start", "a done"] * 3,
    ),
    "repeat: any failure ends it": (
        "root: {do: a, repeat: 3}",
        [scripted_skill("a", ["done", "crash"])],
        ["1 a running", "2 a failed SKILL_CRASHED"],
        ["a start", "a done", "a start", "a crash"],
    ),
    "repeat is outside retry: each round has its attempts": (
        "root: {do: a, repeat: 2, retry: 2}",
        [scripted_skill("a", ["SLIPPED", "done"])],
        ["1 a running", "3 a done"],
        ["a start", "a SLIPPED", "a start", "a done", "a start", "a done"],
    ),
    "skip_if is asked once for all rounds": (
        "root: {do: a, repeat: 2, skip_if: c}",
        [scripted_skill("a"), scripted_condition("c", [False, True])],
        ["1 a running", "2 a done"],
        ["a start", "a done"] * 2,
    ),
    "modifiers work on composites, too": (
        "root: {sequence: [{do: a}, {do: b}], retry: 2, name: both}",
        [scripted_skill("a"), scripted_skill("b", ["SLIPPED", "done"])],
        [
            "1 both/a done",
            "1 both/b failed SLIPPED",
            "1 both running",
            "2 both/b done",
            "2 both done",
        ],
        ["a start", "a done", "b start", "b SLIPPED", "a start", "a done", "b start", "b done"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_modifier_reports_the_expected_statuses(name):
    root, parts, trace, log = CASES[name]
    run = run_tree(f"tree: t\n{root}", parts, limits=no_replans())
    assert run.trace() == trace
    assert run.robot.log == log


def no_replans():
    from bt_exec.site.site import Limits

    return Limits(replans=0)


@condition(patience_s=0.1, unknown="DARK")
def door_is(state: Literal["open", "closed"]) -> Verdict:
    """Whether the door is in a state; too dark to see."""
    return Verdict.unknown(f"too dark to see whether it is {state}")


@pytest.mark.parametrize(
    ("guard", "args"),
    [
        ("{door_is: {state: open}}", {"state": "open"}),
        ("{any: [{door_is: {state: open}}, {door_is: {state: closed}}]}", {}),
    ],
)
def test_failure_of_a_guard_names_its_arguments(guard, args):
    text = f"tree: t\nroot: {{do: a, while: {guard}}}"
    run = run_tree(text, [scripted_skill("a"), door_is])
    (failure,) = run.outcome.failures
    assert (failure["node"], failure["args"]) == ("door_is", args)


def test_retry_keeps_earlier_failures_as_causes():
    skill = scripted_skill("a", ["SLIPPED", "STUCK"])
    run = run_tree("tree: t\nroot: {do: a, retry: 2}", [skill], limits=no_replans())
    (failure,) = run.outcome.failures
    assert failure["code"] == "STUCK"
    assert failure["cause"]["code"] == "SLIPPED"


def test_every_skill_has_a_timeout():
    skill = scripted_skill("a", [("forever",)], timeout_s=0.2)
    run = run_tree("tree: t\nroot: {do: a}", [skill], limits=no_replans())
    assert run.trace()[-1] == "5 a failed TIMEOUT"
    message = run.outcome.failures[0]["message"]
    assert message == "not done after 0.2 s (limit 0.2 s); last activity: running"
