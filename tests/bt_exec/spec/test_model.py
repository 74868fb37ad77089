"""Models of the tree language: accepted values. Refused ones are in the corpus."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from bt_exec.spec.load import load_text
from bt_exec.spec.model import (
    Do,
    NodeBase,
    Parallel,
    Param,
    Sequence,
    Tree,
    TreeSpec,
    rebuild,
    walk,
)


def root(text: str) -> Any:
    return load_text(f"tree: t\nroot: {text}\n").document.root


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1ms", 0.001), ("20s", 20.0), ("1.5min", 90.0), ("24h", 86400.0), ("20 s", 20.0)],
)
def test_durations_are_parsed(text: str, seconds: float) -> None:
    assert root(f"{{do: look, timeout: {text}}}").timeout == seconds


@pytest.mark.parametrize("text", ["0s", "0.0001s", "24.1h", "1e3s", "1:30", "s", "20S", "1s\n2s"])
def test_invalid_durations_are_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        Do.model_validate({"do": "look", "timeout": text})


@pytest.mark.parametrize(("word", "needed"), [("all", 2), ("any", 1), ("2", 2), ("1", 1)])
def test_succeed_when_sets_the_required_number_of_children(word: str, needed: int) -> None:
    node = root(f"{{parallel: [{{do: a}}, {{do: b}}], succeed_when: {word}}}")
    assert isinstance(node, Parallel)
    assert node.needed == needed


def test_params_without_a_default_are_required() -> None:
    assert Param(type="Arm").required
    assert not Param(type="Arm", default="left").required
    assert not Param(type="boolean", default=False).required


def test_specs_are_frozen() -> None:
    node = root("{do: look}")
    with pytest.raises(ValidationError):
        node.do = "wait"


def test_walk_visits_and_rebuild_changes_every_node() -> None:
    node = root("{sequence: [{do: a}, {fallback: [{do: b}, {tree: t, body: {do: c}}]}]}")
    names = [part.do for part in walk(node) if isinstance(part, Do)]
    assert names == ["a", "b", "c"]
    assert isinstance(node.children[0], Do)

    def louder(part: NodeBase) -> NodeBase:
        return part.model_copy(update={"do": part.do.upper()}) if isinstance(part, Do) else part

    changed = rebuild(node, louder)
    assert [part.do for part in walk(changed) if isinstance(part, Do)] == ["A", "B", "C"]
    assert [part.do for part in walk(node) if isinstance(part, Do)] == names
    assert rebuild(node, lambda part: part) is node
    assert Tree(tree="t").children == ()


def test_document_can_be_built_from_nodes() -> None:
    spec = TreeSpec(tree="t", root=Sequence(sequence=(Do(do="a"), Do(do="b"))))
    assert spec == load_text("tree: t\nroot: {sequence: [{do: a}, {do: b}]}\n").document
