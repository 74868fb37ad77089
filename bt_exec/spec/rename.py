"""A tree with other names for its skills, conditions and types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bt_exec.spec.expression import All, Any_, Is, Not
from bt_exec.spec.model import Check, Do, NodeBase, TreeSpec, rebuild

__all__ = ["renamed"]


def renamed(tree: TreeSpec, name_of: Callable[[str], str]) -> TreeSpec:
    """Return `tree` with every skill, condition and type called what `name_of` says."""

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
        if isinstance(old, Check):
            update["check"] = expression(old.check)
        if old.skip_if is not None:
            update["skip_if"] = expression(old.skip_if)
        if old.guarded is not None:
            condition = expression(old.guarded.condition)
            update["guarded"] = old.guarded.model_copy(update={"condition": condition})
        return old.model_copy(update=update)

    params = {
        name: param.model_copy(update={"type": name_of(param.type)})
        for name, param in tree.params.items()
    }
    return tree.model_copy(update={"params": params, "root": rebuild(tree.root, node)})
