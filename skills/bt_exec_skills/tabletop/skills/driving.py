"""Shared parts of the skills: read the world, follow a motion, explain failures."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bt_exec.failure import Failed, nearest
from bt_exec.skill import Running, Steps
from bt_exec_skills.motion.follow import follow_motion
from bt_exec_skills.tabletop.display_names import listed
from bt_exec_skills.tabletop.environment import Environment, Point
from bt_exec_skills.tabletop.placement_search import free_on
from bt_exec_skills.tabletop.robot import Motion, Spot, TableRobot

__all__ = ["MOTION_FAILS", "READ_FAILS", "aim", "drive", "read", "settle", "where"]

READ_FAILS = frozenset({"SIMULATOR_UNREACHABLE", "SIMULATOR_FAULT"})
"""Codes of `read`."""
MOTION_FAILS = frozenset({"UNREACHABLE", "NO_PATH", "BLOCKED", "STOPPED", *READ_FAILS})
"""Codes of `drive`."""

_CODES: Mapping[str, str] = MappingProxyType(
    {code: code for code in ("UNREACHABLE", "NO_PATH", "STOPPED", *READ_FAILS)}
)
_ITS_OWN = ("MISSED", "EMPTY", "UNCERTAIN")  # the world says better whether it did
_SETTLE_TICKS = 3


def read(robot: TableRobot) -> Steps[Environment]:
    """Return the world as it is now.

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


def where(now: Environment, name: str) -> Point:
    """Return where an object is.

    Raises:
        Failed: OBJECT_GONE, with what is there, nearest name first.
    """
    at = now.at(name)
    if at is None:
        near = nearest(name, now.objects)
        rest = [other for other in now.objects if other not in near]
        known = listed((*near, *rest, *now.tables), "en")
        raise Failed("OBJECT_GONE", f"there are: {known}", target=name)
    return at


def aim(now: Environment, target: str, spot: Spot, thing: str | None) -> Point:
    """Return what to reach for: an object, or on a table the free place nearest to `spot`.

    Args:
        now: The world.
        target: Name of the object or table.
        spot: Where on a table; its middle if empty.
        thing: What is to be put there, in nobody's way.

    Raises:
        Failed: OBJECT_GONE.
    """
    at = where(now, target)
    if target in now.objects:
        return at
    return free_on(now, target, spot or at[:2], () if thing is None else (thing,)) or at


def drive(robot: TableRobot, motion: Motion, **facts: Any) -> Steps[Failed | None]:
    """Follow `motion` to its end; it is stopped in any case.

    Returns:
        A failure that the world settles: the hand closed on nothing, or nobody knows whether it
        moved. None if it ended well.

    Raises:
        Failed: If it could not be carried out; BLOCKED for what is none of the known reasons.
    """
    yield from follow_motion(motion, lambda: robot.doing)
    failed = motion.failure
    if failed is None or failed.code in _ITS_OWN:
        return failed
    code = _CODES.get(failed.code, "BLOCKED")
    raise Failed(code, failed.message or failed.code, **facts)


def settle() -> Steps:
    """Let a moment pass, so that what was let go lies still."""
    for _ in range(_SETTLE_TICKS):
        yield Running(None, "looking")
