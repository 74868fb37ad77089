"""Tree library of a site."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bt_exec.failure import SpecError, UnknownName
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from tests.bt_exec.spec.workshop import library


def test_library_lists_its_trees() -> None:
    known = library()
    assert known.names() == ("fetch", "find", "open_up")
    assert len(known) == 3
    assert "find" in known
    assert "other" not in known
    assert [tree.tree for tree in known] == list(known.names())
    assert known.get("find").returns == {"what": "$seen", "far": "$distance"}
    assert known.source("find").file.endswith("find.yaml")


def test_missing_trees_are_added_after_existing_ones_in_alphabetical_order() -> None:
    known = Library([load_text("tree: zoom\nroot: {do: look}\n")])
    own = load_text("tree: find\nroot: {do: look}\n")
    known.add(own.document, own.source)
    known.add_missing(library())
    assert [tree.tree for tree in known] == ["zoom", "find", "fetch", "open_up"]
    assert known.get("find") is own.document


def test_unknown_tree_is_an_error() -> None:
    with pytest.raises(UnknownName) as caught:
        library().get("fnid")
    message = "there is no tree 'fnid'; known, nearest first: find, fetch, open_up"
    assert str(caught.value) == message


def test_mission_in_a_library_is_refused() -> None:
    with pytest.raises(SpecError) as caught:
        Library([load_text("mission: {command: x}\nroot: {do: look}\n", "m.yaml")])
    assert str(caught.value) == "m.yaml:1:1: is a mission; a library holds trees [NOT_A_TREE]"


def test_pipe_among_the_trees_is_skipped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(SpecError, match=r"pipe\.yaml: is a pipe or a device") as caught:
        Library.load([tmp_path])
    assert caught.value.problems[0].code == "UNREADABLE"


def test_every_problem_of_every_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    (tmp_path / "a.yaml").write_text("tree: a\nrot: {do: look}\n")
    (tmp_path / "deeper" / "b.yaml").write_text("tree: [\n")
    (tmp_path / "c.txt").write_text("no tree\n")
    with pytest.raises(SpecError) as caught:
        Library.load([tmp_path])
    assert [problem.code for problem in caught.value.problems] == ["UNKNOWN_FIELD", "NOT_YAML"]


@pytest.mark.parametrize("ending", [".yaml", ".yml", ".YML", ".Yaml"])
def test_extension_of_a_tree_file_is_case_insensitive(tmp_path, ending):
    (tmp_path / f"one{ending}").write_text("tree: one\nroot: {check: ready}\n")
    (tmp_path / "notes.txt").write_text("no tree")
    assert Library.load([tmp_path]).names() == ("one",)


def test_trees_without_actions_are_listed_last(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("tree: a\nroot: {sequence: [{check: x}, {check: y}]}\n")
    (tmp_path / "b.yaml").write_text("tree: b\nroot: {sequence: [{check: x}, {do: look}]}\n")
    (tmp_path / "c.yaml").write_text("tree: c\nroot: {tree: b}\n")
    assert [tree.tree for tree in Library.load([tmp_path]).acting_first()] == ["b", "c", "a"]
