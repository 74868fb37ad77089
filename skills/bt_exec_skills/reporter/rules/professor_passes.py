"""Passes for the professor's steps, which depend on whether the command names the professor.

If it does, the steps come before all other work. Otherwise they are removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.pack import PassContext
from bt_exec.spec.condition_expression import named_conditions
from bt_exec.spec.model import Do, Fallback, MissionSpec, NodeBase, Parallel, flattened_steps, walk
from bt_exec_skills.reporter.rules.plan_steps import (
    PROFESSOR,
    PROFESSOR_OFFICE,
    Changed,
    action_node,
    actions,
    change_note,
    is_core_work,
    map_of,
    with_steps,
)
from bt_exec_skills.reporter.rules.requests import names_professor

__all__ = ["concerns_professor", "move_professor_first", "remove_professor_steps"]

_NAMES = frozenset({PROFESSOR, PROFESSOR_OFFICE})
_NAMING = ("target", "recipient", "giver", "person", "place")
"""Arguments of actions, conditions and trees that name a person or a place."""


def concerns_professor(node: NodeBase) -> bool:
    """Return True if a node drives to the professor's office or concerns the professor."""
    return isinstance(node, Do) and _has_professor_argument(node.args)


def remove_professor_steps(spec: MissionSpec, context: PassContext) -> Changed:
    """Remove steps that concern the professor if the command does not mention the professor."""
    if context.meaning is not None or not context.command or names_professor(context):
        return spec, ()
    if not any(_names_professor(node) for node in walk(spec.root)):
        return spec, ()
    kept = [
        new for step in flattened_steps(spec.root) if (new := _without_professor(step)) is not None
    ]
    return with_steps(spec, kept), (change_note(context, "no_professor"),)


def move_professor_first(spec: MissionSpec, context: PassContext) -> Changed:
    """Move the professor's steps before all other work if the command names the professor.

    A plan without such a step gets a drive to the office and a talk with the command as its topic.
    If the command has a meaning, the order of the plan is kept.
    """
    if context.meaning is not None:
        return spec, ()
    if not names_professor(context) or not _has_professor(context):
        return spec, ()
    changes: list[str] = []
    steps = [_sort_children(step) for step in _professor_steps_first(flattened_steps(spec.root))]
    new = with_steps(spec, steps)
    if new is not spec:
        changes.append(change_note(context, "professor_first"))
    first = next((action for action in actions(new.root) if is_core_work(action)), None)
    if first is None or not concerns_professor(first):
        pattern = [
            action_node("navigate", target=PROFESSOR_OFFICE),
            action_node("talk_to_person", target=PROFESSOR, topic=_escaped(context.command)),
        ]
        new = with_steps(new, [*pattern, *flattened_steps(new.root)])
        changes = [change_note(context, "went_first")]
    return new, tuple(changes)


def _escaped(text: str) -> str:
    text = " ".join(text.split())[:500]
    return f"${text}" if text.startswith("$") else text


def _has_professor(context: PassContext) -> bool:
    site = map_of(context)
    return site is None or (PROFESSOR in site.people and PROFESSOR_OFFICE in site.places)


def _has_professor_argument(args: Mapping[str, Any]) -> bool:
    who = (args.get(name) for name in _NAMING)
    return not _NAMES.isdisjoint(str(value) for value in who)


def _names_professor(node: NodeBase) -> bool:
    """Return True if an argument or a condition of a node names the professor."""
    return _has_professor_argument(node.call_arguments) or any(
        _has_professor_argument(leaf.args)
        for condition in node.conditions.values()
        for leaf in named_conditions(condition)
    )


def _without_professor(node: NodeBase) -> NodeBase | None:
    """Return `node` without the parts that concern the professor, or None if nothing is left."""
    if _names_professor(node):
        return None
    if isinstance(node, Fallback) and _without_professor(node.fallback[0]) is None:
        return None  # the first branch was removed, so nothing can fail over to the others
    kept = [new for child in node.children if (new := _without_professor(child)) is not None]
    if node.children and not kept:
        return None
    if isinstance(node, Parallel):
        if len(kept) < 2:
            return kept[0]
        if node.needed > len(kept):
            node = node.model_copy(update={"succeed_when": "all"})
    return node.with_children(kept)


def _professor_steps_first(steps: list[NodeBase]) -> list[NodeBase]:
    """Return steps with those that concern the professor before all others."""
    mine = [any(concerns_professor(node) for node in walk(step)) for step in steps]
    pairs = list(zip(mine, steps, strict=True))
    return [step for own, step in pairs if own] + [step for own, step in pairs if not own]


def _sort_children(node: NodeBase) -> NodeBase:
    """Return a step with its children sorted: those that concern the professor come first."""
    children = list(node.children)
    if not isinstance(node, Fallback):  # reordering its branches would change the plan
        children = _professor_steps_first(children)
    return node.with_children(map(_sort_children, children))
