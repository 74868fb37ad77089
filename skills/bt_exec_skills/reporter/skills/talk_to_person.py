"""Skill `talk_to_person`."""

from __future__ import annotations

import math
from typing import NamedTuple

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.places_and_people import Person, SiteMap
from bt_exec_skills.reporter.reporting.notebook import Notebook, NoteKind
from bt_exec_skills.reporter.reporting.phrasing import catalogue_sentence, report_of
from bt_exec_skills.reporter.reporting.question_aspects import expects_answer, is_report_request
from bt_exec_skills.reporter.reporting.speech_interface import Speaker
from bt_exec_skills.reporter.robot import PersonName, ReporterRobot, SaidWords
from bt_exec_skills.reporter.skills.skill_helpers import (
    finish_motion,
    next_observation,
    note_failures,
    person_named,
)

__all__ = ["Talk", "face_person", "talk_to_person"]

_TURN_RAD = math.radians(72.0)
_LOOKS = 5


class Talk(NamedTuple):
    """Result of a talk: plain data, every field can be saved.

    Attributes:
        person: Person whom the robot talked to.
        topic: Topic.
        said: Utterance of the robot.
        answer: Reply; empty if none was expected or a message got no reply.
    """

    person: str
    topic: str
    said: str
    answer: str


@skill(
    fails={"UNKNOWN_PERSON", "PERSON_NOT_FOUND", "NO_ANSWER", "REFUSED", "STOPPED"},
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
    """Turn to a person and talk about a topic: a question, a message, or a report.

    A person who hears the robot everywhere (the user) gets a report of observations and talks
    since the last report, with times and places, including failures. They are asked to answer only
    if the topic ends with a question mark. For any other person the robot first looks in all
    directions, then states or asks the topic and waits for the answer, which is stored in the
    notebook. A question requires an answer. A message is delivered without a reply, but only to a
    person who was seen: with a broken camera the reply is the evidence of their presence.
    """
    question = expects_answer(topic)
    language = notebook.language(topic)
    with note_failures(notebook, robot, world, "talk_to_person", target=target, topic=topic):
        person = person_named(site_map, target)
        seen = yield from face_person(robot, world, target, person)
        report = not topic.endswith("?") and (person.remote or is_report_request(topic))
        if report:
            text = report_of(notebook, language, world.now)
        else:
            text = catalogue_sentence("ASK" if question else "TELL", language, topic=topic)
        speaker.say(target, text, language)
        yield Running(0.5, "talking")
        if report and person.remote:
            notebook.mark_reported()
            return Talk(target, topic, text, "")
        answer = yield from _wait_for_reply(
            speaker, world, target, language, needed=question or not seen
        )
    kind: NoteKind = "asked" if question else "said"
    said = text if report else topic
    notebook.add_note(world.now, kind, robot.place, target=target, topic=said, answer=answer)
    return Talk(target, topic, text, answer)


def face_person(
    robot: ReporterRobot, world: World[ReporterObservation], who: str, person: Person
) -> Steps[bool]:
    """Search for a person, turn to them and return True if they are present for certain.

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
                yield from finish_motion(robot, robot.turn(robot.pose.bearing(*found.at)))
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
        Failed: NO_ANSWER if a required reply does not arrive, REFUSED if they refuse.
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
