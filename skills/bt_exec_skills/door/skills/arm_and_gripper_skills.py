"""Skills of the arms: `move_arm`, `grasp`, `release`, `return_arm`, `return_home`."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Steps, skill
from bt_exec_skills.door.perception.observation import DoorObservation
from bt_exec_skills.door.robot import Arm, DoorRobot, MaterialLabel
from bt_exec_skills.door.skills.skill_helpers import (
    MOTION_FAILS,
    PERCEPTION_FAILS,
    look_for,
    run_motion,
    wait_for_picture,
)

__all__ = ["grasp", "move_arm", "release", "return_arm", "return_home"]


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
    yield from run_motion(robot, world, lambda: robot.reach(arm, object_label))
    if not robot.at_label(arm, object_label):
        raise Failed("NOT_IN_PLACE", f"the {arm} hand is not in front of the {object_label}")


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
    by touch, outside the swing area of the door.
    """
    held = robot.holding(arm)
    if held is not None:
        raise Failed("HAND_FULL", f"the {arm} hand holds the {held}", held=held)
    yield from look_for(world, object_label)
    yield from run_motion(robot, world, lambda: robot.close_gripper(arm, object_label))
    if robot.holding(arm) != object_label:
        raise Failed("GRASP_SLIPPED", f"the {arm} hand came back without the {object_label}")


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
    yield from wait_for_picture(world)
    yield from run_motion(robot, world, lambda: robot.open_gripper(arm))
    held = robot.holding(arm)
    if held is not None:
        raise Failed("GRIPPER_JAMMED", f"the {arm} hand still holds the {held}", held=held)


@skill(
    fails={"NOT_IN_PLACE", *MOTION_FAILS},
    needs={"doorway": "free|{arm}"},
    effects={"at.{arm}": "home", "doorway": "free"},
    uses={"arm.{arm}", "doorway"},
    timeout_s=20,
)
def return_arm(robot: DoorRobot, world: World[DoorObservation], arm: Arm) -> Steps:
    """Bring one arm to its rest posture; the other arm must be out of the doorway.

    A hand that holds the material keeps it; a hand on the handle releases it first.
    """
    yield from wait_for_picture(world)
    yield from run_motion(robot, world, lambda: robot.return_arm(arm))
    if not robot.arm_at_home(arm):
        raise Failed("NOT_IN_PLACE", f"the {arm} arm did not come to rest at home")


@skill(
    fails={"NOT_IN_PLACE", *MOTION_FAILS},
    effects={"at.left": "home", "at.right": "home", "doorway": "free"},
    uses={"arm.left", "arm.right", "doorway"},
    timeout_s=20,
)
def return_home(robot: DoorRobot, world: World[DoorObservation]) -> Steps:
    """Bring both arms to their rest posture, low and out of the camera's view.

    A hand that holds the material keeps it; a hand on the handle releases it first.
    """
    yield from wait_for_picture(world)
    yield from run_motion(robot, world, lambda: robot.go_home())
    if not robot.at_home:
        raise Failed("NOT_IN_PLACE", "the arms did not come to rest at home")
