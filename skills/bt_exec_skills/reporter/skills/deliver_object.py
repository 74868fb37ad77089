"""Skill `deliver_object`."""

from __future__ import annotations

from typing import NamedTuple

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Service, Steps, skill
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.places_and_people import SiteMap
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.phrasing import catalogue_sentence
from bt_exec_skills.reporter.reporting.speech_interface import Speaker
from bt_exec_skills.reporter.robot import PersonName, ReporterRobot, Words
from bt_exec_skills.reporter.skills.skill_helpers import (
    DRIVE_FAILS,
    finish_motion,
    note_failures,
    person_named,
    place_named,
)
from bt_exec_skills.reporter.skills.talk_to_person import approach_anyone, face_person

__all__ = ["Delivery", "deliver_object"]


class Delivery(NamedTuple):
    """Result of a delivery: object, recipient and place."""

    object: str
    recipient: str
    place: str


@skill(
    fails={
        *("UNKNOWN_PERSON", "TRAY_FULL", "NOTHING_TO_DELIVER"),
        *("PERSON_NOT_FOUND", "NO_ANSWER", "NOT_WANTED"),
        *("NOBODY_THERE", "NOT_TAKEN", "CAMERA_FAULT"),
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
    """Bring an object from the base to a person, or to whoever is at a place.

    Unless the object is on the tray, the robot drives to the base and asks for it. Any other
    object on the tray is returned there first. Then the robot drives to the usual place of the
    recipient, finds them and holds the tray out. If the recipient is a place, the robot asks the
    nearest person there to take the object, because it has no arm. No `navigate` step is needed.
    An object that is not taken stays on the tray.
    """
    language = notebook.language(object)
    with note_failures(
        notebook, robot, world, "deliver_object", object=object, recipient=recipient
    ):
        place = recipient in site_map.places
        person = None if place else person_named(site_map, recipient)
        goal = recipient if person is None else person.place
        if robot.tray not in (None, object):
            yield from _unload_tray(robot, site_map, speaker, language)
        if robot.tray is None:
            yield from _drive_unless_there(robot, site_map, site_map.base)
            text = catalogue_sentence("PLEASE_LOAD", language, object=object)
            speaker.say("user", text, language)
            yield from finish_motion(robot, robot.load(object), object=object)
        yield from _drive_unless_there(robot, site_map, goal)
        if person is None:
            yield from approach_anyone(robot, world, site_map, goal)
        else:
            yield from face_person(robot, world, recipient, person)
        speaker.say(recipient, catalogue_sentence("PLEASE_TAKE", language, object=object), language)
        yield from _hand_over(robot, recipient, object, anyone=person is None)
    at = goal if person is None else robot.place or goal
    notebook.add_note(world.now, "delivered", at, target=at, object=object, recipient=recipient)
    return Delivery(object, recipient, at)


def _hand_over(robot: ReporterRobot, recipient: str, item: str, *, anyone: bool) -> Steps:
    """Hold the tray out until the object is taken.

    Raises:
        Failed: NO_ANSWER or NOT_WANTED, or NOT_TAKEN if the recipient is a place.
    """
    try:
        yield from finish_motion(robot, robot.hand_over(recipient), who=recipient)
    except Failed as failed:
        if failed.code not in ("NO_ANSWER", "REFUSED"):
            raise
        if anyone:
            raise Failed("NOT_TAKEN", failed.message, recipient=recipient) from failed
        if failed.code == "NO_ANSWER":
            raise
        facts = {"who": recipient, "object": item}
        raise Failed("NOT_WANTED", failed.message, retryable=False, **facts) from failed


def _unload_tray(robot: ReporterRobot, site_map: SiteMap, speaker: Speaker, language: str) -> Steps:
    """Drive to the base and ask the user to take the object off the tray.

    Raises:
        Failed: TRAY_FULL if the object is not taken.
    """
    held = robot.tray
    yield from _drive_unless_there(robot, site_map, site_map.base)
    speaker.say("user", catalogue_sentence("PLEASE_CLEAR", language, object=held), language)
    try:
        yield from finish_motion(robot, robot.hand_over("user"), who="user")
    except Failed as failed:
        if failed.code in DRIVE_FAILS:
            raise
        raise Failed("TRAY_FULL", f"the tray holds {held}", held=held) from failed


def _drive_unless_there(robot: ReporterRobot, site_map: SiteMap, target: str) -> Steps:
    """Drive to a place, unless the robot is there."""
    if robot.place != target:
        pose = place_named(site_map, target).poses[0]
        yield from finish_motion(robot, robot.goto(pose), target=target)
