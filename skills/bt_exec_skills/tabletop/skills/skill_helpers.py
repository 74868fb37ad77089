"""Shared functions of the skills: read the world, find target points, finish motions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bt_exec.failure import Failed, nearest_names
from bt_exec.skill import Running, Steps
from bt_exec_skills.motion.stepped_motion import follow_motion
from bt_exec_skills.tabletop.display_names import list_names
from bt_exec_skills.tabletop.environment_state import Environment, Point
from bt_exec_skills.tabletop.placement_search import free_point_on
from bt_exec_skills.tabletop.robot import Motion, Spot, TableRobot

__all__ = [
    "MOTION_FAILS",
    "READ_FAILS",
    "finish_motion",
    "position_of",
    "read_world",
    "target_point",
    "wait_for_rest",
]

READ_FAILS = frozenset({"SIMULATOR_UNREACHABLE", "SIMULATOR_FAULT"})
"""Failure codes of `read_world`."""
MOTION_FAILS = frozenset({"UNREACHABLE", "NO_PATH", "BLOCKED", "STOPPED", *READ_FAILS})
"""Failure codes of `finish_motion`."""

_CODES: Mapping[str, str] = MappingProxyType(
    {code: code for code in ("UNREACHABLE", "NO_PATH", "STOPPED", *READ_FAILS)}
)
_ITS_OWN = ("MISSED", "EMPTY", "UNCERTAIN")  # a reading of the world decides what they mean
_SETTLE_TICKS = 3


def read_world(robot: TableRobot) -> Steps[Environment]:
    """Return the current world.

    Raises:
        Failed: SIMULATOR_UNREACHABLE or SIMULATOR_FAULT.
    """
    reading = robot.read()
    while not reading.done:
        yield Running(None, "looking")
    if reading.environment is None:
        failed = reading.failure or Failed("SIMULATOR_UNREACHABLE", "nothing was read")
        raise Failed(failed.code, failed.message)
    return reading.environment


def position_of(now: Environment, name: str) -> Point:
    """Return the position of an object.

    Raises:
        Failed: OBJECT_GONE, with the present objects, nearest name first.
    """
    at = now.position_of(name)
    if at is None:
        near = nearest_names(name, now.objects)
        rest = [other for other in now.objects if other not in near]
        known = list_names((*near, *rest, *now.tables), "en")
        raise Failed("OBJECT_GONE", f"there are: {known}", target=name)
    return at


def target_point(now: Environment, target: str, spot: Spot, thing: str | None) -> Point:
    """Return the point to reach: an object's position, or a table's free point nearest to `spot`.

    Args:
        now: The world.
        target: Name of the object or table.
        spot: Point on a table; if empty, the centre of the table.
        thing: Object to place there, which does not count as an obstacle; None for no object.

    Raises:
        Failed: OBJECT_GONE.
    """
    at = position_of(now, target)
    if target in now.objects:
        return at
    return free_point_on(now, target, spot or at[:2], () if thing is None else (thing,)) or at


def finish_motion(robot: TableRobot, motion: Motion, **facts: Any) -> Steps[Failed | None]:
    """Wait for the end of `motion`; stop it in any case.

    Returns:
        A failure that a reading of the world must confirm: the hand closed on nothing, or it is
            unknown whether the robot moved. None if the motion succeeded.

    Raises:
        Failed: If the motion could not be executed; BLOCKED if the reason is unknown.
    """
    yield from follow_motion(motion, lambda: robot.doing)
    failed = motion.failure
    if failed is None or failed.code in _ITS_OWN:
        return failed
    code = _CODES.get(failed.code, "BLOCKED")
    raise Failed(code, failed.message or failed.code, **facts)


def wait_for_rest() -> Steps:
    """Wait a few ticks, so that a released object comes to rest."""
    for _ in range(_SETTLE_TICKS):
        yield Running(None, "looking")
