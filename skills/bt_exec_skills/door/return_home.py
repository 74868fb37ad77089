"""The skill `return_home`."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.skill import Steps, skill
from bt_exec_skills.door.driving import MOTION_FAILS, drive
from bt_exec_skills.door.robot import DoorRobot

__all__ = ["return_home"]


@skill(
    fails={"NOT_IN_PLACE", *MOTION_FAILS},
    effects={"at.left": "home", "at.right": "home"},
    uses={"arm.left", "arm.right"},
    timeout_s=20,
)
def return_home(robot: DoorRobot) -> Steps:
    """Bring both arms to their rest posture, low and out of the camera's view.

    A hand that holds something keeps holding it; a hand on the handle lets go of it first.
    """
    yield from drive(robot, robot.go_home())
    if not robot.at_home:
        raise Failed("NOT_IN_PLACE", "the arms did not come to rest at home")
