"""The skill `talk_to_person`."""

from __future__ import annotations

import math
from typing import NamedTuple

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.reporting.notebook import Notebook, NoteKind
from bt_exec_skills.reporter.reporting.phrasing import report_of, say
from bt_exec_skills.reporter.reporting.query import asks, is_report
from bt_exec_skills.reporter.reporting.speaker import Speaker
from bt_exec_skills.reporter.robot import PersonName, ReporterRobot, SaidWords
from bt_exec_skills.reporter.sitemap import Person, SiteMap
from bt_exec_skills.reporter.skills.driving import drive, known_person, look_once, noting

__all__ = ["Talk", "face", "talk_to_person"]

_TURN_RAD = math.radians(72.0)
_LOOKS = 5


class Talk(NamedTuple):
    """Result of a talk: plain data, every field can be saved.

    Attributes:
        person: Whom the robot talked to.
        topic: What about.
        said: What the robot said.
        answer: What they answered; empty if nobody was to answer, or a message got no reply.
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
    """Turn to somebody and talk about a topic: a question, a message, or a report.

    To whoever hears the robot everywhere (the user) it reports what was seen and said since the
    last report, with times and places, failures included; they are asked to answer only if the
    topic ends with a question mark. Anybody else is looked for all around first, then told the
    topic or asked about it, and their answer is waited for. The answer goes into the notebook.
    A question needs its answer. A message is given even if nobody replies to it, but only to
    somebody who was seen: with a broken camera the reply is what tells that they are there.
    """
    question = asks(topic)
    language = notebook.language(topic)
    with noting(notebook, robot, world, "talk_to_person", target=target, topic=topic):
        person = known_person(site_map, target)
        seen = yield from face(robot, world, target, person)
        report = not topic.endswith("?") and (person.remote or is_report(topic))
        if report:
            text = report_of(notebook, language, world.now)
        else:
            text = say("ASK" if question else "TELL", language, topic=topic)
        speaker.say(target, text, language)
        yield Running(0.5, "talking")
        if report and person.remote:
            notebook.mark_told()
            return Talk(target, topic, text, "")
        answer = yield from _listen(speaker, world, target, language, needed=question or not seen)
    kind: NoteKind = "asked" if question else "said"
    notebook.note(world.now, kind, robot.place, target=target, topic=topic, answer=answer)
    return Talk(target, topic, text, answer)


def face(
    robot: ReporterRobot, world: World[ReporterObservation], who: str, person: Person
) -> Steps[bool]:
    """Look around for somebody and turn to them; return whether they are there for certain.

    Who hears the robot everywhere need not be found, nor does anybody whose place it is while the
    camera is broken: a voice carries.

    Raises:
        Failed: PERSON_NOT_FOUND, STOPPED.
    """
    try:
        for _ in range(1 if person.remote else _LOOKS):
            observation = yield from look_once(world)
            found = observation.person(who)
            if found is not None and found.at is not None:
                yield from drive(robot, robot.turn(robot.pose.bearing(*found.at)))
                return True
            if not person.remote:
                yield from drive(robot, robot.turn(_TURN_RAD))
    except Failed as failed:
        if failed.code != "CAMERA_FAULT":
            raise
        if person.remote or robot.place == person.place:
            return person.remote
        raise Failed("PERSON_NOT_FOUND", failed.message, who=who) from failed
    if not person.remote:
        place = robot.place or "here"
        raise Failed("PERSON_NOT_FOUND", f"nobody by that name in view at {place}", who=who)
    return True


def _listen(
    speaker: Speaker,
    world: World[ReporterObservation],
    who: str,
    language: str,
    *,
    needed: bool,
) -> Steps[str]:
    """Return what they answer; empty if nothing comes and no answer is needed.

    Raises:
        Failed: NO_ANSWER if nothing comes and one is needed, REFUSED if they will not say.
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
                raise Failed("NO_ANSWER", "nobody can answer any more", who=who)
            yield Running(None, "listening")
    finally:
        listening.stop()
    if reply.refused:
        why = f"the answer was: {reply.text}"
        raise Failed("REFUSED", why, retryable=False, who=who, said=reply.text)
    return reply.text
