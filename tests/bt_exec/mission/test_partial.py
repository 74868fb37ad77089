"""Partial missions: a failure that a fallback only noted appears in the outcome."""

from __future__ import annotations

import pytest

from bt_exec.mission.pack_reporters import Reporters
from bt_exec.mission_reporter import Action, MissionReporter
from bt_exec.pack import Pack
from bt_exec.testing import run_tree, scripted_condition, scripted_skill

NOTED = scripted_condition("noted", notes=True)
SURE = scripted_condition("sure")


def parts(**scripts: str):
    skills = (scripted_skill(name, [script]) for name, script in scripts.items())
    return [*skills, NOTED, SURE, scripted_condition("never", [False])]


def either(work: str, other: str = "check: noted") -> str:
    return f"{{fallback: [{work}, {{{other}}}]}}"


def run(*steps: str, **scripts: str):
    tree = f"tree: t\nroot: {{sequence: [{', '.join(steps)}]}}"
    return run_tree(tree, parts(**{"a": "1", "b": "1", "home": "1", **scripts})).outcome


A, B, HOME = "{do: a}", "{do: b}", "{do: home}"


@pytest.mark.parametrize(
    ("steps", "scripts", "status", "missing"),
    [
        ([either(A), either(B)], {}, "satisfied", []),
        ([either(A), either(B)], {"b": "SLIPPED"}, "partial", ["b"]),
        ([either(A), either(B), HOME], {"a": "LOST", "b": "LOST"}, "partial", ["a", "b"]),
        # a requested answer counts as a result
        ([either(A), "{check: sure, tell: true}"], {"a": "LOST"}, "partial", ["a"]),
        ([either(A), "{check: sure}"], {"a": "LOST"}, "blocked", ["a"]),
        # a means to a failed part is not a result
        ([either("{sequence: [{do: a}, {do: b}]}")], {"b": "LOST"}, "blocked", ["b"]),
        ([either(A), either(B)], {"a": "LOST", "b": "LOST"}, "blocked", ["a", "b"]),
        # an alternative with the same goal leaves nothing incomplete
        ([either(A, "do: b")], {"a": "LOST"}, "satisfied", []),
        ([either(A, "check: sure")], {"a": "LOST"}, "satisfied", []),
        # a note inside a failed branch does not count
        (
            [either(f"{{sequence: [{either(A)}, {{check: never}}]}}", "do: b")],
            {"a": "LOST"},
            "satisfied",
            [],
        ),
        # each repetition counts
        ([f"{{sequence: [{either(A)}], repeat: 2}}", B], {"a": "LOST"}, "partial", ["a"]),
        # without an earlier failure there is nothing to note
        (["{fallback: [{check: noted}, {do: a}]}", B], {}, "satisfied", []),
    ],
)
def test_part_with_a_noted_failure_is_incomplete(steps, scripts, status, missing):
    outcome = run(*steps, **scripts)
    assert (outcome.status, [part["node"] for part in outcome.undone]) == (status, missing)
    codes = {"satisfied": (0, "OK"), "partial": (6, "PARTLY_DONE"), "blocked": (3, "NOTHING_DONE")}
    assert (outcome.exit_code, outcome.reason_code) == codes[status]
    assert [f["node"] for f in outcome.failures] == missing
    assert ("undone" in outcome.to_dict()) is bool(missing)


def test_part_done_at_the_second_attempt_is_complete():
    again = run_tree(
        f"tree: t\nroot: {{sequence: [{either('{do: a, retry: 2}')}, {B}]}}",
        [scripted_skill("a", ["LOST", "1"]), scripted_skill("b", ["1"]), NOTED],
    )
    assert (again.outcome.status, again.outcome.undone) == ("satisfied", ())


def test_part_done_by_a_later_plan_is_complete():
    found = run_tree(
        f"tree: t\nroot: {{sequence: [{either(A)}, {B}]}}",
        [scripted_skill("a", ["LOST", "1"]), scripted_skill("b", ["SLIPPED", "1"]), NOTED],
    )
    assert (found.outcome.status, found.outcome.plan_version) == ("satisfied", 2)
    assert found.outcome.undone == ()


def test_mission_that_fails_later_reports_earlier_incomplete_parts():
    outcome = run(either(A), "{check: never}", a="LOST")
    assert (outcome.status, outcome.reason_code) == ("blocked", "CHECK_FAILED")
    assert [part["node"] for part in outcome.undone] == ["a"]


class _Picky(MissionReporter):
    def achieved(self, done):
        return any(action.name != "home" for action in done)


class _Broken(MissionReporter):
    def achieved(self, done):
        raise RuntimeError("on purpose")


@pytest.mark.parametrize(
    ("reporter", "done", "some"),
    [
        (None, ["home"], True),
        (_Picky, ["home"], False),
        (_Picky, ["home", "a"], True),
        (_Picky, [], False),
        (_Broken, ["home"], True),  # its answer is lost: completed actions count
    ],
)
def test_reporter_of_a_pack_decides_which_actions_count_as_achieved(reporter, done, some):
    reporters = Reporters([Pack(name="p", reporter=reporter)], {})
    assert reporters.achieved([Action(name, {}) for name in done], lambda _: "p") is some
