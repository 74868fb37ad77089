"""Sequences, fallbacks and parallels, as traces."""

import pytest
from py_trees.common import Status

from bt_exec.site.site import Limits
from bt_exec.testing import run_tree, scripted_condition, scripted_skill
from tests.bt_exec.nodes.two_packs import Stage

NO_REPLANS = Limits(replans=0)
FOREVER = ("forever",)


def run(root, *parts):
    return run_tree(f"tree: t\nroot: {root}", parts, limits=NO_REPLANS)


CASES = {
    "sequence: finished children are not run again": (
        "{sequence: [{do: a}, {do: b}]}",
        [scripted_skill("a"), scripted_skill("b", [("2", "done")])],
        ["1 a done", "1 b running", "1 sequence running", "3 b done", "3 sequence done"],
    ),
    "fallback: the next is tried after a failure, the first success ends it": (
        "{fallback: [{do: a}, {do: b}, {do: c}]}",
        [scripted_skill("a", ["STUCK"]), scripted_skill("b"), scripted_skill("c")],
        ["1 a failed STUCK", "1 b done", "1 fallback done"],
    ),
    "choice: the branch that was decided on is the only one": (
        "{fallback: [{sequence: [{check: n}, {do: a}]}, {sequence: [{check: {not: n}}, {do: b}]}]}",
        [
            scripted_condition("n", [True, False]),
            scripted_skill("a", ["STUCK"]),
            scripted_skill("b"),
        ],
        ["1 n done", "1 a failed STUCK", "1 sequence failed STUCK", "1 fallback failed STUCK"],
    ),
    "parallel all: one failure ends it and stops the others": (
        "{parallel: [{do: a}, {do: b}]}",
        [scripted_skill("a", [FOREVER]), scripted_skill("b", [("1", "STUCK")])],
        [
            "1 a running",
            "1 b running",
            "1 parallel running",
            "2 b failed STUCK",
            "2 a stopped",
            "2 parallel failed STUCK",
        ],
    ),
    "parallel any: one success ends it and stops the others": (
        "{parallel: [{do: a}, {do: b}], succeed_when: any}",
        [scripted_skill("a", [FOREVER]), scripted_skill("b", [("1", "done")])],
        [
            "1 a running",
            "1 b running",
            "1 parallel running",
            "2 b done",
            "2 a stopped",
            "2 parallel done",
        ],
    ),
    "parallel any: fails only when nobody can succeed": (
        "{parallel: [{do: a}, {do: b}], succeed_when: any}",
        [scripted_skill("a", ["STUCK"]), scripted_skill("b", [("1", "SLIPPED")])],
        [
            "1 a failed STUCK",
            "1 b running",
            "1 parallel running",
            "2 b failed SLIPPED",
            "2 parallel failed STUCK",
        ],
    ),
    "parallel 2 of 3: a failure is borne, finished children are not ticked again": (
        "{parallel: [{do: a}, {do: b}, {do: c}], succeed_when: 2}",
        [scripted_skill("a"), scripted_skill("b", ["STUCK"]), scripted_skill("c", [("2", "done")])],
        [
            "1 a done",
            "1 b failed STUCK",
            "1 c running",
            "1 parallel running",
            "3 c done",
            "3 parallel done",
        ],
    ),
    "parallel 2 of 3: out of reach is failure at once": (
        "{parallel: [{do: a}, {do: b}, {do: c}], succeed_when: 2}",
        [
            scripted_skill("a", ["STUCK"]),
            scripted_skill("b", ["STUCK"]),
            scripted_skill("c", [FOREVER]),
        ],
        [
            "1 a failed STUCK",
            "1 b failed STUCK",
            "1 c stopped",
            "1 c running",
            "1 parallel failed STUCK",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_composite_reports_the_expected_statuses(name):
    root, parts, trace = CASES[name]
    assert sorted(run(root, *parts).trace()) == sorted(trace)


NOTING = "{fallback: [{do: a}, {check: n}]}"


@pytest.mark.parametrize(
    ("root", "scripts", "noted"),
    [
        (NOTING, {"a": ["STUCK"]}, ["fallback STUCK"]),
        (NOTING, {}, []),
        ("{fallback: [{check: n}, {do: a}]}", {"a": ["STUCK"]}, []),  # no earlier failure
        ("{fallback: [{do: a}, {do: b}]}", {"a": ["STUCK"]}, []),  # done by the alternative
        (f"{{sequence: [{NOTING}, {{do: b}}]}}", {"a": ["STUCK"]}, ["fallback STUCK"]),
        # the failed branch was not continued
        (
            f"{{fallback: [{{sequence: [{NOTING}, {{do: b}}]}}, {{do: c}}]}}",
            {"a": ["STUCK"], "b": ["SLIPPED"]},
            [],
        ),
        # each iteration is noted once, independent of the others
        (f"{{sequence: [{NOTING}], repeat: 2}}", {"a": ["STUCK", "done"]}, ["fallback STUCK"]),
        (f"{{sequence: [{NOTING}], repeat: 2}}", {"a": ["done", "SLIPPED"]}, ["fallback SLIPPED"]),
        (
            f"{{sequence: [{NOTING}], repeat: 3}}",
            {"a": ["STUCK", "done", "SLIPPED"]},
            ["fallback STUCK", "fallback SLIPPED"],
        ),
        # only the last attempt counts
        (
            f"{{sequence: [{NOTING}, {{do: b}}], retry: 2}}",
            {"a": ["STUCK", "done"], "b": ["SLIPPED", "done"]},
            [],
        ),
        (f"{{parallel: [{NOTING}, {{do: b}}]}}", {"a": ["STUCK"]}, ["fallback STUCK"]),
    ],
)
def test_failure_is_noted_if_the_plan_continued_after_it(root, scripts, noted):
    parts = [scripted_skill(name, scripts.get(name, ["done"])) for name in "abc"]
    stage = Stage(root, [*parts, scripted_condition("n", notes=True)])
    while (status := stage.tick()) is Status.RUNNING:
        pass
    assert status is Status.SUCCESS
    found = stage.built.recorded_failures()
    assert [f"{path.rpartition('/')[2]} {failure.code}" for path, failure in found] == noted


def test_failed_fallback_keeps_every_failure():
    parts = [scripted_skill("a", ["STUCK"]), scripted_skill("b", ["SLIPPED"])]
    (failure,) = run("{fallback: [{do: a}, {do: b}]}", *parts).outcome.failures
    assert (failure["code"], failure["path"]) == ("SLIPPED", "b")
    assert (failure["cause"]["code"], failure["cause"]["path"]) == ("STUCK", "a")


def test_check_fails_with_its_own_code():
    found = run("{check: c, else: NOT_THERE}", scripted_condition("c", [False])).outcome
    assert (found.status, found.reason_code) == ("blocked", "NOT_THERE")


def test_check_with_tell_succeeds_for_either_answer():
    for answer, word in ((True, "yes"), (False, "no")):
        found = run("{check: c, tell: true}", scripted_condition("c", [answer])).outcome
        assert (found.status, found.message) == ("satisfied", word)


@pytest.mark.parametrize(
    ("expression", "verdicts", "status"),
    [
        ("{not: c}", [False], "satisfied"),
        ("{not: c}", [True], "blocked"),
        ("{all: [c, d]}", [True, True], "satisfied"),
        ("{all: [c, d]}", [True, False], "blocked"),
        ("{any: [c, d]}", [False, True], "satisfied"),
        ("{any: [c, d]}", [False, False], "blocked"),
        ("{any: [c, d]}", [None, True], "satisfied"),  # the unknown verdict has no effect
        ("{all: [c, d]}", [None, False], "blocked"),
        ("{not: {any: [c, d]}}", [False, False], "satisfied"),
    ],
)
def test_condition_expression_is_evaluated(expression, verdicts, status):
    parts = [
        scripted_condition(name, [verdict]) for name, verdict in zip("cd", verdicts, strict=False)
    ]
    assert run(f"{{check: {expression}}}", *parts).outcome.status == status
