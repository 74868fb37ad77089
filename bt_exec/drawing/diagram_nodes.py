"""Boxes for the nodes of a tree, shared by all diagram formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bt_exec.spec.library import Library
from bt_exec.spec.model import Document, Kind, MissionSpec, NodeBase, Tree
from bt_exec.tui.node_text import detail_beside_label, label_node, modifiers_text
from bt_exec.tui.terminal_text import safe_line

__all__ = [
    "SIGNS",
    "Box",
    "Kind",
    "boxes_of",
    "title_of",
]


SIGNS: dict[Kind, str] = {"sequence": "→", "fallback": "?", "parallel": "⇉"}
"""Signs of composites, as in the literature on behaviour trees."""


@dataclass(frozen=True)
class Box:
    """A node in a picture.

    Attributes:
        kind: Kind of the node.
        label: Name, or the skill, condition or tree that it runs.
        about: Arguments, or the number of children that must succeed.
        notes: Modifiers as text, in the order of their evaluation.
        children: Boxes under it, including those of an expanded subtree.
    """

    kind: Kind
    label: str
    about: str = ""
    notes: tuple[str, ...] = ()
    children: tuple[Box, ...] = ()

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Box]]:
        """Yield this box and everything under it with its depth, parents first."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)


def boxes_of(document: Document, library: Library, *, closed: bool = False) -> Box:
    """Return the root box of a tree or mission, with all boxes under it.

    Args:
        document: The tree or mission.
        library: Trees to expand where they are used.
        closed: Whether subtrees stay unexpanded.
    """
    top = () if isinstance(document, MissionSpec) else (document.tree,)
    return _box(document.root, None if closed else library, top)


def title_of(document: Document) -> str:
    """Return the name of a tree, or the command of a mission."""
    return safe_line(
        document.mission.command if isinstance(document, MissionSpec) else document.tree
    )


def _box(node: NodeBase, library: Library | None, above: tuple[str, ...]) -> Box:
    kind, inner = node.kind, node.children
    if isinstance(node, Tree):
        if library is None:
            inner = ()
        elif node.body is None and node.tree in library and node.tree not in above:
            inner = (library.get(node.tree).root,)
        above = (*above, node.tree)
    plain = node.name is None and kind in SIGNS
    about = detail_beside_label(node) if kind != "fallback" or node.name else ""
    return Box(
        kind,
        "" if plain else label_node(node),
        about,
        modifiers_text(node),
        tuple(_box(child, library, above) for child in inner),
    )
