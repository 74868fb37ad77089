"""Names for nodes: stable across builds, readable in a failure, unique in a document.

A path joins labels from the top: ``get_material/take_material/grasp``. A label is the node's
``name``, or what it runs. Unnamed sequences, fallbacks and parallels have a path of their own but
do not lengthen those of their children. A second ``grasp`` in the same place is ``grasp#2``.
"""

from __future__ import annotations

from collections.abc import Iterator

from bt_exec.spec.expression import Is
from bt_exec.spec.model import Check, Do, NodeBase, Sequence, Tree, children_of
from bt_exec.spec.source import Place

__all__ = ["encloses", "label_of", "paths", "place_of_children"]


def label_of(node: NodeBase) -> str:
    """Return what people call a node."""
    if node.name:
        return node.name.replace("/", "_")
    match node:
        case Do():
            return node.do
        case Tree():
            return node.tree
        case Check(check=Is(name=name)):
            return name
        case Check():
            return "check"
    return "sequence" if isinstance(node, Sequence) else type(node).__name__.lower()


def paths(root: NodeBase) -> Iterator[tuple[str, NodeBase]]:
    """Yield every node under `root` with its path, parents first, in document order."""
    yield from _paths(root, "", set())


def _paths(node: NodeBase, prefix: str, taken: set[str]) -> Iterator[tuple[str, NodeBase]]:
    stem = prefix + label_of(node)
    path, count = stem, 1
    while path in taken:
        count += 1
        path = f"{stem}#{count}"
    taken.add(path)
    yield path, node
    plain = node.name is None and not isinstance(node, Do | Check | Tree)
    for child in children_of(node):
        yield from _paths(child, prefix if plain else f"{path}/", taken)


def encloses(outer: str, inner: str) -> bool:
    """Whether the node at path `inner` is `outer` or lies under it."""
    return inner == outer or inner.startswith(outer + "/")


def place_of_children(node: NodeBase, place: Place) -> Iterator[tuple[NodeBase, Place]]:
    """Yield the nodes directly under `node` with their places in the document."""
    if isinstance(node, Tree):
        if node.body is not None:
            yield node.body, (*place, "body")
        return
    kind = type(node).__name__.lower()
    for index, child in enumerate(children_of(node)):
        yield child, (*place, kind, index)
