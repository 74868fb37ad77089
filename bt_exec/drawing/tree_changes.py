"""Differences between two trees, node by node, and between the fields of their documents."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bt_exec.drawing.diagram_nodes import SIGNS, Box
from bt_exec.spec.dump import to_data
from bt_exec.spec.model import Document

__all__ = ["Change", "header_changes", "tree_changes"]

_HEADER = ("summary", "utterances", "params", "returns", "otherwise")


@dataclass(frozen=True)
class Change:
    """One row of a comparison of two trees.

    Attributes:
        kind: ``same``, ``added``, ``removed``, or ``changed`` (the same node with other fields).
        depth: Depth of the node.
        old: The old node; empty if it was added.
        new: The new node; empty if it was removed.
    """

    kind: Literal["same", "added", "removed", "changed"]
    depth: int
    old: str = ""
    new: str = ""


def tree_changes(old: Box, new: Box) -> tuple[Change, ...]:
    """Return the differences between two trees as rows; a node with changed fields is one row."""
    before, after = list(_box_rows(old)), list(_box_rows(new))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    found: list[Change] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            found += [Change("same", depth, text, text) for depth, _, text in before[a:b]]
        else:
            found += _replaced_rows(before[a:b], after[c:d])
    return tuple(found)


def header_changes(old: Document, new: Document) -> Iterator[tuple[str, Any, Any]]:
    """Yield the field, old value and new value of each difference outside the nodes."""
    before, after = _header_fields(old), _header_fields(new)
    for field in dict.fromkeys((*before, *after)):
        if before.get(field) != after.get(field):
            yield field, before.get(field), after.get(field)


def _header_fields(document: Document) -> dict[str, Any]:
    """Return the fields of a document without its nodes; mission fields as ``mission.FIELD``."""
    data = to_data(document)
    mission = {f"mission.{field}": value for field, value in data.get("mission", {}).items()}
    return {**{field: data[field] for field in _HEADER if field in data}, **mission}


_Row = tuple[int, str, str]
"""Depth, kind and name, and all fields of a node."""


def _box_rows(root: Box) -> Iterator[_Row]:
    for depth, box in root.walk():
        name = box.label or box.kind
        sign = SIGNS.get(box.kind, "")
        head = " ".join(filter(None, (sign, name, box.about)))
        yield depth, f"{box.kind} {name}", " · ".join((head, *box.notes))


def _replaced_rows(before: Sequence[_Row], after: Sequence[_Row]) -> Iterator[Change]:
    """Yield the changes of a differing section; nodes of the same name and depth are paired."""
    heads = [row[:2] for row in before], [row[:2] for row in after]
    matcher = difflib.SequenceMatcher(None, *heads, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            for (depth, _, old), (_, _, new) in zip(before[a:b], after[c:d], strict=True):
                yield Change("changed" if old != new else "same", depth, old, new)
        else:
            yield from (Change("removed", depth, old=text) for depth, _, text in before[a:b])
            yield from (Change("added", depth, new=text) for depth, _, text in after[c:d])
