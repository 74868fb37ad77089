"""Renaming of skills, conditions, types and trees in a tree or a mission."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from bt_exec.spec.expression import Is, with_leaves
from bt_exec.spec.model import Do, MissionSpec, NodeBase, Tree, TreeSpec, rebuild

__all__ = ["Document", "renamed"]

Document = TypeVar("Document", TreeSpec, MissionSpec)


def renamed(
    document: Document, name_of: Callable[[str], str], tree_of: Callable[[str], str] = str
) -> Document:
    """Return a document with renamed skills, conditions, types and trees.

    Args:
        document: A tree or a mission.
        name_of: Returns the new name of a skill, condition or type.
        tree_of: Returns the new name of a tree.
    """

    def renamed_leaf(leaf: Is, _: object) -> Is:
        return leaf.model_copy(update={"name": name_of(leaf.name)})

    def node(old: NodeBase) -> NodeBase:
        update: dict[str, Any] = {}
        if isinstance(old, Do):
            update["do"] = name_of(old.do)
        if isinstance(old, Tree):
            update["tree"] = tree_of(old.tree)
        update |= old.with_conditions(lambda _, part: with_leaves(part, renamed_leaf))
        return old.model_copy(update=update)

    changed: dict[str, Any] = {"root": rebuild(document.root, node)}
    if isinstance(document, TreeSpec):
        changed["tree"] = tree_of(document.tree)
        changed["otherwise"] = tuple(
            way.model_copy(update={"tree": tree_of(way.tree)}) if way.tree else way
            for way in document.otherwise
        )
        changed["params"] = {
            name: param.model_copy(update={"type": name_of(param.type)})
            for name, param in document.params.items()
        }
    return document.model_copy(update=changed)
