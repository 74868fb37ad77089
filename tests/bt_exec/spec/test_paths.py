"""Paths of nodes: readable, unique and stable."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from bt_exec.spec.load import load_text
from bt_exec.spec.model import Document
from bt_exec.spec.paths import encloses, label_of, paths, place_of_children
from bt_exec.verify.context import nodes_of
from tests.bt_exec.spec.strategies import documents
from tests.cases import examples


def all_paths(text: str) -> list[str]:
    return [path for path, _ in paths(load_text(f"tree: t\nroot: {text}\n").document.root)]


def test_node_paths() -> None:
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


def test_enclosing_path() -> None:
    assert encloses("a/b", "a/b")
    assert encloses("a", "a/b/c")
    assert not encloses("a/b", "a/bc")


@given(documents)
@settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_every_node_has_a_unique_path_and_position(document: Document) -> None:
    found = list(paths(document.root))
    assert len({path for path, _ in found}) == len(found)
    assert [node for _, node in found] == [node for node, _ in nodes_of(document.root)]
    places = [place for _, place in nodes_of(document.root)]
    assert len(set(places)) == len(places)
    assert all(label_of(node) for _, node in found)
    for node, place in nodes_of(document.root):
        for child, where in place_of_children(node, place):
            assert where[: len(place)] == place
            assert child is not node
