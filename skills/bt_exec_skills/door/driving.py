"""What every skill of this pack does alike: look before it acts, drive a motion, say why not."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bt_exec.failure import Failed
from bt_exec.skill import Running, Steps
from bt_exec.world import World
from bt_exec_skills.door.robot import DoorRobot, Motion
from bt_exec_skills.door.scene import DoorScene
from bt_exec_skills.door.votes import SIGHT_PATIENCE_S, seen

__all__ = ["MOTION_FAILS", "SIGHT_FAILS", "drive", "look_for"]

SIGHT_FAILS = frozenset({"LABEL_NOT_DETECTED", "UNCERTAIN_PERCEPTION"})
"""Codes of `look_for`."""
MOTION_FAILS = frozenset({"UNREACHABLE", "BLOCKED", "STOPPED"})
"""Codes of `drive` that any motion may end with."""

_CODES: Mapping[str, str] = MappingProxyType(
    {
        "UNREACHABLE": "UNREACHABLE",
        "STUCK": "BLOCKED",
        "MISSED": "GRASP_SLIPPED",
        "SLIPPED": "GRASP_SLIPPED",
        "NO_GRIP": "NO_GRIP",
        "STOPPED": "STOPPED",
    }
)
"""Code of a skill by the code that opens `Motion.reason`."""


def look_for(world: World[DoorScene], label: str, *, door_known: bool = False) -> Steps:
    """Look until `label` is seen in fresh frames; nothing moves meanwhile.

    Args:
        world: What the skill may look at.
        label: What must be seen.
        door_known: Whether the state of the door must be certain, too.

    Raises:
        Failed: LABEL_NOT_DETECTED if it is not there; UNCERTAIN_PERCEPTION if fresh frames do not
            come, or do not tell, within a few seconds.
    """
    while True:
        there = seen(world.fresh, label)
        newest = world.scene
        doubt = door_known and newest is not None and newest.door.state == "uncertain"
        if there and not doubt:
            return
        if there is False:
            visible = ", ".join(newest.labels()) if newest is not None else ""
            raise Failed(
                "LABEL_NOT_DETECTED",
                f"{label} is not among what is seen ({visible or 'nothing'})",
                label=label,
            )
        if world.now - world.since >= SIGHT_PATIENCE_S:
            age = world.age_s
            why = f"the newest picture is {age:.1f} s old" if age > 1.0 else "the door is uncertain"
            if newest is not None and newest.fault is not None:
                why = f"the camera is {newest.fault}"
            raise Failed("UNCERTAIN_PERCEPTION", why, label=label)
        yield Running(0.0, "looking")


def drive(robot: DoorRobot, motion: Motion, stuck: str = "BLOCKED") -> Steps:
    """Follow `motion` to its end; however it ends, the arm is stopped.

    Args:
        robot: Whose motion it is.
        motion: Just started.
        stuck: Code of an arm that does not get through.

    Raises:
        Failed: If the motion did not reach its goal.
    """
    try:
        while not motion.done:
            yield Running(motion.progress, robot.doing)
    finally:
        motion.stop()
    if motion.blocked:
        kind, _, why = motion.reason.partition(": ")
        code = stuck if kind == "STUCK" else _CODES.get(kind, "BLOCKED")
        raise Failed(code, why or motion.reason, angle_deg=round(robot.door_angle_rad * 57.2958))
