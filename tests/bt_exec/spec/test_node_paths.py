"""Paths of nodes: readable, unique and stable."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from bt_exec.spec.load import load_text
from bt_exec.spec.model import Document
from bt_exec.spec.node_paths import encloses, label_of, locate, nodes_with_paths
from tests.bt_exec.spec.strategies import documents
from tests.cases import examples


def all_paths(text: str) -> list[str]:
    return [
        path for path, _ in nodes_with_paths(load_text(f"tree: t\nroot: {text}\n").document.root)
    ]


def test_repeated_names_in_a_path_are_numbered() -> None:
    assert all_paths(
        "{sequence: [{do: grasp}, {do: grasp}, {name: try again, fallback: [{do: grasp}, "
        "{check: {not: lit}}, {check: lit}]}, {tree: open_up, body: {sequence: [{do: grasp}]}}]}"
    ) == [
        "sequence",
        "grasp",
        "grasp#2",
        "try again",
        "try again/grasp",
        "try again/check",
        "try again/lit",
        "open_up",
        "open_up/sequence",
        "open_up/grasp",
    ]


def test_name_that_looks_like_a_path_is_escaped() -> None:
    assert all_paths("{sequence: [{do: a, name: a#2}, {do: a}, {do: a}, {do: b, name: x/y}]}") == [
        "sequence",
        "a#2",
        "a",
        "a#3",
        "x_y",
    ]


def test_path_encloses_itself_and_its_descendants() -> None:
    assert encloses("a/b", "a/b")
    assert encloses("a", "a/b/c")
    assert not encloses("a/b", "a/bc")


@given(documents)
@settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_every_node_has_a_unique_path_and_position(document: Document) -> None:
    found = list(nodes_with_paths(document.root))
    assert len({path for path, _ in found}) == len(found)
    located = list(locate(document.root).walk())
    assert [node for _, node in found] == [step.node for step in located]
    places = [step.place for step in located]
    assert len(set(places)) == len(places)
    assert all(label_of(node) for _, node in found)
    for step in located:
        for child in step.children:
            assert child.place[: len(step.place)] == step.place
            assert child.node is not step.node
