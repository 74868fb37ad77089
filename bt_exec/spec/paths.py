"""Paths of nodes: stable across builds, readable in a failure, unique in a document.

A path joins labels from the top: ``get_material/take_material/grasp``. A label is the node's
``name``, or the skill, condition or tree that it runs. Unnamed sequences, fallbacks and parallels
have a path but do not appear in those of their children. A second ``grasp`` in the same place is
``grasp#2``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar, overload

from bt_exec.spec.expression import Is
from bt_exec.spec.model import Check, Do, NodeBase, Sequence, Tree, children_of
from bt_exec.spec.source import Place

__all__ = ["encloses", "enclosing", "label_of", "paths", "place_of_children"]

_Kind = TypeVar("_Kind", bound=NodeBase)


def label_of(node: NodeBase) -> str:
    """Return the label of a node for display and paths."""
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


@overload
def paths(root: NodeBase) -> Iterator[tuple[str, NodeBase]]: ...


@overload
def paths(root: NodeBase, kind: type[_Kind]) -> Iterator[tuple[str, _Kind]]: ...


def paths(root: NodeBase, kind: type[NodeBase] = NodeBase) -> Iterator[tuple[str, NodeBase]]:
    """Yield every node of a kind under `root` with its path, parents first, in document order."""
    taken: dict[str, int] = {}  # last number used for each label
    waiting = [(root, "")]
    while waiting:
        node, prefix = waiting.pop()
        stem = prefix + label_of(node)
        path, count = stem, taken.get(stem, 0)
        while path in taken:
            count += 1
            path = f"{stem}#{count}"
        taken[stem] = max(count, 1)
        taken.setdefault(path, 1)
        if isinstance(node, kind):
            yield path, node
        plain = node.name is None and not isinstance(node, Do | Check | Tree)
        inner = prefix if plain else f"{path}/"
        waiting.extend((child, inner) for child in reversed(children_of(node)))


def enclosing(path: str) -> Iterator[str]:
    """Yield `path` and the paths of all nodes around it, as defined by `encloses`."""
    yield path
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def encloses(outer: str, inner: str) -> bool:
    """Return whether the node at path `inner` is `outer` or is under it."""
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
