"""Skill that brings an object from a person or place to another."""

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

_USER = "user"
"""Id of the person who gives and receives objects at the base."""


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
    giver: PersonName = _USER,
) -> Steps[Delivery]:
    """Bring an object from a person or place to a person, or to whoever is at a place.

    Unless the object is on the tray, the robot drives to the giver, by default the user at the
    base, and asks for it. If the giver is a place, it asks the nearest person there. Any other
    object on the tray is returned at the base first. Then the robot drives to the usual place of
    the recipient, finds them and holds the tray out. If the recipient is a place, the robot asks
    the nearest person there to take the object, because it has no arm. The base as giver or
    recipient stands for the user. No `navigate` step is needed. An object that is not taken stays
    on the tray.
    """
    language = notebook.language(object)
    recipient, giver = (_USER if one == site_map.base else one for one in (recipient, giver))
    facts = {"object": object, "recipient": recipient}
    facts |= {} if giver == _USER else {"giver": giver}
    with note_failures(notebook, robot, world, "deliver_object", **facts):
        goal, giver_place = (_usual_place(site_map, one) for one in (recipient, giver))
        if robot.tray not in (None, object):
            yield from _unload_tray(robot, site_map, speaker, language)
        if robot.tray is None:
            yield from _drive_unless_there(robot, site_map, giver_place)
            yield from _approach(robot, world, site_map, giver)
            text = catalogue_sentence("PLEASE_LOAD", language, object=object)
            speaker.say(giver, text, language)
            yield from finish_motion(robot, robot.load(object), object=object)
        yield from _drive_unless_there(robot, site_map, goal)
        yield from _approach(robot, world, site_map, recipient)
        speaker.say(recipient, catalogue_sentence("PLEASE_TAKE", language, object=object), language)
        anyone = recipient in site_map.places
        yield from _hand_over(robot, recipient, object, anyone=anyone)
    at = goal if anyone else robot.place or goal
    notebook.add_note(world.now, "delivered", at, target=at, **facts)
    return Delivery(object, recipient, at)


def _usual_place(site_map: SiteMap, who: str) -> str:
    """Return the usual place of a person, or `who` itself if it is a place.

    Raises:
        Failed: UNKNOWN_PERSON.
    """
    return who if who in site_map.places else person_named(site_map, who).place


def _approach(
    robot: ReporterRobot, world: World[ReporterObservation], site_map: SiteMap, who: str
) -> Steps:
    """Turn to a person, or to the nearest person at a place. The user needs no approach.

    Raises:
        Failed: PERSON_NOT_FOUND, NOBODY_THERE, CAMERA_FAULT, STOPPED.
    """
    if who in site_map.places:
        yield from approach_anyone(robot, world, site_map, who)
    elif who != _USER:
        yield from face_person(robot, world, who, person_named(site_map, who))


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
    speaker.say(_USER, catalogue_sentence("PLEASE_CLEAR", language, object=held), language)
    try:
        yield from finish_motion(robot, robot.hand_over(_USER), who=_USER)
    except Failed as failed:
        if failed.code in DRIVE_FAILS:
            raise
        raise Failed("TRAY_FULL", f"the tray holds {held}", held=held) from failed


def _drive_unless_there(robot: ReporterRobot, site_map: SiteMap, target: str) -> Steps:
    """Drive to a place, unless the robot is there."""
    if robot.place != target:
        pose = place_named(site_map, target).poses[0]
        yield from finish_motion(robot, robot.goto(pose), target=target)
