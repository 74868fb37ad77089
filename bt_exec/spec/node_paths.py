"""Paths and places of the nodes of a document.

Paths are unique in a document, the same for equal documents, and readable in failures.

A path joins labels from the root: ``get_material/take_material/grasp``. A label is the node's
``name``, or the skill, condition or tree that it runs. Unnamed sequences, fallbacks and parallels
have a path but do not appear in the paths of their children. A second ``grasp`` under the same
parent is ``grasp#2``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from bt_exec.spec.condition_expression import Is, named_conditions_with_places
from bt_exec.spec.model import Check, Do, Fallback, MissionSpec, NodeBase, Tree
from bt_exec.spec.yaml_source import Place

__all__ = [
    "Located",
    "choice_checks",
    "encloses",
    "enclosing_paths",
    "is_kept",
    "label_of",
    "locate",
    "moved_paths",
    "nodes_with_paths",
]

_Kind = TypeVar("_Kind", bound=NodeBase)
_Own = TypeVar("_Own", bound=NodeBase, covariant=True)


def label_of(node: NodeBase) -> str:
    """Return the label of a node for display and paths."""
    return (node.name or "").replace("/", "_") or node.callee_name or node.kind


@dataclass(slots=True, eq=False, frozen=True)
class Located(Generic[_Own]):
    """A node with its path and its place in a document.

    If a plan contains the same node object twice, there are two `Located` objects for it.

    Attributes:
        node: The node.
        path: Path of the node.
        place: Place in the document.
        depth: Number of enclosing nodes.
        children: The located children.
    """

    node: _Own
    path: str
    place: Place
    depth: int
    children: tuple[Located[NodeBase], ...]

    @overload
    def walk(self, *, failing: bool = ...) -> Iterator[Located[NodeBase]]: ...

    @overload
    def walk(self, kind: type[_Kind], *, failing: bool = ...) -> Iterator[Located[_Kind]]: ...

    def walk(
        self, kind: type[NodeBase] = NodeBase, *, failing: bool = True
    ) -> Iterator[Located[Any]]:
        """Yield this node and all nodes under it, like `bt_exec.spec.model.walk`."""
        if isinstance(self.node, kind):
            yield self
        under = self.children if failing else self.children[: len(self.node.nominal_children)]
        for child in under:
            yield from child.walk(kind, failing=failing)

    def nodes_down_to(self, path: str) -> tuple[Located[NodeBase], ...]:
        """Return the nodes from this one down to `path`; empty if `path` is not below this node."""
        below = (child.nodes_down_to(path) for child in self.children)
        found = () if self.path == path else next(filter(None, below), None)
        return () if found is None else (self, *found)

    def conditions(self) -> Iterator[tuple[Is, Place]]:
        """Yield every named condition of the node, but not of its children, with its place."""
        for field, expression in self.node.conditions.items():
            yield from named_conditions_with_places(expression, (*self.place, field))


def locate(root: NodeBase) -> Located[NodeBase]:
    """Return the root of a document with the paths and places of all nodes under it."""
    taken: dict[str, int] = {}  # last number used for each label

    def unique_path(stem: str) -> str:
        path, count = stem, taken.get(stem, 0)
        while path in taken:
            count += 1
            path = f"{stem}#{count}"
        taken[stem] = max(count, 1)
        taken.setdefault(path, 1)
        return path

    def locate_node(node: NodeBase, prefix: str, place: Place, depth: int) -> Located[NodeBase]:
        path = unique_path(prefix + label_of(node))
        plain = node.name is None and not isinstance(node, Do | Check | Tree)
        inner = prefix if plain else f"{path}/"
        under = (
            locate_node(child, inner, where, depth + 1)
            for child, where in children_with_places(node, place)
        )
        return Located(node, path, place, depth, tuple(under))

    return locate_node(root, "", ("root",), 0)


def choice_checks(root: Located[NodeBase]) -> Iterator[str]:
    """Yield the paths of the checks that decide between two branches, as in "if …, else …".

    If such a check does not hold, the plan continues with the other branch as intended.
    """
    for step in root.walk(Fallback):
        if step.node.is_choice:
            yield from (branch.children[0].path for branch in step.children)


def children_with_places(node: NodeBase, place: Place) -> Iterator[tuple[NodeBase, Place]]:
    """Yield the nodes directly under `node` with their places in the document."""
    for index, child in enumerate(node.children):
        inner: Place = ("body",) if isinstance(node, Tree) else (node.kind, index)
        yield child, (*place, *inner)


@overload
def nodes_with_paths(root: NodeBase) -> Iterator[tuple[str, NodeBase]]: ...


@overload
def nodes_with_paths(root: NodeBase, kind: type[_Kind]) -> Iterator[tuple[str, _Kind]]: ...


def nodes_with_paths(
    root: NodeBase, kind: type[NodeBase] = NodeBase
) -> Iterator[tuple[str, NodeBase]]:
    """Yield every node of a kind under `root` with its path, parents first, in document order."""
    return ((one.path, one.node) for one in locate(root).walk(kind))


def moved_paths(before: NodeBase, after: NodeBase) -> dict[str, str]:
    """Map the path in `before` to the path in `after` for each node object in both trees."""
    places = {id(node): path for path, node in nodes_with_paths(after)}
    return {path: places[id(node)] for path, node in nodes_with_paths(before) if id(node) in places}


def enclosing_paths(path: str) -> Iterator[str]:
    """Yield `path` and every path that encloses it, innermost first."""
    yield path
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def is_kept(spec: MissionSpec, path: str) -> bool:
    """Return True if a plan keeps the node at a path as finished."""
    return any(encloses(kept, path) for kept in spec.mission.kept)


def encloses(outer: str, inner: str) -> bool:
    """Return True if path `inner` is equal to `outer` or below it."""
    return inner == outer or inner.startswith(outer + "/")
