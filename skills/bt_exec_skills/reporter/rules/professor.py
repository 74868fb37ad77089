"""Rule 2: the professor is involved only if the command names one, and then first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.planning.passes import PassContext
from bt_exec.spec.expression import leaves
from bt_exec.spec.model import (
    Check,
    Do,
    Fallback,
    MissionSpec,
    NodeBase,
    Parallel,
    Sequence,
    Tree,
    walk,
)
from bt_exec_skills.reporter.rules.requests import names_professor
from bt_exec_skills.reporter.rules.steps import (
    PROFESSOR,
    PROFESSOR_OFFICE,
    Changed,
    actions,
    do,
    is_core,
    map_of,
    note,
    put_together,
    steps_of,
)

__all__ = ["concerns_professor", "no_professor", "professor_first"]

_NAMES = frozenset({PROFESSOR, PROFESSOR_OFFICE})


def concerns_professor(node: NodeBase) -> bool:
    """Return True if a node drives to the professor's office or concerns the professor."""
    return isinstance(node, Do) and _has_professor_argument(node.args)


def no_professor(spec: MissionSpec, context: PassContext) -> Changed:
    """Remove every step that concerns the professor if the command does not name one."""
    if context.meaning is not None or not context.command or names_professor(context):
        return spec, ()
    if not any(_names_professor(node) for node in walk(spec.root)):
        return spec, ()
    kept = [new for step in steps_of(spec.root) if (new := _without(step)) is not None]
    return put_together(spec, kept), (note(context, "no_professor"),)


def professor_first(spec: MissionSpec, context: PassContext) -> Changed:
    """Move steps that concern the professor before all other work if the command names one.

    A plan without such a step gets the pattern: drive there, and talk about the command. If the
    command was understood with certainty, the order of its words is kept.
    """
    if context.meaning is not None:
        return spec, ()
    if not names_professor(context) or not _has_professor(context):
        return spec, ()
    changes: list[str] = []
    steps = [_sorted(step) for step in _professor_steps_first(steps_of(spec.root))]
    new = put_together(spec, steps)
    if new is not spec:
        changes.append(note(context, "professor_first"))
    first = next((action for action in actions(new.root) if is_core(action)), None)
    if first is None or not concerns_professor(first):
        pattern = [
            do("navigate", target=PROFESSOR_OFFICE),
            do("talk_to_person", target=PROFESSOR, topic=_escaped(context.command)),
        ]
        new = put_together(new, [*pattern, *steps_of(new.root)])
        changes = [note(context, "went_first")]
    return new, tuple(changes)


def _escaped(text: str) -> str:
    text = " ".join(text.split())[:500]
    return f"${text}" if text.startswith("$") else text


def _has_professor(context: PassContext) -> bool:
    site = map_of(context)
    return site is None or (PROFESSOR in site.people and PROFESSOR_OFFICE in site.places)


def _has_professor_argument(args: Mapping[str, Any]) -> bool:
    who = (args.get("target"), args.get("recipient"), args.get("person"), args.get("place"))
    return not _NAMES.isdisjoint(str(value) for value in who)


def _names_professor(node: NodeBase) -> bool:
    """Return True if an argument or a condition of a node names the professor."""
    asked = [part for part in (node.skip_if, node.guard) if part is not None]
    if isinstance(node, Check):
        asked.append(node.check)
    named = isinstance(node, Do | Tree) and _has_professor_argument(node.args)
    return named or any(
        _has_professor_argument(leaf.args) for part in asked for leaf in leaves(part)
    )


def _without(node: NodeBase) -> NodeBase | None:
    """Return `node` without the parts that concern the professor, or None if nothing is left."""
    if _names_professor(node):
        return None
    match node:
        case Sequence():
            kept = [new for child in node.sequence if (new := _without(child)) is not None]
            return _with_children(node, "sequence", node.sequence, kept)
        case Fallback():
            if _without(node.fallback[0]) is None:
                return None  # the branch that the others replace was removed
            kept = [new for child in node.fallback if (new := _without(child)) is not None]
            return _with_children(node, "fallback", node.fallback, kept)
        case Parallel():
            kept = [new for child in node.parallel if (new := _without(child)) is not None]
            if len(kept) < 2:
                return kept[0] if kept else None
            fewer = node.model_copy(update={"succeed_when": "all"})
            same = node.needed <= len(kept)
            return _with_children(node if same else fewer, "parallel", node.parallel, kept)
        case Tree(body=body) if body is not None:
            inner = _without(body)
            return None if inner is None else node.model_copy(update={"body": inner})
    return node


def _with_children(
    node: NodeBase, field: str, before: tuple[NodeBase, ...], kept: list[NodeBase]
) -> NodeBase | None:
    if not kept:
        return None
    if len(kept) == len(before) and all(a is b for a, b in zip(kept, before, strict=True)):
        return node
    return node.model_copy(update={field: tuple(kept)})


def _professor_steps_first(steps: list[NodeBase]) -> list[NodeBase]:
    """Return steps with those that concern the professor before all others."""
    mine = [any(concerns_professor(node) for node in walk(step)) for step in steps]
    pairs = list(zip(mine, steps, strict=True))
    return [step for own, step in pairs if own] + [step for own, step in pairs if not own]


def _sorted(node: NodeBase) -> NodeBase:
    """Return a step whose children that concern the professor come first."""
    match node:
        case Sequence():
            new = tuple(_sorted(child) for child in _professor_steps_first(list(node.sequence)))
            return _with_children(node, "sequence", node.sequence, list(new)) or node
        case Parallel():
            new = tuple(_sorted(child) for child in _professor_steps_first(list(node.parallel)))
            return _with_children(node, "parallel", node.parallel, list(new)) or node
        case Fallback():
            new = tuple(_sorted(child) for child in node.fallback)
            return _with_children(node, "fallback", node.fallback, list(new)) or node
        case Tree(body=body) if body is not None:
            inner = _sorted(body)
            return node if inner is body else node.model_copy(update={"body": inner})
    return node
