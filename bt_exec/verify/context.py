"""Shared state of the verification layers: the document to check and the problems found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bt_exec.failure import Problem, nearest_first
from bt_exec.pack import Catalogue
from bt_exec.spec.library import Library
from bt_exec.spec.model import Document, NodeBase
from bt_exec.spec.node_paths import Located, locate
from bt_exec.spec.yaml_source import Place, Source

__all__ = ["Context"]


@dataclass
class Context:
    """Document under verification, with its catalogue, the situation and the problems found.

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
    _places: set[Place] = field(default_factory=set)

    @cached_property
    def root(self) -> Located[NodeBase]:
        """Root of the document, with the paths and places of all nodes."""
        return locate(self.document.root)

    def labels_for(self, skill: str) -> tuple[str, ...]:
        """Return the labels that a skill may name.

        If several robots share a pack, these are only the labels that the skill's robot detects.
        """
        robot = self.catalogue.owners.get(skill, "")
        if self.catalogue.is_robot(robot) and robot in self.labels_by:
            return self.labels_by[robot]
        return self.labels or ()

    def has_problem_at(self, place: Place) -> bool:
        """Return True if a problem at this place was reported."""
        return place in self._places

    def report_problem(
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
        self._places.add(place)
        ordered = nearest_first(found, allowed) if found else tuple(allowed)
        problem = self.source.problem(code, message, place, found=found, allowed=ordered, key=key)
        if problem not in self._reported:  # a layer may visit a repeated node more than once
            self._reported.add(problem)
            self.problems.append(problem)
