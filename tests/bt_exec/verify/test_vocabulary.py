"""Layer 1; each of its codes stands in the corpus (tests/data/malformed/expected.yaml), too."""

from __future__ import annotations

from tests.bt_exec.verify.layers import of_mission, of_tree


def test_names_that_mean_something() -> None:
    assert (
        of_tree("tree: t\nparams: {a: {type: Thing}}\nroot: {check: {near: {thing: $a}}}\n") == []
    )


def test_every_unknown_name_is_told() -> None:
    assert of_tree(
        "tree: t\nparams: {a: {type: Thng}}\nroot:\n  sequence:\n    - {do: lok, while: lid}\n"
        "    - {tree: opn_up, skip_if: {not: {any: [lit, lid]}}}\n    - {check: {all: [lid]}}\n"
    ) == [
        "2:20 UNKNOWN_TYPE",
        "5:12 UNKNOWN_SKILL",
        "5:24 UNKNOWN_CONDITION",
        "6:14 UNKNOWN_TREE",
        "6:49 UNKNOWN_CONDITION",
        "7:22 UNKNOWN_CONDITION",
    ]


def test_a_cycle_is_told_at_each_node_that_closes_it() -> None:
    assert of_tree(
        "tree: open_lid_twice\nroot:\n  sequence: [{tree: open_lid_twice}, {tree: find}]\n"
    ) == ["3:21 TREE_CYCLE"]
    assert of_tree(
        "tree: find\nroot:\n"
        "  sequence: [{tree: find}, {do: look}, {tree: fetch, with: {arm: left}}]"
    ) == ["3:21 TREE_CYCLE", "3:47 TREE_CYCLE"]


def test_another_way_may_run_the_tree_that_it_replaces() -> None:
    """Another way takes the place of this tree, so it runs it with other arguments at most."""
    way = "otherwise: [{on: [STUCK], tree: fetch, with: {arm: left}}]"
    assert of_tree(f"tree: find\n{way}\nroot: {{do: look}}\n") == []


def test_either_or() -> None:
    assert of_tree("tree: t\nroot: {check: lit, tell: true, else: DARK}\n") == [
        "2:32 ELSE_WITH_TELL"
    ]
    two = "[{do: look}, {do: look}]"
    assert of_tree(f"tree: t\nroot: {{parallel: {two}, succeed_when: 2}}\n") == []
    assert of_tree(f"tree: t\nroot: {{parallel: {two}, succeed_when: 3}}\n") == [
        "2:58 TOO_MANY_NEEDED"
    ]


def test_a_mission_needs_no_library_for_what_is_expanded() -> None:
    assert of_mission({"tree": "fetch", "with": {"arm": "left"}}) == []
