"""Shared functions of the skills: look up names, finish motions, get pictures, note failures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Steps
from bt_exec_skills.motion.stepped_motion import follow_motion
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.perception.fresh_observations import fresh_observation
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.places_and_people import Person, Place, SiteMap
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.robot import Motion, ReporterRobot

__all__ = [
    "DRIVE_FAILS",
    "PERCEPTION_FAILS",
    "drive_near",
    "finish_motion",
    "next_observation",
    "note_failures",
    "person_named",
    "place_named",
]

DRIVE_FAILS = frozenset({"UNREACHABLE", "BLOCKED_PATH", "STOPPED"})
"""Failure codes of `finish_motion` for a motion to a target."""
PERCEPTION_FAILS = frozenset({"CAMERA_FAULT"})
"""Failure codes of `next_observation`."""


def place_named(site_map: SiteMap, target: str) -> Place:
    """Return the place called `target`.

    Raises:
        Failed: UNKNOWN_LOCATION, with the known places, nearest first.
    """
    place = site_map.places.get(target)
    if place is None:
        known = site_map.nearest_place(target)
        raise Failed(
            "UNKNOWN_LOCATION",
            f"no place is called {target}; known, nearest first: {', '.join(known)}",
            target=target,
            known=list(known),
        )
    return place


def person_named(site_map: SiteMap, who: str) -> Person:
    """Return the person called `who`.

    Raises:
        Failed: UNKNOWN_PERSON, with the known people.
    """
    person = site_map.people.get(who)
    if person is None:
        known = list(site_map.people) or "nobody"
        raise Failed("UNKNOWN_PERSON", f"there is no person {who}", who=who, known=known)
    return person


def finish_motion(robot: ReporterRobot, motion: Motion, **facts: Any) -> Steps:
    """Wait for the end of `motion`; stop the robot in any case.

    Args:
        robot: The robot.
        motion: Motion that was just started.
        **facts: Facts for the evidence of a failure.

    Raises:
        Failed: With the code of `Motion.failure`, if the motion missed its goal.
    """
    yield from follow_motion(motion, lambda: robot.doing)
    failure = motion.failure
    if failure is not None:
        retryable = failure.code != "REFUSED"
        raise Failed(failure.code, failure.message, retryable=retryable, **facts)


def drive_near(robot: ReporterRobot, pose: Pose) -> Steps[bool]:
    """Drive towards a pose and return True if it was reached.

    Raises:
        Failed: STOPPED.
    """
    try:
        yield from finish_motion(robot, robot.goto(pose))
    except Failed as failed:
        if failed.code == "STOPPED":
            raise
        return False
    return True


def next_observation(world: World[ReporterObservation]) -> Steps[ReporterObservation]:
    """Return the next picture of a working camera.

    Raises:
        Failed: CAMERA_FAULT if no picture arrives within a few seconds.
    """
    begun = world.now

    def camera_failure() -> Failed:
        fresh = world.observation is not None and world.observation.t >= begun
        return Failed("CAMERA_FAULT", "the picture is black" if fresh else "no new picture came")

    return (yield from fresh_observation(world, begun, camera_failure))


@contextmanager
def note_failures(
    notebook: Notebook,
    robot: ReporterRobot,
    world: World[ReporterObservation],
    skill: str,
    **args: Any,
) -> Iterator[None]:
    """Note a failure raised in the ``with`` block, with the skill's arguments and the load."""
    try:
        yield
    except Failed as failed:
        facts = {**args, "tray": robot.tray, **failed.evidence}
        notebook.add_note(
            world.now,
            "failed",
            robot.place,
            **{**facts, "skill": skill, "code": failed.code, "message": failed.message},
        )
        raise
