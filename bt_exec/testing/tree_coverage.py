"""Coverage of the trees under test: unreached nodes, and declared failures that never occurred.

It is enabled by pytest's option ``--bt-cov``. It includes every mission of a test, run by
`run_tree` or by a `bt_exec.mission.session.Session`, and every failure of a skill in `run_skill`. A
node is reached if it ran, was evaluated, or was skipped. For each site that a test uses, the trees
and skills with a file in the project are included, even if no mission contains them.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bt_exec.events import Asked, Event, NodeChanged, Planned, SkillEnded, SkillStarting
from bt_exec.mission.executive import Executive
from bt_exec.pack import Catalogue
from bt_exec.site.site import Site
from bt_exec.skill import Skill
from bt_exec.spec.model import Check, Do, NodeBase, Sequence, Tree
from bt_exec.spec.node_paths import nodes_with_paths
from bt_exec.testing.skill_run import SkillRun

__all__ = ["Coverage"]

_OWN = ""  # tree name for the nodes of a plan that are in no tree of the library


class Coverage:
    """Recorder of the coverage of all tests.

    Args:
        project: Folder whose trees and skills are included even if no mission contains them; None
            for no folder.

    Attributes:
        nodes: Whether each node was reached, by name of the tree and path inside the tree.
        codes: Whether each declared failure occurred, by skill, check or guard, and by code.
    """

    def __init__(self, project: Path | None = None) -> None:
        self._project = project
        self.nodes: dict[str, dict[str, bool]] = {}
        self.codes: dict[str, dict[str, bool]] = {}
        self._name = _OWN

    @contextmanager
    def naming_plan(self, tree: str) -> Iterator[None]:
        """Count nodes that belong to no tree as nodes of `tree`, while the context is open.

        This applies to missions that begin in the context.
        """
        before, self._name = self._name, tree
        try:
            yield
        finally:
            self._name = before

    @contextmanager
    def observe_all_runs(self) -> Iterator[None]:
        """Observe every mission and every run of a single skill in this context."""
        begin, tick = Executive.__init__, SkillRun.tick

        @functools.wraps(begin)
        def with_listener(executive: Executive, site: Any, *args: Any, **named: Any) -> None:
            self._add_site(site)
            listener = _Listener(self, site.catalogue, self._name)
            named["listeners"] = [*named.get("listeners", ()), listener]
            begin(executive, site, *args, **named)

        @functools.wraps(tick)
        def with_codes(run: SkillRun[Any]) -> bool:
            running = tick(run)
            self._skill(run.skill)
            if run.code is not None:
                self.codes.setdefault(run.skill.name, {})[run.code] = True
            return running

        # patch the functions through which every mission and every run of a single skill passes
        Executive.__init__ = with_listener  # type: ignore[method-assign,assignment]
        SkillRun.tick = with_codes  # type: ignore[method-assign,assignment]
        try:
            yield
        finally:
            Executive.__init__ = begin  # type: ignore[method-assign] # restore the original
            SkillRun.tick = tick  # type: ignore[method-assign]

    def _add_site(self, site: Site) -> None:
        """Add the trees and skills of a site that belong to the project."""
        listener = _Listener(self, site.catalogue, _OWN)
        for tree in site.library:
            source = site.library.source(tree.tree)
            if source is not None and self._is_own(source.file):
                listener.add_plan(Tree(tree=tree.tree, body=tree.root))
        for skill in site.catalogue.skills.values():
            if self._is_own(inspect.getsourcefile(inspect.unwrap(skill.function))):
                self._skill(skill)

    def _skill(self, skill: Skill) -> None:
        if skill.fails:
            known = self.codes.setdefault(skill.name, {})
            known.update({str(code): False for code in skill.fails if str(code) not in known})

    def _is_own(self, file: str | None) -> bool:
        """Return True if a file is in the project and not in a package installed inside it."""
        if file is None or self._project is None:
            return False
        path = Path(file).resolve()
        return path.is_relative_to(self._project) and "site-packages" not in path.parts

    def merge(self, other: Mapping[str, Mapping[str, Mapping[str, bool]]]) -> None:
        """Merge the coverage recorded by another process, as returned by its `to_dict`."""
        for mine, theirs in ((self.nodes, other["nodes"]), (self.codes, other["codes"])):
            for name, reached in theirs.items():
                for part, hit in reached.items():
                    known = mine.setdefault(name, {})
                    known[part] = known.get(part, False) or hit

    def to_dict(self) -> dict[str, dict[str, dict[str, bool]]]:
        """Return the coverage as JSON-serialisable data, for `merge` in another process."""
        return {"nodes": self.nodes, "codes": self.codes}

    def report(self) -> list[str]:
        """Return a line for each unreached node and failure, and a last line with the counts."""
        lines = []
        for name, reached in sorted(self.nodes.items()):
            missing = [part for part, hit in reached.items() if not hit]
            if missing:
                lines.append(f"{name}: no test reached {', '.join(missing)}")
        for name, happened in sorted(self.codes.items()):
            missing = sorted(code for code, hit in happened.items() if not hit)
            if missing:
                lines.append(f"{name}: no test made it fail with {', '.join(missing)}")
        return [*lines, f"reached {_share(self.nodes)} nodes, {_share(self.codes)} failure codes"]


def _share(found: Mapping[str, Mapping[str, bool]]) -> str:
    hits = [hit for reached in found.values() for hit in reached.values()]
    return f"{sum(hits)} of {len(hits)}"


class _Listener:
    """Event listener that records the coverage of one mission."""

    def __init__(self, coverage: Coverage, catalogue: Catalogue, name: str) -> None:
        self.coverage = coverage
        self.catalogue = catalogue
        self.name = name
        self.places: dict[str, tuple[str, str]] = {}
        self.failing: dict[str, str] = {}  # key in `Coverage.codes`, by path

    def on(self, event: Event) -> None:
        """Record an event."""
        match event:
            case Planned():
                self.add_plan(event.spec.root)
            case NodeChanged() | SkillStarting() | Asked():
                tree, inside = self.places.get(event.path, ("", ""))
                if inside:
                    self.coverage.nodes[tree][inside] = True
                if isinstance(event, NodeChanged) and event.failure is not None:
                    for failure in event.failure.chain():
                        self._on_failure(failure.path, failure.code)
            case SkillEnded() if event.failure is not None:
                self._on_failure(event.path, event.failure.code)

    def _on_failure(self, path: str, code: str) -> None:
        codes = self.coverage.codes.get(self.failing.get(path, ""), {})
        if code in codes:
            codes[code] = True

    def add_plan(self, root: NodeBase) -> None:
        """Add the nodes and declared failures of a plan as not reached yet."""
        trees: list[tuple[str, str]] = []  # (path, name) of the enclosing trees, outermost first
        self.places, self.failing = {}, {}
        for path, node in nodes_with_paths(root):
            while trees and not path.startswith(trees[-1][0] + "/"):
                trees.pop()
            above, name = trees[-1] if trees else ("", self.name)
            inside = path.removeprefix(f"{above}/") if above else path
            groups = isinstance(node, Sequence) and node.name is None
            if name and not groups:
                self.places[path] = (name, inside)
                self.coverage.nodes.setdefault(name, {}).setdefault(inside, False)
            self._add_failures(node, path, f"{name}/{inside}" if name else inside)
            if isinstance(node, Tree):
                trees.append((path, node.tree))

    def _add_failures(self, node: NodeBase, path: str, place: str) -> None:
        """Add the failures that a node declares, by name of the skill or place of the node."""
        codes = {node.guarded.code} if node.guarded is not None and node.guarded.code else set()
        listed = place
        if isinstance(node, Do) and node.do in self.catalogue.skills:
            listed = node.do
            codes |= self.catalogue.skills[node.do].fails
        elif isinstance(node, Check) and node.code:
            codes.add(node.code)
        if codes:
            self.failing[path] = listed
            known = self.coverage.codes.setdefault(listed, {})
            for code in codes:
                known.setdefault(str(code), False)
