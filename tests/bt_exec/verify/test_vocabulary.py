"""Layer 1, names. Each of its codes is in the corpus (tests/data/malformed/expected.yaml), too."""

from __future__ import annotations

from tests.bt_exec.verify.layers import of_mission, of_tree


def test_known_names_are_accepted() -> None:
    assert (
        of_tree("tree: t\nparams: {a: {type: Thing}}\nroot: {check: {near: {thing: $a}}}\n") == []
    )


def test_every_unknown_name_is_reported() -> None:
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


def test_cycle_is_reported_at_each_node_that_closes_it() -> None:
    assert of_tree(
        "tree: open_lid_twice\nroot:\n  sequence: [{tree: open_lid_twice}, {tree: find}]\n"
    ) == ["3:21 TREE_CYCLE"]
    assert of_tree(
        "tree: find\nroot:\n"
        "  sequence: [{tree: find}, {do: look}, {tree: fetch, with: {arm: left}}]"
    ) == ["3:21 TREE_CYCLE", "3:47 TREE_CYCLE"]


def test_alternative_may_run_the_tree_that_it_replaces() -> None:
    """The alternative replaces the tree and may run it with other arguments."""
    way = "otherwise: [{on: [STUCK], tree: fetch, with: {arm: left}}]"
    assert of_tree(f"tree: find\n{way}\nroot: {{do: look}}\n") == []


def test_fields_that_exclude_each_other_are_reported() -> None:
    assert of_tree("tree: t\nroot: {check: lit, tell: true, else: DARK}\n") == [
        "2:32 ELSE_WITH_TELL"
    ]
    two = "[{do: look}, {do: look}]"
    assert of_tree(f"tree: t\nroot: {{parallel: {two}, succeed_when: 2}}\n") == []
    assert of_tree(f"tree: t\nroot: {{parallel: {two}, succeed_when: 3}}\n") == [
        "2:58 TOO_MANY_NEEDED"
    ]


def test_expanded_mission_needs_no_library() -> None:
    assert of_mission({"tree": "fetch", "with": {"arm": "left"}}) == []
