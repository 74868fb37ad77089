"""The skill `move_arm`."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Steps, skill
from bt_exec_skills.door.perception.observation import DoorObservation
from bt_exec_skills.door.robot import Arm, DoorRobot, MaterialLabel
from bt_exec_skills.door.skills.driving import MOTION_FAILS, PERCEPTION_FAILS, drive, look_for

__all__ = ["move_arm"]


@skill(
    fails={"HAND_FULL", "NOT_IN_PLACE", *PERCEPTION_FAILS, *MOTION_FAILS},
    needs={"hand.{arm}": "empty", "door": "open", "doorway": "free|{arm}"},
    effects={"at.{arm}": "material", "doorway": "{arm}"},
    uses={"arm.{arm}", "doorway"},
    timeout_s=20,
)
def move_arm(
    robot: DoorRobot, world: World[DoorObservation], arm: Arm, object_label: MaterialLabel
) -> Steps:
    """Bring one open hand in front of the material, about 11 cm before it, ready to grasp.

    The door must be open, the hand empty and the other arm out of the doorway.
    """
    held = robot.holding(arm)
    if held is not None:
        raise Failed("HAND_FULL", f"the {arm} hand holds the {held}", held=held)
    yield from look_for(world, object_label)
    yield from drive(robot, world, lambda: robot.reach(arm, object_label))
    if not robot.at_label(arm, object_label):
        raise Failed("NOT_IN_PLACE", f"the {arm} hand is not in front of the {object_label}")
