"""The skill `grasp`."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Steps, skill
from bt_exec_skills.door.perception.observation import DoorObservation
from bt_exec_skills.door.robot import Arm, DoorRobot, MaterialLabel
from bt_exec_skills.door.skills.driving import MOTION_FAILS, PERCEPTION_FAILS, drive, look_for

__all__ = ["grasp"]


@skill(
    fails={"GRASP_SLIPPED", "HAND_FULL", *PERCEPTION_FAILS, *MOTION_FAILS},
    needs={"hand.{arm}": "empty", "at.{arm}": "material", "doorway": "free|{arm}"},
    effects={
        "hand.{arm}": "material",
        "at.{arm}": "before_door",
        "doorway": "free",
        "material": "?",
    },
    uses={"arm.{arm}", "doorway"},
    timeout_s=20,
)
def grasp(
    robot: DoorRobot, world: World[DoorObservation], arm: Arm, object_label: MaterialLabel
) -> Steps:
    """Close one hand on the material, lift it 3 cm and draw it out in front of the cabinet.

    `move_arm` must have brought the hand in front of it. Afterwards the hand holds the material,
    by touch, clear of the door's way.
    """
    held = robot.holding(arm)
    if held is not None:
        raise Failed("HAND_FULL", f"the {arm} hand holds the {held}", held=held)
    yield from look_for(world, object_label)
    yield from drive(robot, world, lambda: robot.close_gripper(arm, object_label))
    if robot.holding(arm) != object_label:
        raise Failed("GRASP_SLIPPED", f"the {arm} hand came back without the {object_label}")
