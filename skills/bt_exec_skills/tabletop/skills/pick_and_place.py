"""Skills that drive to an object or table, pick an object up and place it."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.skill import Service, Steps, skill
from bt_exec_skills.tabletop.display_names import display_name_or_id
from bt_exec_skills.tabletop.environment_state import AT_SPOT_M, Environment
from bt_exec_skills.tabletop.held_object_tracker import NEAR_M, HeldObjectTracker
from bt_exec_skills.tabletop.name_attributes import ObjectName
from bt_exec_skills.tabletop.placement_search import is_beside, placement_for
from bt_exec_skills.tabletop.robot import Side, Spot, TableRobot
from bt_exec_skills.tabletop.skills.skill_helpers import (
    MOTION_FAILS,
    finish_motion,
    position_of,
    read_world,
    target_point,
    wait_for_rest,
)

__all__ = ["go_to_object", "pick_object", "place_object", "verify_hold"]


_MOVED_M = 0.3
_CHASES = 2


def verify_hold(hand: HeldObjectTracker, now: Environment) -> str | None:
    """Return the held object, or None if the hand is empty; fail if the object fell.

    An object that the last motion released does not count as fallen, even if that motion was
    stopped.

    Raises:
        Failed: DROPPED, with the position of the fallen object.
    """
    thing, releasing, held = hand.thing, hand.moved, hand.record_held_object(now)
    if thing is not None and held is None and not releasing:
        at = now.position_of(thing)
        if at is None:
            raise Failed("OBJECT_GONE", "it was in the hand", target=thing)
        lies = f"({at.x:.2f}, {at.y:.2f}, {at.z:.2f})"
        raise Failed("DROPPED", f"it fell and is at {lies}", object=thing)
    return held


@skill(
    fails={"NOT_THERE", "OBJECT_GONE", "DROPPED", *MOTION_FAILS},
    effects={"at": "{target}"},
    uses={"base"},
    timeout_s=120,
)
def go_to_object(
    robot: TableRobot, hand: Service[HeldObjectTracker], target: ObjectName, spot: Spot = ()
) -> Steps:
    """Drive to a pose from which the arm reaches `target`, or a `spot` on it if it is a table.

    The position is read when the skill starts. If the object moves meanwhile, the robot drives
    again, at most twice.
    """
    now = yield from read_world(robot)
    verify_hold(hand, now)
    for _ in range(1 + _CHASES):
        at = target_point(now, target, spot, hand.thing)
        yield from finish_motion(robot, robot.goto(at), target=target)
        now = yield from read_world(robot)
        verify_hold(hand, now)
        if target_point(now, target, spot, hand.thing).horizontal_distance(at) <= _MOVED_M:
            break
    away = (
        target_point(now, target, spot, hand.thing).horizontal_distance(now.base)
        if now.base is not None
        else 0.0
    )
    if away > NEAR_M:
        raise Failed("NOT_THERE", f"it is {away:.2f} m away", target=target)


@skill(
    fails={
        *("HAND_EMPTY", "HAND_FULL", "NOT_THERE", "OBJECT_GONE", "DROPPED", "PLACE_MISSED"),
        *("NO_ROOM", *MOTION_FAILS),
    },
    needs={"hand": "{object}", "at": "{target}"},
    effects={"hand": "empty", "spot.{object}": "{side} {target}"},
    uses={"arm", "hand", "base"},
    timeout_s=90,
)
def place_object(
    robot: TableRobot,
    hand: Service[HeldObjectTracker],
    object: ObjectName,  # noqa: A002 - the name used in plans
    target: ObjectName,
    side: Side = "in",
    spot: Spot = (),
) -> Steps:
    """Put the held `object` into or onto `target`, or beside it.

    `spot` is a point on a table. Without `spot`, or if it is occupied, a free point is used. The
    object counts as placed if a reading of the world shows it in the target, or on the requested
    side as seen by the robot.
    """
    thing, place = display_name_or_id(object, "en"), display_name_or_id(target, "en")
    now = yield from read_world(robot)
    held = verify_hold(hand, now)
    if held is None:
        raise Failed("HAND_EMPTY", "the hand holds nothing", object=object)
    if held != object:
        other = display_name_or_id(held, "en")
        raise Failed("HAND_FULL", f"the hand holds {other}, not {thing}", held=held)
    at = target_point(now, target, spot, object)
    if now.base is not None and at.horizontal_distance(now.base) > NEAR_M:
        away = at.horizontal_distance(now.base)
        raise Failed("NOT_THERE", f"it is {away:.2f} m away; go to it first", target=target)
    free = placement_for(now, object, target, side, spot)
    if free is None:
        raise Failed("NO_ROOM", f"no room {side.replace('_', ' ')} {place}", target=target)
    hand.record_release_start()
    yield from finish_motion(robot, robot.place(free), target=target)
    yield from wait_for_rest()
    seen_from = now.base
    now = yield from read_world(robot)
    here = position_of(now, object)
    if hand.record_held_object(now) == object and here.horizontal_distance(free) > 0.1:
        raise Failed("PLACE_MISSED", "it is still in the hand", object=object)
    hand.record_empty()
    done = (
        now.is_in_place(object, target)
        and (not spot or here.horizontal_distance(free) <= AT_SPOT_M)
        if side == "in"
        else is_beside(now, object, target, side, seen_from)
    )
    if not done:
        lies = f"({here.x:.2f}, {here.y:.2f}, {here.z:.2f})"
        raise Failed("PLACE_MISSED", f"it lies at {lies}", object=object)


@skill(
    fails={"HAND_FULL", "NOT_THERE", "OBJECT_GONE", "GRASP_MISSED", *MOTION_FAILS},
    needs={"hand": "empty|{target}", "at": "{target}"},
    effects={"hand": "{target}", "spot.{target}": "hand"},
    uses={"arm", "hand", "base"},
    timeout_s=90,
)
def pick_object(robot: TableRobot, hand: Service[HeldObjectTracker], target: ObjectName) -> Steps:
    """Take `target` with the hand and lift it.

    The object counts as held if a reading of the world shows it lifted beside the robot. An object
    that is already held is not picked again.
    """
    now = yield from read_world(robot)
    held = hand.record_held_object(now)
    if held == target:
        return
    if held is not None:
        raise Failed("HAND_FULL", f"the hand holds {display_name_or_id(held, 'en')}", held=held)
    at = position_of(now, target)
    if now.base is not None and at.horizontal_distance(now.base) > NEAR_M:
        away = at.horizontal_distance(now.base)
        raise Failed("NOT_THERE", f"it is {away:.2f} m away; go to it first", target=target)
    hand.record_pick_start(target, at)
    missed = yield from finish_motion(robot, robot.pick(at), target=target)
    now = yield from read_world(robot)
    position_of(now, target)
    if hand.record_held_object(now) != target:
        why = missed.message if missed is not None else "it did not leave the table"
        raise Failed("GRASP_MISSED", why, target=target)
