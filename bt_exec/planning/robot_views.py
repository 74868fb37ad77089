"""Requests, plans and situations as seen by one of several robots of the same pack.

Passes, checkers and compilers are written for one robot. They get the names, facts and labels that
the robot would have if it were the only one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from bt_exec.language.addressees import Addressed, RobotNames, parts_by_addressee
from bt_exec.language.meaning import Context, Turn
from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.pack import Catalogue, Pass, PassContext
from bt_exec.planning.compiler import Request
from bt_exec.robot import Observation
from bt_exec.spec.condition_expression import named_conditions
from bt_exec.spec.library import Library
from bt_exec.spec.model import Do, MissionSpec, NodeBase, walk

__all__ = [
    "WHICH_ROBOT",
    "addressed_parts",
    "apply_to_parts",
    "one_robot_per_pack",
    "owners_in",
    "plan_parts_of_pack",
    "request_for_robot",
    "robot_names",
    "site_situation",
    "site_views",
    "situation_for_pack",
]

WHICH_ROBOT = "WHICH_ROBOT"
"""Refusal code for a command without an addressee that several robots could carry out."""


def robot_names(request: Request) -> RobotNames:
    """Return the names, by language, of each robot that shares its pack with others."""
    packs = {pack.name: pack for pack in request.catalogue.packs}
    return {
        name: request.settings_of(packs[name]).robot_names(name)
        for name in request.catalogue.robots_sharing_pack
    }


def site_situation(catalogue: Catalogue, observations: Mapping[str, Observation]) -> Situation:
    """Return the situation of a site, as observed by its packs or robots."""
    facts: dict[str, str] = {}
    for robot, one in observations.items():
        facts |= catalogue.facts_on_site(robot, one.facts())
    labels_by = {robot: tuple(one.labels()) for robot, one in observations.items()}
    labels = tuple(dict.fromkeys(label for own in labels_by.values() for label in own))
    text = " · ".join(one.describe("en") for one in observations.values())
    frames = (one.frame for one in observations.values() if one.frame is not None)
    return Situation(labels, facts, text, next(frames, None), labels_by)


def situation_for_pack(robot: str, situation: Situation, catalogue: Catalogue) -> Situation:
    """Return a situation with the facts and labels of one robot, in the names of its pack.

    For a pack with a single robot, the situation is returned unchanged.
    """
    if not catalogue.is_robot(robot):
        return situation
    return replace(
        situation,
        facts=catalogue.facts_in_pack(robot, situation.facts),
        labels=situation.labels_by.get(robot, situation.labels),
    )


def plan_parts_of_pack(robot: str, spec: MissionSpec, catalogue: Catalogue) -> list[MissionSpec]:
    """Return the parts of a plan that concern a pack, in the names of the pack.

    The result is the whole plan or, for one of several robots, each part that uses only this robot.
    """
    if not catalogue.is_robot(robot):
        return [catalogue.with_pack_names(robot, spec)]
    parts: list[MissionSpec] = []

    def collect(part: MissionSpec) -> MissionSpec:
        parts.append(part)
        return part

    _change_parts(robot, spec, catalogue, collect)
    return parts


def apply_to_parts(
    robot: str, spec: MissionSpec, catalogue: Catalogue, step: Pass, context: PassContext
) -> tuple[MissionSpec, tuple[str, ...]]:
    """Apply a pass to the parts of a plan that concern a pack; return the plan and the changes."""
    changes: list[str] = []

    def apply_step(part: MissionSpec) -> MissionSpec:
        changed, found = step.apply(part, context)
        changes.extend(found)
        return changed

    if catalogue.is_robot(robot):
        return _change_parts(robot, spec, catalogue, apply_step), tuple(changes)
    own = catalogue.with_pack_names(robot, spec)
    return catalogue.with_site_names(robot, apply_step(own)), tuple(changes)


def _change_parts(
    robot: str,
    spec: MissionSpec,
    catalogue: Catalogue,
    change: Callable[[MissionSpec], MissionSpec],
) -> MissionSpec:
    """Return a plan with `change` applied to the largest parts that use only one robot."""

    def change_node(old: NodeBase) -> NodeBase:
        owners = owners_in(old, catalogue)
        if robot not in owners:
            return old
        if owners == {robot}:
            part = catalogue.with_pack_names(robot, spec.model_copy(update={"root": old}))
            return catalogue.with_site_names(robot, change(part)).root
        return old.with_children(map(change_node, old.children))

    return spec.model_copy(update={"root": change_node(spec.root)})


def owners_in(node: NodeBase, catalogue: Catalogue) -> set[str]:
    """Return the packs and robots whose skills or conditions a node or a node under it uses."""
    return {catalogue.owners.get(name, "") for name in _skill_and_condition_names(node)} - {""}


def _skill_and_condition_names(node: NodeBase) -> Iterator[str]:
    """Yield the names of the skills and conditions that a node or a node under it uses."""
    for inner in walk(node):
        if isinstance(inner, Do):
            yield inner.do
        for part in inner.conditions.values():
            yield from (leaf.name for leaf in named_conditions(part))


def request_for_robot(request: Request, robot: str, text: str = "") -> Request:
    """Return a request as it would be if `robot` were the only robot of the site.

    Args:
        request: The request.
        robot: Name of the robot; empty to include only the trees that belong to no robot.
        text: Part of the command that is addressed to the robot; empty for the whole command.
    """
    catalogue, library = _robot_view(
        request.catalogue, request.library, len(request.library), robot
    )
    return replace(
        request,
        command=text or request.command,
        catalogue=catalogue,
        library=library,
        situation=situation_for_pack(robot, request.situation, request.catalogue),
        assumed=request.catalogue.facts_in_pack(robot, request.assumed),
        context=_earlier_commands_to(request, robot),
    )


def site_views(request: Request) -> Iterator[Request]:
    """Yield the requests that together cover all trees of a site.

    The first one has only the trees that belong to no robot. The others have the trees of one robot
    for each pack that several robots share. If there is no such pack, the request itself is
    yielded.
    """
    if not request.catalogue.robots_sharing_pack:
        yield request
        return
    yield request_for_robot(request, "")
    for robot in one_robot_per_pack(request.catalogue):
        yield request_for_robot(request, robot)


def one_robot_per_pack(catalogue: Catalogue) -> list[str]:
    """Return the first robot of each pack that several robots share."""
    first = {pack.kind: pack.name for pack in reversed(catalogue.packs)}
    return [robot for robot in catalogue.robots_sharing_pack if robot in first.values()]


@lru_cache(maxsize=16)
def _robot_view(
    catalogue: Catalogue, library: Library, _: int, robot: str
) -> tuple[Catalogue, Library]:
    """Return the catalogue and the trees that one robot sees."""
    seen = Library()
    of_robots = {f"{name}.{tree}" for name, trees in catalogue.trees.items() for tree in trees}
    for tree in library:
        if tree.tree not in of_robots:
            seen.add(tree, library.source(tree.tree))
        elif catalogue.tree_name_in_pack(robot, tree.tree) != tree.tree:
            seen.add(catalogue.with_pack_names(robot, tree), library.source(tree.tree))
    if not robot:
        return catalogue, seen
    packs = [
        pack for pack in catalogue.packs if pack.name == robot or not catalogue.is_robot(pack.name)
    ]
    return Catalogue(packs), seen


def _earlier_commands_to(request: Request, robot: str) -> Context:
    """Return the earlier commands to one robot; for an empty name, those without an addressee."""
    names = robot_names(request)

    def turn_of_robot(turn: Turn) -> Turn | None:
        parts = parts_by_addressee(turn.command, language_of(turn.command), names)
        if not parts:
            return turn if not robot else None
        said = [part.text for part in parts if robot in part.robots]
        return replace(turn, command=said[-1]) if said else None

    turns = tuple(
        turn for each in request.context.turns if (turn := turn_of_robot(each)) is not None
    )
    return replace(request.context, turns=turns)


def addressed_parts(request: Request) -> tuple[Addressed, ...]:
    """Return the parts of a command by addressee; empty if no robot is addressed.

    If the command is only a name that answers "which robot?", the part has the text of the command
    about which the question was asked.
    """
    parts = parts_by_addressee(request.command, request.language, robot_names(request))
    if len(parts) == 1 and not parts[0].text and request.context.turns:
        last = request.context.turns[-1]
        if last.code == WHICH_ROBOT:
            return (parts[0]._replace(text=last.command),)
    return parts
