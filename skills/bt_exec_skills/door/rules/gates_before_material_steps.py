"""Gates before steps that handle the material: the door is open, and the material was seen.

A gate counts only if every path to the later steps passes through it. A check that only reports its
answer, a check of another state, a branch with an alternative and a step that may be skipped do not
count.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any, TypeAlias

from bt_exec.spec.condition_expression import All, Is, Not, named_conditions
from bt_exec.spec.model import Check, Do, Fallback, NodeBase, Parallel, Sequence, walk

__all__ = [
    "IS_OPEN",
    "MATERIAL",
    "OPENED",
    "OPEN_ENOUGH",
    "VISIBLE",
    "handles_material",
    "insert_gates",
]

MATERIAL = "material"
OPENED, VISIBLE = "open_door", "material_visible"
"""Names of the gates in order; each is the name of the step that is inserted for it."""
IS_OPEN = Is(name="door_is", args={"state": "open"})
OPEN_ENOUGH = All(of=(IS_OPEN, Is(name="inside_in_view")))
"""Condition under which opening is skipped: the door is open, and the inside is in view."""

Gates: TypeAlias = frozenset[str]
_NONE: Gates = frozenset()
_OPENED: Gates = frozenset((OPENED,))
_BOTH: Gates = frozenset((OPENED, VISIBLE))
Added: TypeAlias = list[tuple[NodeBase, tuple[str, ...]]]


def handles_material(node: NodeBase) -> bool:
    """Return True if a node moves a hand to or onto the material."""
    return isinstance(node, Do) and node.args.get("object_label") == MATERIAL


def insert_gates(root: NodeBase, steps: Mapping[str, NodeBase]) -> tuple[NodeBase, Added]:
    """Return the plan with missing gates inserted, and the nodes before which they were inserted.

    Args:
        root: The plan with its subtrees expanded.
        steps: Step to insert for each gate.
    """
    added: Added = []
    if not any(map(handles_material, walk(root))):
        return root, added
    return _with_gates(root, _NONE, steps, added), added


def _with_gates(
    node: NodeBase, before: Gates, steps: Mapping[str, NodeBase], added: Added
) -> NodeBase:
    """Return `node` with its missing gates, given the gates that were passed before it."""
    needed = _NONE
    if handles_material(node):
        needed = _BOTH
    elif isinstance(node, Fallback) and _is_choice(node):
        needed = _OPENED if _depends_on_visible_material(node) else _NONE
    elif isinstance(node, Fallback):  # a failing gate must also stop the other branches
        needed = _NONE.union(*map(_checked_gates, node.fallback[:-1])) - _gates_passed(node, before)
        needed -= _gates_with_alternative(node)
    if VISIBLE in needed:
        needed |= {OPENED}  # the material is visible only behind an open door
    missing = tuple(gate for gate in (OPENED, VISIBLE) if gate in needed - before)
    if missing:
        added.append((node, missing))
        before |= needed
    node = _with_inner_gates(node, before, steps, added)
    if missing:
        return Sequence.model_validate({"sequence": (*(steps[gate] for gate in missing), node)})
    return node


def _with_inner_gates(
    node: NodeBase, before: Gates, steps: Mapping[str, NodeBase], added: Added
) -> NodeBase:
    """Return `node` with the gates that are missing under it."""
    new: list[NodeBase] = []
    for child in node.children:
        new.append(_with_gates(child, before, steps, added))
        if isinstance(node, Sequence):
            before = _gates_passed(new[-1], before)
    return node.with_children(new)


def _gates_passed(node: NodeBase, before: Gates) -> Gates:
    """Return the gates that are always passed if `node` succeeds."""
    if handles_material(node):
        return _BOTH  # missing gates are inserted before this node
    if node.skip_if is not None:
        skipped_if_open = OPENED in _gates_of_condition(node.skip_if)
        return before | {OPENED} if _opens_door(node) and skipped_if_open else before
    if _opens_door(node):
        return before | {OPENED}
    if isinstance(node, Check) and not node.tell:
        return before | _gates_of_condition(node.check)
    children = node.children
    if isinstance(node, Fallback) or (isinstance(node, Parallel) and node.needed < len(children)):
        return frozenset.intersection(*(_gates_passed(child, before) for child in children))
    return reduce(lambda passed, child: _gates_passed(child, passed), children, before)


def _is_choice(node: Fallback) -> bool:
    """Return True if every branch starts with a check: "if it is visible …, otherwise …".

    A gate for the material before such a fallback would prevent the branch for the negative answer.
    """
    return len(_deciding_checks(node)) == len(node.fallback)


def _deciding_checks(node: Fallback) -> list[Check]:
    """Return the checks that decide which branch runs."""
    firsts = [way.sequence[0] for way in node.fallback if isinstance(way, Sequence)]
    return [first for first in firsts if isinstance(first, Check) and not first.tell]


def _depends_on_visible_material(node: Fallback) -> bool:
    """Return True if a choice depends on visible material, and a branch reaches for the material.

    A choice by any other condition gets no gate before it, because opening the door would change
    its result.
    """
    asked = {
        leaf.name for check in _deciding_checks(node) for leaf in named_conditions(check.check)
    }
    return VISIBLE in asked and any(map(handles_material, walk(node)))


def _gates_with_alternative(node: Fallback) -> Gates:
    """Return the gates whose failure is handled by a branch that starts with the negated check."""
    return _NONE.union(
        *(
            _gates_of_condition(check.check.of)
            for check in _deciding_checks(node)
            if isinstance(check.check, Not)
        )
    )


def _opens_door(node: NodeBase) -> bool:
    return isinstance(node, Do) and node.do == OPENED


def _checked_gates(node: NodeBase) -> Gates:
    """Return the gates under `node`; checks that only report their answer do not count.

    If a step under `node` handles material, all gates count, because missing ones are inserted
    before that step.
    """
    under = list(walk(node))
    if any(map(handles_material, under)):
        return _BOTH
    checks = [inner for inner in under if isinstance(inner, Check) and not inner.tell]
    return _NONE.union(*(_gates_of_condition(check.check) for check in checks))


def _gates_of_condition(question: Any) -> Gates:
    """Return the gates that are passed if a condition holds."""
    if isinstance(question, All):
        return _NONE.union(*map(_gates_of_condition, question.of))
    if question == IS_OPEN:
        return frozenset((OPENED,))
    return frozenset((VISIBLE,)) if question == Is(name="material_visible") else _NONE
