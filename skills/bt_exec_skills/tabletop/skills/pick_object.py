"""The skill `pick_object`."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.skill import Service, Steps, skill
from bt_exec_skills.tabletop.environment import Environment, Point
from bt_exec_skills.tabletop.hand import Hand
from bt_exec_skills.tabletop.names import ObjectName
from bt_exec_skills.tabletop.robot import TableRobot
from bt_exec_skills.tabletop.skills.driving import MOTION_FAILS, drive, read, where
from bt_exec_skills.tabletop.skills.go_to_object import NEAR_M
from bt_exec_skills.tabletop.spoken import said

__all__ = ["pick_object"]

_LIFTED_M = 0.05


@skill(
    fails={"HAND_FULL", "NOT_THERE", "OBJECT_GONE", "GRASP_MISSED", *MOTION_FAILS},
    needs={"hand": "empty|{target}", "at": "{target}"},
    effects={"hand": "{target}", "spot.{target}": "hand"},
    uses={"arm", "hand", "base"},
    timeout_s=90,
)
def pick_object(robot: TableRobot, hand: Service[Hand], target: ObjectName) -> Steps:
    """Take `target` with the hand and lift it.

    It is held when the world says so: it has left where it lay and follows the hand. What the hand
    holds already is not picked again.
    """
    now = yield from read(robot)
    held = hand.holds(now)
    if held == target:
        return
    if held is not None:
        raise Failed("HAND_FULL", f"the hand holds {said(held, 'en')}", held=held)
    hand.let_go()
    at = where(now, target)
    if now.base is not None and at.flat(now.base) > NEAR_M:
        away = at.flat(now.base)
        name = said(target, "en")
        raise Failed("NOT_THERE", f"{name} is {away:.2f} m away: go to it first", target=target)
    missed = yield from drive(robot, robot.pick(at), target=target)
    now = yield from read(robot)
    here = where(now, target)
    if not _lifted(at, here, now):
        why = missed.message if missed is not None else "it did not leave the table"
        raise Failed("GRASP_MISSED", why, target=target)
    hand.took(target, now)


def _lifted(before: Point, after: Point, now: Environment) -> bool:
    """Whether it is up in the air beside the robot."""
    near = now.base is None or after.flat(now.base) <= NEAR_M
    return after.z >= before.z + _LIFTED_M and near
