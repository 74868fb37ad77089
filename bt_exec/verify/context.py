"""Input and report of the verification layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from bt_exec.failure import Problem, nearest
from bt_exec.pack import Catalogue
from bt_exec.spec.expression import All, Any_, Is, Not
from bt_exec.spec.library import Library
from bt_exec.spec.model import Document, NodeBase
from bt_exec.spec.paths import place_of_children
from bt_exec.spec.source import Place, Source

__all__ = ["Context", "conditions_of", "nodes_of"]

_Kind = TypeVar("_Kind", bound=NodeBase)


@dataclass
class Context:
    """One document under verification.

    Attributes:
        document: The tree or mission.
        catalogue: Skills, conditions and types of the site.
        library: Trees of the site.
        source: Source text of the document, for positions.
        labels: Currently detected labels; None without an observation.
        labels_by: The same labels by pack or robot.
        facts: Currently known facts, for the dry run.
        problems: Problems found so far; layers append to it.
    """

    document: Document
    catalogue: Catalogue
    library: Library = field(default_factory=Library)
    source: Source = field(default_factory=lambda: Source("the plan"))
    labels: tuple[str, ...] | None = None
    labels_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _reported: set[Problem] = field(default_factory=set)

    def labels_for(self, skill: str) -> tuple[str, ...]:
        """Return the labels that a skill may name: of robots of one pack, its own robot's."""
        robot = self.catalogue.owners.get(skill, "")
        if self.catalogue.is_robot(robot) and robot in self.labels_by:
            return self.labels_by[robot]
        return self.labels or ()

    def report(
        self,
        code: str,
        message: str,
        place: Place,
        *,
        found: str = "",
        allowed: Iterable[str] = (),
        key: bool = False,
    ) -> None:
        """Add a problem; `allowed` is sorted by similarity to `found`."""
        names = tuple(allowed)
        near = nearest(found, names) if found else ()
        ordered = (*near, *(name for name in names if name not in near))
        problem = self.source.problem(code, message, place, found=found, allowed=ordered, key=key)
        if problem not in self._reported:  # repeated nodes are visited twice
            self._reported.add(problem)
            self.problems.append(problem)


@overload
def nodes_of(node: NodeBase, place: Place = ...) -> Iterator[tuple[NodeBase, Place]]: ...


@overload
def nodes_of(
    node: NodeBase, place: Place = ..., *, kind: type[_Kind]
) -> Iterator[tuple[_Kind, Place]]: ...


def nodes_of(
    node: NodeBase, place: Place = ("root",), *, kind: type[NodeBase] = NodeBase
) -> Iterator[tuple[NodeBase, Place]]:
    """Yield every node of a kind with its place, parents first."""
    if isinstance(node, kind):
        yield node, place
    for child, where in place_of_children(node, place):
        yield from nodes_of(child, where, kind=kind)


def conditions_of(node: NodeBase, place: Place) -> Iterator[tuple[Is, Place]]:
    """Yield every named condition of a node itself, with its place."""
    for field_name, expression in node.conditions.items():
        yield from _named_conditions(expression, (*place, field_name))


def _named_conditions(part: Any, place: Place) -> Iterator[tuple[Is, Place]]:
    if isinstance(part, Is):
        yield part, (*place, part.name) if part.args else place
    elif isinstance(part, Not):
        yield from _named_conditions(part.of, (*place, "not"))
    elif isinstance(part, All | Any_):
        word = "all" if isinstance(part, All) else "any"
        for index, inner in enumerate(part.of):
            yield from _named_conditions(inner, (*place, word, index))
