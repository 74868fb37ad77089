"""Skill that talks to a person, or to the persons at a place."""

from __future__ import annotations

import math
from typing import NamedTuple

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.places_and_people import Person, SiteMap
from bt_exec_skills.reporter.reporting.notebook import Notebook, NoteKind
from bt_exec_skills.reporter.reporting.phrasing import catalogue_sentence, report_of
from bt_exec_skills.reporter.reporting.question_aspects import expects_answer, is_report_request
from bt_exec_skills.reporter.reporting.speech_interface import Speaker
from bt_exec_skills.reporter.robot import PersonName, ReporterRobot, SaidWords
from bt_exec_skills.reporter.skills.skill_helpers import (
    drive_near,
    finish_motion,
    next_observation,
    note_failures,
    person_named,
    place_named,
)

__all__ = ["Talk", "approach_anyone", "face_person", "talk_to_person"]

_TURN_RAD = math.radians(72.0)
_LOOKS = 5
_STEPS = 5
"""Number of pictures in a search for a person at a place: a full turn."""
_STAND_OFF_M = 1.2
"""Distance from a person who is approached, between their centres [m]."""
_WITHIN_REACH_M = 2.0
"""Distance up to which a person hears the robot and can take an object from its tray [m]."""


class Talk(NamedTuple):
    """Result of a talk, as plain data; every field can be saved.

    Attributes:
        person: Id of the person whom the robot talked to, or of the place with the people.
        topic: Topic.
        said: Utterance of the robot.
        answer: Reply; empty if none was expected or a message got no reply.
    """

    person: str
    topic: str
    said: str
    answer: str


@skill(
    fails={
        *("UNKNOWN_PERSON", "PERSON_NOT_FOUND", "NO_ANSWER", "REFUSED", "STOPPED"),
        *("NOBODY_THERE", "CAMERA_FAULT"),
    },
    uses={"base", "voice"},
    irreversible=True,
    timeout_s=240,
)
def talk_to_person(
    robot: ReporterRobot,
    world: World[ReporterObservation],
    site_map: Service[SiteMap],
    notebook: Service[Notebook],
    speaker: Service[Speaker],
    target: PersonName,
    topic: SaidWords,
) -> Steps[Talk]:
    """Turn to a person, or to people at a place, and state a topic, ask it, or give a report.

    A person who hears the robot everywhere (the user) gets a report of observations and talks
    since the last report, with times and places, including failures. They are asked to answer only
    if the topic ends with a question mark. For any other person the robot first looks in all
    directions, then states or asks the topic and waits for the answer, which is stored in the
    notebook. A question requires an answer. A message is delivered without a reply, but only to a
    person who was seen: with a broken camera the reply is the evidence of their presence. If the
    target is a place where the robot is, it drives up to the nearest person there and speaks to
    everybody present.
    """
    question = expects_answer(topic)
    language = notebook.language(topic)
    with note_failures(notebook, robot, world, "talk_to_person", target=target, topic=topic):
        place = target in site_map.places
        person = None if place else person_named(site_map, target)
        if person is None:
            seen = yield from approach_anyone(robot, world, site_map, target)
        else:
            seen = yield from face_person(robot, world, target, person)
        remote = person is not None and person.remote
        report = not topic.endswith("?") and (remote or is_report_request(topic))
        if report:
            text = report_of(notebook, language, world.now)
        else:
            text = catalogue_sentence("ASK" if question else "TELL", language, topic=topic)
        speaker.say(target, text, language)
        yield Running(0.5, "talking")
        if report and remote:
            notebook.mark_reported()
            return Talk(target, topic, text, "")
        answer = yield from _wait_for_reply(
            speaker, world, target, language, needed=question or not seen
        )
    kind: NoteKind = "asked" if question else "said"
    said = text if report else topic
    at = target if place else robot.place
    notebook.add_note(world.now, kind, at, target=target, topic=said, answer=answer)
    return Talk(target, topic, text, answer)


def face_person(
    robot: ReporterRobot, world: World[ReporterObservation], who: str, person: Person
) -> Steps[bool]:
    """Search for a person, turn to them and return True if they are present for certain.

    The robot first drives up to a person out of reach: it may have stopped just inside the place.
    A person who hears the robot from everywhere need not be in view. If the camera fails while the
    robot is at the usual place of any other person, the result is False: that person may be present
    and hear the robot.

    Raises:
        Failed: PERSON_NOT_FOUND, STOPPED.
    """
    try:
        for _ in range(1 if person.remote else _LOOKS):
            observation = yield from next_observation(world)
            found = observation.person(who)
            if found is not None and found.at is not None:
                yield from _turn_to(
                    robot, *found.at, reach=math.inf if person.remote else _WITHIN_REACH_M
                )
                return True
            if not person.remote:
                yield from finish_motion(robot, robot.turn(_TURN_RAD))
    except Failed as failed:
        if failed.code != "CAMERA_FAULT":
            raise
        if person.remote or robot.place == person.place:
            return person.remote
        raise Failed("PERSON_NOT_FOUND", failed.message, who=who) from failed
    if not person.remote:
        place = robot.place or "here"
        raise Failed("PERSON_NOT_FOUND", f"the person is not in view at {place}", who=who)
    return True


def approach_anyone(
    robot: ReporterRobot, world: World[ReporterObservation], site_map: SiteMap, place: str
) -> Steps[bool]:
    """Drive up to the nearest person at a place, turn to them and return True.

    Raises:
        Failed: NOBODY_THERE, CAMERA_FAULT, STOPPED.
    """
    area = place_named(site_map, place).area
    for _ in range(_STEPS):
        seen = [one.at for one in (yield from next_observation(world)).people if one.at]
        here = [at for at in seen if area.contains(*at)]
        if here:
            nearest = min(here, key=lambda at: robot.pose.distance_to(*at))
            yield from _turn_to(robot, *nearest, reach=_STAND_OFF_M)
            return True
        yield from finish_motion(robot, robot.turn(math.tau / _STEPS))
    raise Failed("NOBODY_THERE", "no person was in view", place=place)


def _turn_to(robot: ReporterRobot, x: float, y: float, *, reach: float) -> Steps:
    """Turn to a person at a point, after driving up to them if they are further than `reach` [m].

    Raises:
        Failed: STOPPED.
    """
    yaw = robot.pose.yaw + robot.pose.bearing(x, y)
    near = Pose(x - _STAND_OFF_M * math.cos(yaw), y - _STAND_OFF_M * math.sin(yaw), yaw)
    if robot.pose.distance_to(x, y) <= reach or not (yield from drive_near(robot, near)):
        yield from finish_motion(robot, robot.turn(robot.pose.bearing(x, y)))


def _wait_for_reply(
    speaker: Speaker,
    world: World[ReporterObservation],
    who: str,
    language: str,
    *,
    needed: bool,
) -> Steps[str]:
    """Return the reply, or an empty string if none arrives and none is required.

    Raises:
        Failed: NO_ANSWER if a required reply does not arrive, REFUSED if the person refuses.
    """
    patience = speaker.patience_s
    begun = world.now
    listening = speaker.listen(who, language)
    try:
        while (reply := listening.reply) is None:
            late = world.now - begun >= patience
            if (late or listening.over) and not needed:
                return ""
            if late:
                raise Failed("NO_ANSWER", f"no answer within {patience:.0f} s", who=who)
            if listening.over:
                raise Failed("NO_ANSWER", "no answer can arrive any more", who=who)
            yield Running(None, "listening")
    finally:
        listening.stop()
    if reply.refused:
        why = f"the answer was: {reply.text}"
        raise Failed("REFUSED", why, retryable=False, who=who, said=reply.text)
    return reply.text
