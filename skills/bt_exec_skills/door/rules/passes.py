"""Passes of the door pack for every plan: labels, arms, skipped steps and gates.

Each pass is pure, named and idempotent, and reports its changes. They run on offline plans and on
model plans alike, after subtrees are expanded and before verification.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from bt_exec.language.messages import language_of, load_messages
from bt_exec.pack import Pass, PassContext
from bt_exec.spec.condition_expression import Is, named_conditions
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
from bt_exec.spec.node_paths import label_of
from bt_exec_skills.door.rules.gates_before_material_steps import (
    IS_OPEN,
    OPEN_ENOUGH,
    OPENED,
    VISIBLE,
    handles_material,
    insert_gates,
)

__all__ = [
    "PASSES",
    "insert_door_gates",
    "open_door_further",
    "replace_occluded_handle",
    "set_arm_by_policy",
    "skip_finished_steps",
]

HANDLE, DOOR = "door-handle", "door"
NOT_VISIBLE = "MATERIAL_NOT_VISIBLE_AFTER_OPEN"
_ENDS_WHEN = {"open_door": "open", "close_door": "closed"}

AnyNode = TypeVar("AnyNode", Do, Tree)
Changed = tuple[MissionSpec, tuple[str, ...]]


def replace_occluded_handle(spec: MissionSpec, context: PassContext) -> Changed:
    """Replace the handle by the door in actions if no handle is in view.

    The handle of a closed door may be hidden by an arm that is not at home, as after a stop. The
    handle is then kept and the arms are brought home first, because the edge of a closed door gives
    no grip.
    """
    labels, facts = context.situation.labels, context.situation.facts
    if DOOR not in labels or HANDLE in labels:
        return spec, ()
    away = any(facts.get(place) != "home" for place in ("at.left", "at.right"))
    if facts.get("door") == "closed" and away:
        return _with_arms_home_first(spec, context)
    changes: list[str] = []

    def replace_handle(node: NodeBase) -> NodeBase:
        if isinstance(node, Do) and node.args.get("object_label") == HANDLE:
            changes.append(_change_text(context, node, "label"))
            return _with_args(node, object_label=DOOR)
        return node

    return _with_changed_nodes(spec, replace_handle), tuple(changes)


def _with_arms_home_first(spec: MissionSpec, context: PassContext) -> Changed:
    """Return a plan that brings the arms home first if it begins by opening the door."""
    first = next(walk(spec.root, Do), None)
    if first is None or first.do != OPENED:
        return spec, ()
    home = Do.model_validate({"do": "return_home", "skip_if": "arms_home"})
    root = Sequence(sequence=(home, spec.root))
    return spec.model_copy(update={"root": root}), (_change_text(context, first, "uncover"),)


def set_arm_by_policy(spec: MissionSpec, context: PassContext) -> Changed:
    """Replace the arm of steps that handle material by the one that the site sets."""
    arm = context.settings.material_arm
    changes: list[str] = []

    def set_arm(node: NodeBase) -> NodeBase:
        if handles_material(node) and isinstance(node, Do) and node.args.get("arm") != arm:
            changes.append(_change_text(context, node, "arm", arm=arm))
            return _with_args(node, arm=arm)
        if isinstance(node, Tree) and node.body and node.args.get("arm", arm) != arm:
            arms = {inner.args["arm"] for inner in walk(node.body) if _takes_arm(inner)}
            if arms == {arm} and any(handles_material(inner) for inner in walk(node.body)):
                return _with_args(node, arm=arm)  # must match the arm of the tree's steps
        return node

    return _with_changed_nodes(spec, set_arm), tuple(changes)


def skip_finished_steps(spec: MissionSpec, context: PassContext) -> Changed:
    """Add conditions that skip opening an open door and closing a closed one."""
    changes: list[str] = []

    def add_skip_condition(node: NodeBase) -> NodeBase:
        if isinstance(node, Do) and node.do in _ENDS_WHEN and node.skip_if is None:
            state = _ENDS_WHEN[node.do]
            changes.append(_change_text(context, node, "skip", state=state))
            done = Is(name="door_is", args={"state": state})
            return node.model_copy(update={"skip_if": done})
        return node

    return _with_changed_nodes(spec, add_skip_condition), tuple(changes)


def open_door_further(spec: MissionSpec, context: PassContext) -> Changed:
    """Let steps that would skip an open door open it further if the door hides part of the inside.

    Only plans that handle the material or look for it are changed.
    """
    if not any(handles_material(node) or _looks_inside(node) for node in walk(spec.root)):
        return spec, ()
    changes: list[str] = []

    def open_further(node: NodeBase) -> NodeBase:
        if isinstance(node, Do) and node.do == OPENED and node.skip_if == IS_OPEN:
            changes.append(_change_text(context, node, "inside"))
            return node.model_copy(update={"skip_if": OPEN_ENOUGH})
        return node

    return _with_changed_nodes(spec, open_further), tuple(changes)


def _looks_inside(node: NodeBase) -> bool:
    return isinstance(node, Check) and any(
        leaf.name == VISIBLE for leaf in named_conditions(node.check)
    )


def insert_door_gates(spec: MissionSpec, context: PassContext) -> Changed:
    """Insert gates: a hand reaches only when the door is open and the material was seen."""
    opening = [node for node in walk(spec.root, Do) if node.do == "open_door"]
    usual = context.settings.door_arm
    written = {
        "do": "open_door",
        "with": {
            "arm": opening[0].args.get("arm", usual) if opening else usual,
            "object_label": DOOR if HANDLE not in context.situation.labels else HANDLE,
        },
        "skip_if": IS_OPEN,
    }
    look = Check.model_validate({"check": "material_visible", "else": NOT_VISIBLE})
    root, added = insert_gates(spec.root, {OPENED: Do.model_validate(written), VISIBLE: look})
    notes = (_change_text(context, node, "gate", added=list(gates)) for node, gates in added)
    return spec.model_copy(update={"root": root}), tuple(notes)


_notes = partial(load_messages, Path(__file__).with_name("notes.yaml"))


def _change_text(context: PassContext, node: NodeBase, key: str, **facts: Any) -> str:
    """Return the description of a change, in the language of the command."""
    label = node.do if isinstance(node, Do) else label_of(node)
    return f"{label}: {_notes().say(key, language_of(context.command), **facts)}"


def _takes_arm(node: NodeBase) -> TypeGuard[Do]:
    return isinstance(node, Do) and "arm" in node.args


def _with_args(node: AnyNode, **args: Any) -> AnyNode:
    return node.model_copy(update={"args": {**node.args, **args}})


def _with_changed_nodes(spec: MissionSpec, change: Callable[[NodeBase], NodeBase]) -> MissionSpec:
    return spec.model_copy(update={"root": rebuild(spec.root, change)})


PASSES = (
    Pass("arm_policy", set_arm_by_policy),
    Pass("door_gate", insert_door_gates),
    Pass("skip_what_is_done", skip_finished_steps),
    Pass("see_inside", open_door_further),
    Pass("ground_labels", replace_occluded_handle),
)
"""Passes in the order in which they run."""
