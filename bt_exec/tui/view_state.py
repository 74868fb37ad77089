"""Display state of the live view: what its operator selected, folded, filtered and opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bt_exec.tui.plan_rows import Forest, ViewNode
from bt_exec.tui.view_model import ViewModel

__all__ = ["Display", "Page"]

Page: TypeAlias = Literal["", "node", "times", "camera", "help"]
"""Open page below the tree; the list of keys replaces it."""


@dataclass
class Display:
    """Display state of one view. Keys change it, events never do.

    Attributes:
        cursor: Path of the selected node; None to follow the running nodes.
        folds: Nodes that the operator opened (True) or folded (False), by path.
        unfolded: Whether finished and unreached parts are expanded, too.
        active: Whether only running nodes are shown.
        filter: Text that shown nodes contain, in their label or their path; case is ignored.
        page: The open page.
        typed: The command line that is being typed, with its ``:`` or ``/``; None if there is none.
        notice: Answer to the last command line, shown until the next key.
        paused: Whether the view stands still between keys.
        full: Whether the view fills the screen.
        colours: Whether the terminal has colours.
        taken: Keys that the caller of the view handles, such as those of a replay.
    """

    cursor: str | None = None
    folds: dict[str, bool] = field(default_factory=dict)
    unfolded: bool = False
    active: bool = False
    filter: str = ""
    page: Page = ""
    typed: str | None = None
    notice: str = ""
    paused: bool = False
    full: bool = False
    colours: bool = True
    taken: frozenset[str] = frozenset()
    _found: tuple[str, Forest, frozenset[int]] | None = None

    @property
    def is_filtered(self) -> bool:
        """Whether nodes are hidden at the operator's request."""
        return self.active or bool(self.filter)

    def is_shown(self, model: ViewModel, node: ViewNode) -> bool:
        """Return True if a node is shown, provided that its parent is."""
        if self.active and node.state != "running":
            return False
        return not self.filter or id(node) in self._nodes_matching_filter(model)

    def _nodes_matching_filter(self, model: ViewModel) -> frozenset[int]:
        """Return the nodes that contain the filter, with their ancestors and descendants."""
        found = self._found
        if found is None or found[0] != self.filter or found[1] is not model.forest:
            wanted = self.filter.casefold()
            ids: set[int] = set()

            def visit(node: ViewNode, within: bool) -> bool:
                within = within or wanted in f"{model.label(node)} {node.path}".casefold()
                below = [visit(child, within) for child in node.children]
                if within or any(below):
                    ids.add(id(node))
                return id(node) in ids

            for root in model.forest.roots:
                visit(root, False)
            found = self._found = self.filter, model.forest, frozenset(ids)
        return found[2]
