"""Differences between trees, node by node."""

from __future__ import annotations

from hypothesis import given, settings

from bt_exec.drawing.diagram_nodes import boxes_of
from bt_exec.drawing.tree_changes import header_changes, tree_changes
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from tests.bt_exec.spec.strategies import documents
from tests.cases import examples


def document(root, **more):
    head = "".join(f"{key}: {value}\n" for key, value in more.items())
    return load_text(f"tree: t\n{head}root: {root}\n").document


def rows(old, new):
    found = tree_changes(*(boxes_of(document(root), Library()) for root in (old, new)))
    return [(row.kind, row.depth, row.old, row.new) for row in found if row.kind != "same"]


def test_identical_trees_have_no_difference():
    assert rows("{do: a}", "{do: a}") == []


def test_changed_modifier_is_shown_in_one_row():
    assert rows("{sequence: [{do: a}, {do: b}]}", "{sequence: [{do: a, retry: 2}, {do: b}]}") == [
        ("changed", 1, "a", "a · up to 2 attempts")
    ]


def test_added_and_removed_nodes_are_listed_in_order():
    old, new = "{sequence: [{do: a}, {do: b}, {do: c}]}", "{sequence: [{do: d}, {do: b}]}"
    assert rows(old, new) == [
        ("removed", 1, "a", ""),
        ("added", 1, "", "d"),
        ("removed", 1, "c", ""),
    ]


def test_node_moved_under_a_group_changes_its_depth():
    assert rows("{do: a}", "{fallback: [{do: a}, {do: b}]}") == [
        ("removed", 0, "a", ""),
        ("added", 0, "", "? fallback"),
        ("added", 1, "", "a"),
        ("added", 1, "", "b"),
    ]


def test_header_fields_that_differ_are_listed():
    old, new = document("{do: a}", summary="one"), document("{do: a}", utterances="[go]")
    assert list(header_changes(old, new)) == [
        ("summary", "one", None),
        ("utterances", None, ["go"]),
    ]


@given(documents, documents)
@settings(max_examples=examples(20))
def test_rows_contain_both_trees(one, two):
    old, new = boxes_of(one, Library()), boxes_of(two, Library())
    found = tree_changes(old, new)
    assert len([row for row in found if row.kind != "added"]) == len(list(old.walk()))
    assert len([row for row in found if row.kind != "removed"]) == len(list(new.walk()))
    assert all(row.kind == "same" for row in tree_changes(old, old))
