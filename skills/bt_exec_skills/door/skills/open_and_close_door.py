"""Skills that open and close the door with one arm."""

from __future__ import annotations

import math

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Steps, skill
from bt_exec_skills.door.perception.observation import DoorObservation
from bt_exec_skills.door.robot import CLOSED_RAD, OPEN_RAD, Arm, DoorLabel, DoorRobot
from bt_exec_skills.door.skills.skill_helpers import (
    MOTION_FAILS,
    PERCEPTION_FAILS,
    look_for,
    run_motion,
    wait_for_picture,
)

__all__ = ["close_door", "open_door"]


@skill(
    fails={"DOOR_STUCK", "GRASP_SLIPPED", "HAND_FULL", "NO_GRIP", *PERCEPTION_FAILS, *MOTION_FAILS},
    needs={"hand.{arm}": "empty", "doorway": "free|{arm}"},
    effects={"door": "open", "at.{arm}": "home", "doorway": "free"},
    uses={"arm.{arm}", "door", "doorway"},
    timeout_s=40,
)
def open_door(
    robot: DoorRobot, world: World[DoorObservation], arm: Arm, object_label: DoorLabel
) -> Steps:
    """Open the door with one arm, by its handle or, when it stands ajar, by its edge.

    The hand must be empty. Afterwards the door stands open (1 rad or more, by its hinge encoder)
    and the arm is at home. A door that is open already is opened further if it hides part of its
    inside. With `door` for `object_label` a closed door cannot be opened: its edge gives no grip.
    """
    if robot.door_angle_rad >= OPEN_RAD:
        yield from wait_for_picture(world)
        if world.observation is not None and world.observation.inside_clear:
            return
    held = robot.holding(arm)
    if held == "material":
        raise Failed("HAND_FULL", f"the {arm} hand holds the {held}", held=held)
    yield from look_for(world, object_label, door_known=True)
    yield from run_motion(
        robot, world, lambda: robot.pull_open(arm, object_label), stuck="DOOR_STUCK"
    )
    angle = robot.door_angle_rad
    if angle < OPEN_RAD:
        raise Failed(
            "DOOR_STUCK",
            f"the door is at {angle:.2f} rad, open is {OPEN_RAD:.2f}",
            angle_deg=round(math.degrees(angle)),
        )


@skill(
    fails={"DOOR_STUCK", "GRASP_SLIPPED", *PERCEPTION_FAILS, *MOTION_FAILS},
    needs={"doorway": "free|{arm}"},
    effects={"door": "closed", "at.{arm}": "home", "doorway": "free"},
    uses={"arm.{arm}", "door", "doorway"},
    timeout_s=40,
)
def close_door(
    robot: DoorRobot, world: World[DoorObservation], arm: Arm, object_label: DoorLabel
) -> Steps:
    """Push the door shut with one arm; a hand that holds something keeps holding it.

    Afterwards the door is closed (0.04 rad or less, by its hinge encoder) and the arm is at home.
    `object_label` names what must be seen; the hand pushes on the panel in either case. The other
    arm must be out of the doorway: the door would jam on it.
    """
    if robot.door_angle_rad <= CLOSED_RAD:
        return
    yield from look_for(world, object_label, door_known=True)
    held = robot.holding(arm)
    yield from run_motion(
        robot, world, lambda: robot.push_shut(arm, object_label), stuck="DOOR_STUCK"
    )
    if held == "material" and robot.holding(arm) != held:
        raise Failed("GRASP_SLIPPED", f"the {held} was lost while the door was pushed", held=held)
    angle = robot.door_angle_rad
    if angle > CLOSED_RAD:
        raise Failed(
            "DOOR_STUCK",
            f"the door is at {angle:.2f} rad, closed is {CLOSED_RAD:.2f}",
            angle_deg=round(math.degrees(angle)),
        )
