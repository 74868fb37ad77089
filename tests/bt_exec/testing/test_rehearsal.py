"""Rehearsals of trees with injected failures."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec import Running, Steps, Verdict, condition, skill
from bt_exec.site.site import Site, load_site
from bt_exec.testing.rehearsal import (
    Disturbance,
    disturbance_combinations,
    disturbances,
    explore,
    module_of_tests,
    rehearse,
)
from bt_exec.testing.tree_run import scripted_site


@skill(effects={"lid": "open"}, fails={"JAMMED"})
def lift() -> Steps:
    """Open the lid."""
    yield Running()


@skill(effects={"lid": "open"}, fails={"JAMMED"})
def pry() -> Steps:
    """Force the lid open."""
    yield Running()


@skill(needs={"lid": "open"}, effects={"hand": "cup"}, fails={"SLIPPED"})
def take() -> Steps:
    """Take the cup."""
    yield Running()


@skill(effects={"lid": "closed"}, fails={"JAMMED"})
def shut() -> Steps:
    """Close the lid."""
    yield Running()


@condition(establishes={"lid": "{state}"})
def lid_is(state: str) -> Verdict:
    """Return whether the lid is in a state."""
    raise AssertionError


PARTS = (lift, pry, take, shut, lid_is)
TREE = """
tree: fetch
root:
  sequence:
    - do: lift
      skip_if: {lid_is: {state: open}}
    - do: take
      while: {lid_is: {state: open}}
      retry: 2
    - check: {lid_is: {state: open}}
      else: FELL_SHUT
"""
OTHER = "tree: opened\notherwise:\n  - {after: [JAMMED], tree: by_force}\nroot: {do: lift}\n"
FORCE = "tree: by_force\nroot: {do: pry}\n"


def ends(site: Site, *disturbed: Disturbance, tree: str = "fetch") -> tuple[str, str]:
    run = rehearse(tree, site, {}, disturbed)
    return run.end_kind, run.end_reason


SITE = scripted_site(PARTS, [TREE, OTHER, FORCE])


@pytest.mark.parametrize(
    ("disturbed", "expected"),
    [
        ((), ("done", "")),
        ([Disturbance("fails", "take", 1, "SLIPPED")], ("recovered", "within the plan")),
        ([Disturbance("fails", "take", 1, "TIMEOUT")], ("recovered", "within the plan")),
        ([Disturbance("flips", "lid_is open", 3)], ("blocked", "FELL_SHUT")),
        ([Disturbance("unknown", "lid_is open")], ("blocked", "UNCERTAIN")),
        ([Disturbance("flips", "skip_if.lid_is open")], ("done", "")),
    ],
)
def test_disturbed_tree_has_the_expected_ending(disturbed, expected):
    assert ends(SITE, *disturbed) == expected


def test_rehearsal_reports_the_alternative_of_the_library():
    jammed = Disturbance("fails", "lift", 1, "JAMMED")
    assert ends(SITE, jammed, tree="opened") == ("recovered", "plan 2: by_force")


def test_skill_started_with_an_unmet_need_is_found():
    site = scripted_site(
        PARTS, ["tree: wrong\nroot: {sequence: [{do: shut}, {fallback: [{do: take}, {do: lift}]}]}"]
    )
    assert rehearse("wrong", site, {}).end_kind == "need unmet"


def test_rehearsal_with_rejected_arguments_ends_as_stuck():
    site = scripted_site(
        PARTS, ["tree: rounds\nparams: {n: {type: integer}}\nroot: {do: lift, repeat: $n}"]
    )
    assert rehearse("rounds", site, {}).end_kind == "done"
    assert rehearse("rounds", site, {"n": "many"}).end_kind == "stuck"


def test_disturbances_are_listed_once_per_call_and_check():
    found = list(map(str, disturbances(rehearse("fetch", SITE, {}), SITE.catalogue)))
    assert found[:4] == [
        "lift #1 fails JAMMED",
        "lift #1 fails TIMEOUT",
        "take #1 fails SLIPPED",
        "take #1 fails TIMEOUT",
    ]
    assert "skip_if.lid_is open #1 flips" in found
    assert len(found) == len(set(found))
    assert (
        len(
            list(
                disturbance_combinations(
                    [Disturbance("unknown", name) for name in "abc"], pairs=True
                )
            )
        )
        == 6
    )


def test_generated_module_expects_the_found_outcomes():
    jammed = Disturbance("fails", "open_door", 1, "DOOR_STUCK")
    run = rehearse("open_door", load_site("door"), {}, [jammed])
    names: dict[str, Any] = {}
    exec(module_of_tests("door", [run]), names)
    assert names["CASES"] == [("open_door", {}, (jammed,), run.end_kind, run.end_reason)]
    door = load_site("door")
    names["test_rehearsal"](door, *names["CASES"][0])
    with pytest.raises(AssertionError):
        names["test_rehearsal"](door, "open_door", {}, (), run.end_kind, run.end_reason)


SITES = ("door", "building", "tabletop", "image")


@pytest.mark.parametrize("name", SITES)
def test_shipped_trees_succeed_undisturbed(name):
    site = load_site(name)
    found = {tree: rehearse(tree, site, {}).end_kind for tree in site.library.names()}
    assert set(found.values()) <= {"done", "recovered", "partial", "blocked"}, found


@pytest.mark.slow
@pytest.mark.parametrize("name", SITES)
def test_injected_failures_never_leave_a_shipped_tree_stuck(name):
    site = load_site(name)
    runs = (run for tree in site.library.names() for run in explore(tree, site, {}))
    wrong = [run for run in runs if run.end_kind in ("stuck", "need unmet")]
    assert wrong == []
