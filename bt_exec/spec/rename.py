"""Renaming of skills, conditions and types in a tree or a mission."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from bt_exec.spec.expression import All, Any_, Is, Not
from bt_exec.spec.model import Do, MissionSpec, NodeBase, TreeSpec, rebuild

__all__ = ["Document", "renamed"]

Document = TypeVar("Document", TreeSpec, MissionSpec)


def renamed(document: Document, name_of: Callable[[str], str]) -> Document:
    """Return a document with every skill, condition and type called what `name_of` says."""

    def expression(part: Any) -> Any:
        if isinstance(part, Is):
            return part.model_copy(update={"name": name_of(part.name)})
        if isinstance(part, Not):
            return Not(of=expression(part.of))
        assert isinstance(part, All | Any_)
        return type(part)(of=tuple(expression(inner) for inner in part.of))

    def node(old: NodeBase) -> NodeBase:
        update: dict[str, Any] = {}
        if isinstance(old, Do):
            update["do"] = name_of(old.do)
        update |= old.with_conditions(lambda _, part: expression(part))
        return old.model_copy(update=update)

    changed: dict[str, Any] = {"root": rebuild(document.root, node)}
    if isinstance(document, TreeSpec):
        changed["params"] = {
            name: param.model_copy(update={"type": name_of(param.type)})
            for name, param in document.params.items()
        }
    return document.model_copy(update=changed)
