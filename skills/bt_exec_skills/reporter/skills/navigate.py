"""Skill that drives to a place of the site's map."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Service, Steps, skill
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.places_and_people import SiteMap
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.robot import PlaceName, ReporterRobot
from bt_exec_skills.reporter.skills.skill_helpers import (
    DRIVE_FAILS,
    finish_motion,
    note_failures,
    place_named,
)

__all__ = ["navigate"]


@skill(
    fails={"UNKNOWN_LOCATION", *DRIVE_FAILS},
    effects={"at": "{target}"},
    uses={"base"},
    timeout_s=240,
)
def navigate(
    robot: ReporterRobot,
    world: World[ReporterObservation],
    site_map: Service[SiteMap],
    notebook: Service[Notebook],
    target: PlaceName,
) -> Steps:
    """Drive to a place of the site's map, around people and obstacles.

    If a route is blocked, another route is taken. If no route is left, the robot waits a few
    seconds for people to move on before it gives up. Afterwards the robot stands within 1.2 m of
    the pose of the place.
    """
    with note_failures(notebook, robot, world, "navigate", target=target):
        place = place_named(site_map, target)
        yield from finish_motion(robot, robot.goto(place.poses[0]), target=target)
        if robot.place != target:
            raise Failed("BLOCKED_PATH", "the place is occupied", target=target)
    notebook.add_note(world.now, "went", robot.place, target=target)
