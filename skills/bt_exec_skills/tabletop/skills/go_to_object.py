"""Skill `go_to_object`."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.skill import Service, Steps, skill
from bt_exec_skills.tabletop.display_names import said
from bt_exec_skills.tabletop.environment import Environment
from bt_exec_skills.tabletop.hand import NEAR_M, Hand
from bt_exec_skills.tabletop.names import ObjectName
from bt_exec_skills.tabletop.robot import Spot, TableRobot
from bt_exec_skills.tabletop.skills.driving import MOTION_FAILS, aim, drive, read

__all__ = ["go_to_object", "keep_hold"]

_MOVED_M = 0.3
_CHASES = 2


def keep_hold(hand: Hand, now: Environment) -> str | None:
    """Return the held object, and detect one that fell.

    Raises:
        Failed: DROPPED, with its position.
    """
    thing, held = hand.thing, hand.look(now)
    if thing is not None and held is None:
        at = now.at(thing)
        if at is None:
            raise Failed("OBJECT_GONE", "it was in the hand", target=thing)
        lies = f"({at.x:.2f}, {at.y:.2f}, {at.z:.2f})"
        raise Failed("DROPPED", f"it fell and lies at {lies}", object=thing)
    return held


@skill(
    fails={"NOT_THERE", "OBJECT_GONE", "DROPPED", *MOTION_FAILS},
    effects={"at": "{target}"},
    uses={"base"},
    timeout_s=120,
)
def go_to_object(
    robot: TableRobot, hand: Service[Hand], target: ObjectName, spot: Spot = ()
) -> Steps:
    """Drive to where the arm reaches `target`, or a `spot` on it if it is a table.

    The pose is read when the skill starts. If the object moves meanwhile, it is followed twice.
    """
    now = yield from read(robot)
    keep_hold(hand, now)
    for _ in range(1 + _CHASES):
        at = aim(now, target, spot, hand.thing)
        yield from drive(robot, robot.goto(at), target=target)
        now = yield from read(robot)
        keep_hold(hand, now)
        if aim(now, target, spot, hand.thing).flat(at) <= _MOVED_M:
            break
    away = aim(now, target, spot, hand.thing).flat(now.base) if now.base is not None else 0.0
    if away > NEAR_M:
        raise Failed("NOT_THERE", f"{said(target, 'en')} is {away:.2f} m away", target=target)
