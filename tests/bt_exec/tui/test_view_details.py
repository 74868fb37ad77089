"""Details of a mission view: values of results, recovered attempts and crashes."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from bt_exec.failure import Failure
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.testing import run_tree, scripted_condition, scripted_skill
from bt_exec.tui.node_text import fill_saved_results
from bt_exec.tui.plain_view import PlainView
from bt_exec.tui.static_tree_display import document_lines
from bt_exec.tui.summary import summary_lines
from bt_exec.tui.terminal_text import UNICODE, without_styles
from bt_exec.tui.view_drawing import tree_lines
from bt_exec.tui.view_model import ViewModel


class Seen(NamedTuple):
    things: list[str]
    count: int


@skill
def count_things(robot: object, place: str) -> Steps[Seen]:
    """Count the objects at a place."""
    yield Running()
    return Seen(["cup", "lid"], 2)


@skill(fails={"NOBODY"})
def announce(robot: object, place: list[str], text: str, number: int) -> Steps:
    """Announce something."""
    yield Running()


@condition
def enough(number: int) -> Verdict:
    """Return True if there are enough."""
    return Verdict.yes("enough")


LOOK = """
tree: look
params: {place: {type: text}}
returns: {things: $found, number: $number}
root: {do: count_things, with: {place: $place}, save: {things: found, count: number}}
"""
ROUND = """
tree: round
root:
  sequence:
    - {tree: look, with: {place: A}, save: {things: found}}
    - {tree: look, with: {place: B}, save: {things: things, number: number}}
    - do: announce
      with: {place: $found, text: "costs 5$ at $home", number: $number}
      while: {enough: {number: $number}}
    - {check: {enough: {number: $number}}}
"""


def watched(text, parts, *, upto=None, **more):
    """Return the model after a tree has run, and the lines of the plain view."""
    run = run_tree(text, parts, **more)
    lines = []
    view = PlainView(ViewModel(), lines.append)
    for event in run.events[:upto]:
        view.on(event)
    return view.model, lines, run.outcome


def test_saved_values_replace_their_names():
    model, lines, outcome = watched(ROUND, [count_things, announce, enough], trees=[LOOK])
    assert outcome.ok
    shown = without_styles(tree_lines(model, 90))
    assert "$found" not in shown + "".join(lines)
    assert "cup + lid, costs 5$ at $home, 2" in shown
    assert "enough" in shown
    assert any("cup + lid, costs 5$ at $home, 2" in line for line in lines)


def test_missing_result_is_shown_as_its_name_in_parentheses():
    model, _, _ = watched(ROUND, [count_things, announce, enough], trees=[LOOK], upto=4)
    shown = without_styles(tree_lines(model, 90))
    assert "(found), costs 5$ at $home, (number)" in shown
    assert "$number" not in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("$a, $b", "x, 2"),
        ("$a_2 $c_3", "1.5 (c)"),
        ("$$a $other 5$", "$$a $other 5$"),
        ("$a$b", "x2"),
        ("$yes $none", "yes nothing"),
    ],
)
def test_only_names_of_results_are_replaced(text, shown):
    values = {"a": "x", "b": 2, "a_2": 1.5, "yes": True, "none": []}
    assert fill_saved_results(text, frozenset((*values, "c_3")), values) == shown


def test_value_is_shown_as_one_short_sanitized_line():
    said = fill_saved_results("$a", frozenset("a"), {"a": "x\x1b[2J\n" + "y" * 99})
    assert said == "x[2J " + "y" * 34 + "…"


GRASP = "tree: t\nroot: {do: grasp, retry: 3}"


def test_recovered_attempts_are_shown():
    script = scripted_skill("grasp", ["SLIPPED", "MISSED", "done"])
    model, lines, _ = watched(GRASP, [script])
    shown = without_styles(tree_lines(model, 90))
    assert "└ attempt 1 · SLIPPED: as the script says" in shown
    assert "└ attempt 2 · MISSED: as the script says" in shown
    retries = [line.split(" s  ", 1)[-1] for line in lines if " retry " in line]
    assert [" ".join(line.split()) for line in retries] == [
        "retry grasp attempt 1 of 3 SLIPPED: as the script says",
        "retry grasp attempt 2 of 3 MISSED: as the script says",
    ]


def test_attempts_of_a_group_are_shown_in_its_row():
    text = "tree: t\nroot: {sequence: [{do: reach}, {do: grasp}], retry: 2, name: take}"
    script = [scripted_skill("reach"), scripted_skill("grasp", ["SLIPPED", "done"])]
    model, _, _ = watched(text, script)
    assert "└ attempt 1 · SLIPPED: as the script says" in without_styles(tree_lines(model, 90))


def test_failed_guard_of_an_attempt_is_shown():
    text = "tree: t\nroot: {do: go, while: {lit: {}, else: DARK}, retry: 2}"
    script = [scripted_skill("go", [("4", "done")]), scripted_condition("lit", [True, False, True])]
    model, _, outcome = watched(text, script)
    assert outcome.ok
    assert "└ attempt 1 · DARK: lit no longer holds: lit is False" in without_styles(
        tree_lines(model, 90)
    )


def test_last_failure_is_shown_during_a_retry():
    script = scripted_skill("grasp", ["SLIPPED", "MISSED", ("9", "done")])
    model, _, _ = watched(GRASP, [script], upto=14)
    shown = without_styles(tree_lines(model, 90))
    assert "attempt 2 · MISSED" in shown
    assert "attempt 1 · SLIPPED" not in shown


def test_traceback_of_a_crash_is_shown_on_request():
    outcome = run_tree("tree: t\nroot: {do: a}", [scripted_skill("a", ["crash"])]).outcome
    assert "Traceback" not in without_styles(summary_lines(outcome, 90))
    verbose = without_styles(summary_lines(outcome, 90, verbose=True))
    assert "Traceback (most recent call last):" in verbose
    assert "RuntimeError: made to crash" in verbose


def test_saved_and_returned_values_of_a_tree_are_shown():
    library = Library([load_text(LOOK), load_text(ROUND)])
    shown = without_styles(document_lines(library.get("look"), library, 90, UNICODE))
    assert "saves things as found, count as number" in shown
    assert "things = $found, number = $number" in shown
    shown = without_styles(document_lines(library.get("round"), library, 90, UNICODE))
    assert "saves things, number" in shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("I could not grasp it.", "I could not grasp it"),
        ("The hand is full.", "the hand is full"),
        ("QA failed.", "QA failed"),
    ],
)
def test_plan_change_reason_is_lower_case_except_i_and_abbreviations(said: str, shown: str) -> None:
    model = ViewModel()
    model.messages._sentences["NO_GRIP"] = {"en": said, "ko": said}
    assert model.plan_change_reason(Failure("NO_GRIP")) == shown
