"""Passes for places: visits to named places in order, and questions about the past."""

from __future__ import annotations

from typing import TypeGuard

from bt_exec.pack import PassContext
from bt_exec.spec.model import (
    Do,
    Fallback,
    MissionSpec,
    NodeBase,
    Parallel,
    Sequence,
    flattened_steps,
    walk,
)
from bt_exec_skills.reporter.rules.plan_steps import (
    REPORT_TOPIC,
    USER,
    Changed,
    action_node,
    actions,
    change_note,
    contains_core_work,
    map_of,
    place_of,
    tells_user,
    with_steps,
)
from bt_exec_skills.reporter.rules.requests import (
    about_past,
    named_places,
    names_professor,
    wants_report,
)

__all__ = ["answer_without_moving", "go_before_looking", "visit_places_in_order"]


def visit_places_in_order(spec: MissionSpec, context: PassContext) -> Changed:
    """Visit every place that the command names, in the order of the command.

    Only first visits count, because a plan may return to a place. A place missing from the plan is
    observed after the others. If the command asks for a report, each place is observed and not only
    visited. Commands about the professor have a separate rule.
    """
    site = map_of(context)
    if site is None or not context.command or names_professor(context):
        return spec, ()
    named = named_places(context, site)
    if not named or about_past(context):
        return spec, ()
    steps = flattened_steps(spec.root)
    last = max((at for at, step in enumerate(steps) if contains_core_work(step)), default=-1)
    groups = _group_by_place(steps[: last + 1])
    visited = {place for group in groups for step in group for place in _places(step)}
    missing = [place for place in named if place not in visited and context.meaning is None]
    changes = [f"{place}: {change_note(context, 'forgotten')}" for place in missing]
    groups += [
        [
            action_node("navigate", target=place),
            action_node("observe_scene", target=place, query="situation"),
        ]
        for place in missing
    ]
    if wants_report(context):
        seen = {str(n.args.get("target")) for n in walk(spec.root) if _is_look(n)} | {*missing}
        for group in groups:
            place = _group_place(group)
            if place in named and place not in seen:
                group.append(action_node("observe_scene", target=place, query="situation"))
                changes.append(f"{place}: {change_note(context, 'reported')}")
    slots = [at for at, group in enumerate(groups) if _group_place(group) in named]
    first = list(dict.fromkeys(_group_place(groups[at]) or "" for at in slots))
    # later visits are not compared, because the robot may return to a place
    if context.meaning is None and first != sorted(first, key=named.index):
        wanted = sorted(
            (groups[at] for at in slots), key=lambda g: named.index(_group_place(g) or "")
        )
        changes.append(change_note(context, "in_order"))
        for at, group in zip(slots, wanted, strict=True):
            groups[at] = group
    new = [*(step for group in groups for step in group), *steps[last + 1 :]]
    return (with_steps(spec, new), tuple(changes)) if changes else (spec, ())


def _places(node: NodeBase) -> set[str]:
    return {
        str(action.args.get(name))
        for action in actions(node)
        for name in ("target", "recipient", "giver")
        if name in action.args and action.do != "talk_to_person"
    }


def _group_place(group: list[NodeBase]) -> str | None:
    return next((place for step in group if (place := place_of(step)) is not None), None)


def _is_look(node: NodeBase) -> TypeGuard[Do]:
    return isinstance(node, Do) and node.do == "observe_scene"


def _group_by_place(steps: list[NodeBase]) -> list[list[NodeBase]]:
    """Return steps in groups of a drive and the actions at its target."""
    groups: list[list[NodeBase]] = []
    for step in steps:
        follows = isinstance(step, Do) and step.do != "navigate"
        if follows and groups:
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def go_before_looking(spec: MissionSpec, context: PassContext) -> Changed:
    """Insert a drive before each step that looks at a place where the robot is not."""
    route = _Route(context)
    steps = [route.with_missing_drives(step) for step in flattened_steps(spec.root)]
    if not route.changes:
        return spec, ()
    opened = [inner for step in steps for inner in flattened_steps(step)]
    return with_steps(spec, opened), tuple(route.changes)


class _Route:
    """Pass over a plan that tracks the place of the robot and inserts missing drives.

    Attributes:
        at: Place of the robot; None if unknown.
        changes: A note for each added drive.
    """

    def __init__(self, context: PassContext) -> None:
        self._context = context
        self.at: str | None = context.situation.facts.get("at")
        self.changes: list[str] = []

    def with_missing_drives(self, node: NodeBase) -> NodeBase:
        """Return a node with a drive before each observation of another place."""
        match node:
            case Do(do="navigate"):
                self.at = str(node.args.get("target"))
            case Do(do="deliver_object"):
                self.at = None
            case Do(do="observe_scene") if str(node.args.get("target")) != self.at:
                self.at = str(node.args.get("target"))
                self.changes.append(f"{self.at}: {change_note(self._context, 'gone_to')}")
                drive = action_node("navigate", target=self.at)
                return Sequence.model_validate({"sequence": (drive, node)})
            case Fallback() | Parallel():
                return self._add_drives_to_branches(node)
        return node.with_children(map(self.with_missing_drives, node.children))

    def _add_drives_to_branches(self, node: NodeBase) -> NodeBase:
        """Insert missing drives in each branch of a fallback or parallel node.

        The first branch of a fallback and every parallel branch starts at the present place, a
        later branch of a fallback at an unknown one. Afterwards the place is known only if all
        branches end at the same place.
        """
        before, ends, new = self.at, set[str | None](), []
        for branch in node.children:
            self.at = before
            new.append(self.with_missing_drives(branch))
            if any(walk(branch, Do)):
                ends.add(self.at)  # a branch without actions only notes a failure and is ignored
            if isinstance(node, Fallback):
                before = None  # the previous branch may have driven anywhere
        self.at = ends.pop() if len(ends) == 1 else None
        return node.with_children(new)


def answer_without_moving(spec: MissionSpec, context: PassContext) -> Changed:
    """Answer a question about earlier missions without moving."""
    site = map_of(context)
    if not about_past(context) or names_professor(context):
        return spec, ()
    if site is not None and named_places(context, site):
        return spec, ()
    if not _moves_robot(spec.root):
        return spec, ()
    steps = [step for step in flattened_steps(spec.root) if not _moves_robot(step)]
    if not any(tells_user(node) for step in steps for node in walk(step)):
        steps.insert(0, action_node("talk_to_person", target=USER, topic=REPORT_TOPIC))
    return with_steps(spec, steps), (change_note(context, "talk_only"),)


def _moves_robot(step: NodeBase) -> bool:
    return any(map(_may_drive, walk(step, Do)))


def _may_drive(node: Do) -> bool:
    return node.do in ("navigate", "observe_scene", "deliver_object") or (
        node.do == "talk_to_person" and not tells_user(node)
    )
