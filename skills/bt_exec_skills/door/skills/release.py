"""The skill `release`."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Steps, skill
from bt_exec_skills.door.perception.observation import DoorObservation
from bt_exec_skills.door.robot import Arm, DoorRobot
from bt_exec_skills.door.skills.driving import MOTION_FAILS, drive, look_up

__all__ = ["release"]


@skill(
    fails={"GRIPPER_JAMMED", "HAND_EMPTY", *MOTION_FAILS},
    needs={"hand.{arm}": "material"},
    effects={"hand.{arm}": "empty", "material": "?"},
    uses={"arm.{arm}"},
    timeout_s=5,
)
def release(robot: DoorRobot, world: World[DoorObservation], arm: Arm) -> Steps:
    """Open one hand and release the held object, which drops if nothing supports it."""
    if robot.holding(arm) is None:
        raise Failed("HAND_EMPTY", f"the {arm} hand holds nothing")
    yield from look_up(world)
    yield from drive(robot, world, lambda: robot.open_gripper(arm))
    held = robot.holding(arm)
    if held is not None:
        raise Failed("GRIPPER_JAMMED", f"the {arm} hand still holds the {held}", held=held)
