"""The skill `return_home`."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Steps, skill
from bt_exec_skills.door.perception.observation import DoorObservation
from bt_exec_skills.door.robot import DoorRobot
from bt_exec_skills.door.skills.driving import MOTION_FAILS, drive, look_up

__all__ = ["return_home"]


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
    yield from look_up(world)
    yield from drive(robot, world, lambda: robot.go_home())
    if not robot.at_home:
        raise Failed("NOT_IN_PLACE", "the arms did not come to rest at home")
