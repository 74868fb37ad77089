"""Display state of the live view, such as the selected node, folded nodes and filters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bt_exec.tui.plan_rows import Forest, ViewNode
from bt_exec.tui.view_model import ViewModel

__all__ = ["Display", "Page"]

Page: TypeAlias = Literal["", "node", "times", "camera", "help"]
"""Open page; it is below the tree, except for the list of keys, which replaces the tree."""


@dataclass
class Display:
    """Display state of one view, which only keys and typed commands change.

    Attributes:
        cursor: Path of the selected node; None to follow the running nodes.
        folds: Nodes that the operator unfolded (True) or folded (False), by path.
        unfolded: Whether finished and unreached nodes are also unfolded.
        active: Whether only running nodes are shown.
        filter: Text that the label or path of a shown node must contain; case is ignored.
        page: The open page; empty if none is open.
        typed: The command line so far, with its ``:`` or ``/``; None if none is being typed.
        notice: Response to the last command line, shown until the next key.
        paused: Whether the view is only redrawn after a key.
        full: Whether the view fills the screen.
        colours: Whether the terminal supports colours.
        taken: Keys that the owner of the view handles, such as the keys of a replay.
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
        """Return True if a node is to be shown when its parent is shown."""
        if self.active and node.state != "running":
            return False
        return not self.filter or id(node) in self._nodes_matching_filter(model)

    def _nodes_matching_filter(self, model: ViewModel) -> frozenset[int]:
        """Return the ids of nodes that match the filter, and of their ancestors and descendants."""
        found = self._found
        if found is None or found[0] != self.filter or found[1] is not model.forest:
            wanted = self.filter.casefold()
            ids: set[int] = set()

            def add_matching(node: ViewNode, within: bool) -> bool:
                within = within or wanted in f"{model.label(node)} {node.path}".casefold()
                below = [add_matching(child, within) for child in node.children]
                if within or any(below):
                    ids.add(id(node))
                return id(node) in ids

            for root in model.forest.roots:
                add_matching(root, False)
            found = self._found = self.filter, model.forest, frozenset(ids)
        return found[2]
