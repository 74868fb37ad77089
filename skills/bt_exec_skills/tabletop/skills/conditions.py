"""Conditions of the tabletop pack: positions, the held object, completed sorting.

Timing: a condition is evaluated once or each tick, as defined by the node (see
`bt_exec.spec.model`). Each answer uses a reading of the world that was taken after the node
started. Until that reading arrives, the verdict is *unknown*.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import repeat
from typing import Annotated

from pydantic import StringConstraints

from bt_exec.language.meaning import Turn
from bt_exec.language.messages import language_of
from bt_exec.observation import World
from bt_exec.skill import Service, Verdict, condition
from bt_exec_skills.tabletop.display_names import display_name_or_id
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.answers import answer
from bt_exec_skills.tabletop.goals.attribute_groups import unsorted_objects
from bt_exec_skills.tabletop.goals.compiler import refusal_message, understand
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.held_object_tracker import NEAR_M, HeldObjectTracker
from bt_exec_skills.tabletop.name_attributes import Attribute, ObjectName
from bt_exec_skills.tabletop.perception.observation_and_pipeline import TableObservation
from bt_exec_skills.tabletop.robot import TableRobot

__all__ = [
    "CONDITIONS",
    "all_in_place",
    "all_sorted_by",
    "at",
    "hand_empty",
    "holds",
    "object_in",
    "object_visible",
    "some_in_place",
]

_UNKNOWN = "SIMULATOR_UNREACHABLE"
_PATIENCE_S = 10.0
_MOST_EVIDENCE = 20
_WAITING = Verdict.unknown("nothing read yet")


def _current_environment(robot: TableRobot, world: World[TableObservation]) -> Environment | None:
    return robot.world_since(world.since, world.now)


@condition(
    patience_s=_PATIENCE_S,
    unknown=_UNKNOWN,
    skip_reason="already there",
    establishes={"at": "{target}"},
)
def at(robot: TableRobot, world: World[TableObservation], target: ObjectName) -> Verdict:
    """Whether the robot is near enough for its arm to reach an object."""
    now = _current_environment(robot, world)
    if now is None or now.base is None:
        return _WAITING
    place = now.position_of(target)
    if place is None:
        return Verdict.no(f"{display_name_or_id(target, 'en')} is not there")
    away = place.horizontal_distance(now.base)
    return Verdict(away <= NEAR_M, f"{away:.1f} m away")


@condition(patience_s=_PATIENCE_S, unknown=_UNKNOWN, establishes={"hand": "{object}"})
def holds(
    robot: TableRobot,
    world: World[TableObservation],
    hand: Service[HeldObjectTracker],
    object: ObjectName,  # noqa: A002 - as in plans
) -> Verdict:
    """Whether the hand holds the given object."""
    now = _current_environment(robot, world)
    if now is None:
        return _WAITING
    held = hand.held_object(now)
    return Verdict(held == object, f"hand: {display_name_or_id(held, 'en') if held else 'empty'}")


@condition(patience_s=_PATIENCE_S, unknown=_UNKNOWN, establishes={"hand": "empty"})
def hand_empty(
    robot: TableRobot, world: World[TableObservation], hand: Service[HeldObjectTracker]
) -> Verdict:
    """Whether the hand is empty."""
    now = _current_environment(robot, world)
    if now is None:
        return _WAITING
    held = hand.held_object(now)
    return Verdict(held is None, f"hand: {display_name_or_id(held, 'en') if held else 'empty'}")


@condition(
    patience_s=_PATIENCE_S,
    unknown=_UNKNOWN,
    skip_reason="already in place",
    establishes={"spot.{object}": "in {target}"},
)
def object_in(
    robot: TableRobot,
    world: World[TableObservation],
    hand: Service[HeldObjectTracker],
    object: ObjectName,  # noqa: A002 - as in plans
    target: ObjectName,
) -> Verdict:
    """Whether an object is in another object and not held."""
    now = _current_environment(robot, world)
    if now is None:
        return _WAITING
    if hand.held_object(now) == object:
        return Verdict.no(f"{display_name_or_id(object, 'en')}: hand")
    place = now.place_of(object)
    where = display_name_or_id(place, "en") if place is not None else "outside"
    return Verdict(now.is_in_place(object, target), f"{display_name_or_id(object, 'en')}: {where}")


@condition(patience_s=_PATIENCE_S, unknown=_UNKNOWN)
def object_visible(
    robot: TableRobot,
    world: World[TableObservation],
    object: ObjectName,  # noqa: A002 - as in plans
) -> Verdict:
    """Whether an object is in the environment now."""
    now = _current_environment(robot, world)
    if now is None:
        return _WAITING
    return Verdict(object in now.objects, f"{len(now.objects)} objects")


@condition(patience_s=_PATIENCE_S, unknown=_UNKNOWN, skip_reason="already sorted")
def all_sorted_by(
    robot: TableRobot, world: World[TableObservation], attribute: Attribute
) -> Verdict:
    """Whether every object is in a container, and no container holds two values of `attribute`."""
    now = _current_environment(robot, world)
    if now is None:
        return _WAITING
    left = unsorted_objects(now, attribute)
    return Verdict(not left, f"{len(left)} not sorted", left[:5])


def _misplaced_objects(
    now: Environment, objects: Iterable[str], targets: Iterable[str]
) -> list[str]:
    """Return "object → target" for each object that is not in its target."""
    pairs = zip(objects, targets, strict=False)
    return [
        f"{display_name_or_id(name, 'en')} → {display_name_or_id(target, 'en')}"
        for name, target in pairs
        if now.place_of(name) != target
    ]


@condition(patience_s=_PATIENCE_S, unknown=_UNKNOWN)
def all_in_place(
    robot: TableRobot,
    world: World[TableObservation],
    objects: tuple[ObjectName, ...],
    targets: tuple[ObjectName, ...],
) -> Verdict:
    """Whether each of `objects` is in the target at the same index of `targets`."""
    now = _current_environment(robot, world)
    if now is None:
        return _WAITING
    wrong = _misplaced_objects(now, objects, targets)
    count = len(objects) - len(wrong)
    why = f"not in place: {', '.join(wrong)}" if wrong else f"{count} in place"
    return Verdict(not wrong, why, tuple(wrong))


@condition(patience_s=_PATIENCE_S, unknown=_UNKNOWN, notes=True)
def some_in_place(
    robot: TableRobot,
    world: World[TableObservation],
    objects: tuple[ObjectName, ...],
    targets: tuple[ObjectName, ...],
) -> Verdict:
    """Whether some of `objects` are in their `targets`, so that the mission is partly done."""
    now = _current_environment(robot, world)
    if now is None:
        return _WAITING
    count = min(len(objects), len(targets)) - len(_misplaced_objects(now, objects, targets))
    return Verdict(count > 0, f"{count}/{len(objects)}")


@condition(patience_s=_PATIENCE_S, unknown=_UNKNOWN)
def answer_to(
    robot: TableRobot,
    world: World[TableObservation],
    hand: Service[HeldObjectTracker],
    question: Annotated[str, StringConstraints(min_length=1, max_length=2000)],
    before: tuple[str, ...] = (),
    codes: tuple[str, ...] = (),
) -> Verdict:
    """Answer a question in words. The verdict is true if the answer is yes or names an object.

    Examples: "what is on the table?", "how many cubes are there?", "사과 어디 있어?".

    Args:
        robot: The robot.
        world: Observations of the world.
        hand: Content of the hand.
        question: The question.
        before: Earlier commands that the question refers to.
        codes: Reason codes with which the earlier commands ended.
    """
    now = _current_environment(robot, world)
    if now is None:
        return _WAITING
    now, language = hand.world_with_held_object(now), language_of(question)
    now = replace(now, returnable=hand.moved_now)
    turns = [Turn(*turn) for turn in zip(before, repeat(""), codes, strict=False)]
    try:
        asked = understand(question, now, turns).question
        reply = answer(asked, now, now.held, language) if asked is not None else None
    except Trouble as trouble:  # the world has changed since the question was compiled
        return Verdict.no(refusal_message(trouble, language))
    if reply is None:
        return Verdict.no(refusal_message(Trouble("NOT_UNDERSTOOD"), language))
    return Verdict(reply.holds, reply.text, reply.names[:_MOST_EVIDENCE])


CONDITIONS = (
    answer_to,
    at,
    holds,
    hand_empty,
    object_in,
    object_visible,
    all_sorted_by,
    all_in_place,
    some_in_place,
)
"""All conditions of the pack."""
