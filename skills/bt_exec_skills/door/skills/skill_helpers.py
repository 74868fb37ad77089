"""Shared parts of the door skills: perceive before acting, follow a motion, explain failures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Running, Steps
from bt_exec_skills.door.perception.door_state_agreement import (
    STALE_S,
    door_uncertainty,
    picture_uncertainty,
)
from bt_exec_skills.door.perception.observation import DoorObservation
from bt_exec_skills.door.robot import DoorRobot, Motion
from bt_exec_skills.motion.stepped_motion import follow_motion
from bt_exec_skills.perception.fresh_observations import PATIENCE_S, fresh_observation, in_view

__all__ = ["MOTION_FAILS", "PERCEPTION_FAILS", "look_for", "run_motion", "wait_for_picture"]

PERCEPTION_FAILS = frozenset({"LABEL_NOT_DETECTED", "UNCERTAIN_PERCEPTION"})
"""Failure codes of `look_for`."""
MOTION_FAILS = frozenset({"UNREACHABLE", "BLOCKED", "STOPPED", "UNCERTAIN_PERCEPTION"})
"""Failure codes of `run_motion` that are possible for every motion."""

_CODES: Mapping[str, str] = MappingProxyType(
    {
        **{code: code for code in ("UNREACHABLE", "NO_GRIP", "STOPPED")},
        **dict.fromkeys(("MISSED", "SLIPPED"), "GRASP_SLIPPED"),
    }
)
"""Failure code of a skill by the code of `Motion.failure`; BLOCKED for any other."""

_MOST_BLINKS = 2


def wait_for_picture(world: World[DoorObservation], since: float | None = None) -> Steps:
    """Wait for one fresh picture of a working camera; nothing moves while it waits.

    Args:
        world: Observations of the skill.
        since: Earliest time of the picture [s]; the start of the skill if None.

    Raises:
        Failed: UNCERTAIN_PERCEPTION if no such picture arrives within a few seconds.
    """
    began = world.since if since is None else since
    yield from fresh_observation(
        world, began, lambda: _uncertainty_failure(world, picture_uncertainty(world)), 0.0
    )


def _uncertainty_failure(world: World[DoorObservation], why: str, **facts: Any) -> Failed:
    age = None if world.observation is None else round(world.age_s, 1)
    return Failed("UNCERTAIN_PERCEPTION", why, age_s=age, **facts)


def _perception_loss_reason(world: World[DoorObservation]) -> str:
    """Return why motion must stop for lack of observations; empty if perception is good.

    One bad picture is tolerated, two in a row are a fault.
    """
    fresh = world.fresh
    broken = len(fresh) > 1 and all(one.fault is not None for one in fresh[-2:])
    stale = min(world.age_s, world.now - world.since) > STALE_S
    return picture_uncertainty(world) if broken or stale else ""


def look_for(world: World[DoorObservation], label: str, *, door_known: bool = False) -> Steps:
    """Wait until `label` is seen in fresh frames; nothing moves while it waits.

    Args:
        world: Observations of the skill.
        label: Label to find.
        door_known: Whether the state of the door, or its two candidates, must be known as well.

    Raises:
        Failed: LABEL_NOT_DETECTED if it is absent; UNCERTAIN_PERCEPTION if fresh frames are
            missing or ambiguous for a few seconds.
    """
    while True:
        there = in_view(world.fresh, label)
        newest = world.observation
        doubt = newest is not None and (
            newest.fault is not None or (door_known and not newest.door.possible_states)
        )
        if there and not doubt:
            return
        if there is False:
            labels = newest.labels() if newest is not None else ()
            visible = ", ".join(one for one in labels if one != label)
            raise Failed(
                "LABEL_NOT_DETECTED",
                f"{label} is not detected now ({visible or 'nothing'})",
                label=label,
            )
        if world.now - world.since >= PATIENCE_S:
            raise _uncertainty_failure(
                world, door_uncertainty(world) if there else picture_uncertainty(world), label=label
            )
        yield Running(0.0, "looking")


def run_motion(
    robot: DoorRobot,
    world: World[DoorObservation],
    start: Callable[[], Motion],
    stuck: str = "BLOCKED",
) -> Steps:
    """Start a motion and follow it to its end; the arm is always stopped.

    When perception is lost the arm stops at once. If perception returns within a few seconds, the
    motion is restarted, at most twice.

    Args:
        robot: The robot.
        world: Observations of the skill.
        start: Function that starts the motion.
        stuck: Failure code of a blocked arm.

    Raises:
        Failed: If the motion did not reach its goal; UNCERTAIN_PERCEPTION if the camera failed.
    """
    for blinks in range(_MOST_BLINKS + 1):
        motion = start()
        lost = partial(_perception_loss_reason, world)
        blind = yield from follow_motion(motion, lambda: robot.doing, lost)
        if not blind:
            break
        if blinks == _MOST_BLINKS:
            raise _uncertainty_failure(world, blind)
        yield from wait_for_picture(world, since=world.now)
    failure = motion.failure
    if failure is not None:
        code = stuck if failure.code == "STUCK" else _CODES.get(failure.code, "BLOCKED")
        angle_deg = round(math.degrees(robot.door_angle_rad))
        raise Failed(code, failure.message or str(failure), angle_deg=angle_deg)
