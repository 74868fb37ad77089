"""Skill `pick_object`."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.skill import Service, Steps, skill
from bt_exec_skills.tabletop.display_names import said
from bt_exec_skills.tabletop.hand import NEAR_M, Hand
from bt_exec_skills.tabletop.names import ObjectName
from bt_exec_skills.tabletop.robot import TableRobot
from bt_exec_skills.tabletop.skills.driving import MOTION_FAILS, drive, read, where

__all__ = ["pick_object"]


@skill(
    fails={"HAND_FULL", "NOT_THERE", "OBJECT_GONE", "GRASP_MISSED", *MOTION_FAILS},
    needs={"hand": "empty|{target}", "at": "{target}"},
    effects={"hand": "{target}", "spot.{target}": "hand"},
    uses={"arm", "hand", "base"},
    timeout_s=90,
)
def pick_object(robot: TableRobot, hand: Service[Hand], target: ObjectName) -> Steps:
    """Take `target` with the hand and lift it.

    The object is held if, according to the world, it has left its position and follows the hand.
    An object that is already held is not picked again.
    """
    now = yield from read(robot)
    held = hand.look(now)
    if held == target:
        return
    if held is not None:
        raise Failed("HAND_FULL", f"the hand holds {said(held, 'en')}", held=held)
    at = where(now, target)
    if now.base is not None and at.flat(now.base) > NEAR_M:
        away = at.flat(now.base)
        name = said(target, "en")
        raise Failed("NOT_THERE", f"{name} is {away:.2f} m away: go to it first", target=target)
    hand.reach(target, at)
    missed = yield from drive(robot, robot.pick(at), target=target)
    now = yield from read(robot)
    where(now, target)
    if hand.look(now) != target:
        why = missed.message if missed is not None else "it did not leave the table"
        raise Failed("GRASP_MISSED", why, target=target)
