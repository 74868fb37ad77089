"""What every plan for the door must keep, whoever wrote it: labels, arms, gates.

Each pass is pure, named and idempotent, and says what it changed. They run on offline plans and on
model plans alike, after subtrees are expanded and before verification.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from bt_exec.messages import Messages, language_of
from bt_exec.passes import Pass, PassContext
from bt_exec.spec.expression import Is
from bt_exec.spec.model import (
    Check,
    Do,
    MissionSpec,
    NodeBase,
    Sequence,
    Tree,
    rebuild,
    walk,
)

__all__ = ["PASSES", "arm_policy", "door_gate", "ground_labels", "skip_what_is_done"]

HANDLE, DOOR, MATERIAL = "door-handle", "door", "material"
NOT_VISIBLE = "MATERIAL_NOT_VISIBLE_AFTER_OPEN"
_ENDS_WHEN = {"open_door": "open", "close_door": "closed"}

AnyNode = TypeVar("AnyNode", Do, Tree)
Changed = tuple[MissionSpec, tuple[str, ...]]


def ground_labels(spec: MissionSpec, context: PassContext) -> Changed:
    """Without a handle in view, actions on the handle are actions on the door."""
    labels = context.seen.labels
    if DOOR not in labels or HANDLE in labels:
        return spec, ()
    changes: list[str] = []

    def ground(node: NodeBase) -> NodeBase:
        if isinstance(node, Do) and node.args.get("object_label") == HANDLE:
            changes.append(_note(context, node, "label", handle=HANDLE, door=DOOR))
            return _with_args(node, object_label=DOOR)
        return node

    return _mapped(spec, ground), tuple(changes)


def arm_policy(spec: MissionSpec, context: PassContext) -> Changed:
    """The arm that handles material is the site's policy, never the planner's choice."""
    arm = context.settings.get("material_arm", "right")
    changes: list[str] = []

    def obey(node: NodeBase) -> NodeBase:
        if handles_material(node) and isinstance(node, Do) and node.args.get("arm") != arm:
            changes.append(_note(context, node, "arm", arm=arm))
            return _with_args(node, arm=arm)
        if isinstance(node, Tree) and node.body and node.args.get("arm", arm) != arm:
            arms = {inner.args["arm"] for inner in walk(node.body) if _takes_arm(inner)}
            if arms == {arm} and any(handles_material(inner) for inner in walk(node.body)):
                return _with_args(node, arm=arm)  # the row above its steps says what they do
        return node

    return _mapped(spec, obey), tuple(changes)


def skip_what_is_done(spec: MissionSpec, context: PassContext) -> Changed:
    """Opening skips an open door, closing a closed one; the skip log says so."""
    changes: list[str] = []

    def skip(node: NodeBase) -> NodeBase:
        if isinstance(node, Do) and node.do in _ENDS_WHEN and node.skip_if is None:
            state = _ENDS_WHEN[node.do]
            changes.append(_note(context, node, "skip", state=state))
            done = Is(name="door_is", args={"state": state})
            return node.model_copy(update={"skip_if": done})
        return node

    return _mapped(spec, skip), tuple(changes)


def door_gate(spec: MissionSpec, context: PassContext) -> Changed:
    """Nothing reaches for material before the door is open and the material was seen there."""
    nodes = list(walk(spec.root))
    first = next((node for node in nodes if handles_material(node)), None)
    if first is None:
        return spec, ()
    before = nodes[: next(i for i, node in enumerate(nodes) if node is first)]
    gates: list[NodeBase] = []
    if not any(isinstance(node, Do) and node.do == "open_door" for node in before) and not any(
        _asks(node, "door_is") for node in before
    ):
        label = DOOR if HANDLE not in context.seen.labels else HANDLE
        arm = context.settings.get("door_arm", "right")
        written = {
            "do": "open_door",
            "with": {"arm": arm, "object_label": label},
            "skip_if": {"door_is": {"state": "open"}},
        }
        gates.append(Do.model_validate(written))
    if not any(_asks(node, "material_visible") for node in before):
        gates.append(Check.model_validate({"check": "material_visible", "else": NOT_VISIBLE}))
    if not gates:
        return spec, ()
    assert isinstance(first, Do)

    def gate(node: NodeBase) -> NodeBase:
        return Sequence.model_validate({"sequence": (*gates, node)}) if node is first else node

    added = ", ".join("open_door" if isinstance(g, Do) else "material_visible" for g in gates)
    return _mapped(spec, gate), (_note(context, first, "gate", added=added),)


def handles_material(node: NodeBase) -> bool:
    """Whether a node moves a hand to or onto the material."""
    return isinstance(node, Do) and node.args.get("object_label") == MATERIAL


def _asks(node: NodeBase, name: str) -> bool:
    return isinstance(node, Check) and isinstance(node.check, Is) and node.check.name == name


@cache
def _notes() -> Messages:
    return Messages.load([Path(__file__).with_name("notes.yaml")])


def _note(context: PassContext, node: Do, key: str, **facts: str) -> str:
    """Return what is changed at a node, in the language of the command."""
    return f"{node.do}: {_notes().say(key, language_of(context.command), **facts)}"


def _takes_arm(node: NodeBase) -> TypeGuard[Do]:
    return isinstance(node, Do) and "arm" in node.args


def _with_args(node: AnyNode, **args: Any) -> AnyNode:
    return node.model_copy(update={"args": {**node.args, **args}})


def _mapped(spec: MissionSpec, change: Callable[[NodeBase], NodeBase]) -> MissionSpec:
    return spec.model_copy(update={"root": rebuild(spec.root, change)})


PASSES = (
    Pass("arm_policy", arm_policy),
    Pass("door_gate", door_gate),
    Pass("skip_what_is_done", skip_what_is_done),
    Pass("ground_labels", ground_labels),
)
"""In the order in which they run."""
