"""Skill `deliver_object`."""

from __future__ import annotations

from typing import NamedTuple

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Service, Steps, skill
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.phrasing import say
from bt_exec_skills.reporter.reporting.speaker import Speaker
from bt_exec_skills.reporter.robot import PersonName, ReporterRobot, Words
from bt_exec_skills.reporter.sitemap import SiteMap
from bt_exec_skills.reporter.skills.driving import (
    DRIVE_FAILS,
    drive,
    known_person,
    known_place,
    noting,
)
from bt_exec_skills.reporter.skills.talk_to_person import face

__all__ = ["Delivery", "deliver_object"]


class Delivery(NamedTuple):
    """Result of a delivery: object, recipient and place."""

    object: str
    recipient: str
    place: str


@skill(
    fails={
        *("UNKNOWN_PERSON", "TRAY_FULL", "NOTHING_TO_DELIVER"),
        *("PERSON_NOT_FOUND", "NO_ANSWER", "REFUSED"),
        *DRIVE_FAILS,
    },
    effects={"at": "?", "tray": "empty"},
    uses={"base", "voice", "tray"},
    irreversible=True,
    timeout_s=480,
)
def deliver_object(
    robot: ReporterRobot,
    world: World[ReporterObservation],
    site_map: Service[SiteMap],
    notebook: Service[Notebook],
    speaker: Service[Speaker],
    object: Words,  # noqa: A002 - the name used in plans
    recipient: PersonName,
) -> Steps[Delivery]:
    """Bring an object from the base to a person.

    Unless the object is on the tray, the robot drives to the base and asks for it. Any other
    object on the tray is returned there first. Then the robot drives to the usual place of the
    recipient, finds them and holds the tray out. No `navigate` is needed before either drive. An
    object that is not taken stays on the tray.
    """
    language = notebook.language(object)
    with noting(notebook, robot, world, "deliver_object", object=object, recipient=recipient):
        person = known_person(site_map, recipient)
        if robot.tray not in (None, object):
            yield from _unload_tray(robot, site_map, speaker, language)
        if robot.tray is None:
            yield from _drive_unless_there(robot, site_map, site_map.base)
            text = say("PLEASE_LOAD", language, object=object)
            speaker.say("user", text, language)
            yield from drive(robot, robot.load(object), object=object)
        yield from _drive_unless_there(robot, site_map, person.place)
        yield from face(robot, world, recipient, person)
        speaker.say(recipient, say("PLEASE_TAKE", language, object=object), language)
        yield from drive(robot, robot.hand_over(recipient), who=recipient, said=object)
    place = robot.place or person.place
    notebook.note(world.now, "delivered", place, target=place, object=object, recipient=recipient)
    return Delivery(object, recipient, place)


def _unload_tray(robot: ReporterRobot, site_map: SiteMap, speaker: Speaker, language: str) -> Steps:
    """Let the user take the load of the tray, at the base.

    Raises:
        Failed: TRAY_FULL if it is not taken.
    """
    held = robot.tray
    yield from _drive_unless_there(robot, site_map, site_map.base)
    speaker.say("user", say("PLEASE_CLEAR", language, object=held), language)
    try:
        yield from drive(robot, robot.hand_over("user"), who="user", said=held)
    except Failed as failed:
        if failed.code in DRIVE_FAILS:
            raise
        raise Failed("TRAY_FULL", f"the tray holds {held}", held=held) from failed


def _drive_unless_there(robot: ReporterRobot, site_map: SiteMap, target: str) -> Steps:
    """Drive to a place, unless the robot is there."""
    if robot.place != target:
        pose = known_place(site_map, target).poses[0]
        yield from drive(robot, robot.goto(pose), target=target)
