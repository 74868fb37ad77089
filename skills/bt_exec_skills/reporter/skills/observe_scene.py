"""Skill that looks all around a place and answers a question about it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from bt_exec.failure import Failed
from bt_exec.language.messages import language_of
from bt_exec.observation import World
from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.reporter.perception.findings_at_place import (
    ANSWERED_BY_MODEL,
    FindingsAccumulator,
    PlaceFindings,
)
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.perception.vlm_place_questions import PictureAnswers
from bt_exec_skills.reporter.places_and_people import Place, SiteMap
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.phrasing import answer_of
from bt_exec_skills.reporter.reporting.question_aspects import aspects_of
from bt_exec_skills.reporter.robot import PlaceName, ReporterRobot, Words
from bt_exec_skills.reporter.skills.skill_helpers import (
    DRIVE_FAILS,
    PERCEPTION_FAILS,
    drive_near,
    finish_motion,
    next_observation,
    note_failures,
    place_named,
)

__all__ = ["observe_scene"]

_TURN_RAD = math.radians(60.0)
"""Turn between two pictures [rad]. The field of view is much wider, so that pictures overlap."""
_LOOKS = 7
"""Number of pictures per viewpoint: a full turn, and the first view again, because people may
have walked past the camera."""
_MORE_LOOKS = 4
"""Maximum number of further pictures of areas that people occluded in all others."""
_LISTEN_S = 1.0


@skill(
    fails={"UNKNOWN_LOCATION", "NOT_THERE", *PERCEPTION_FAILS, *DRIVE_FAILS},
    needs={"at": "{target}"},
    uses={"base"},
    timeout_s=120,
)
def observe_scene(
    robot: ReporterRobot,
    world: World[ReporterObservation],
    site_map: Service[SiteMap],
    notebook: Service[Notebook],
    visual_qa: Service[PictureAnswers],
    target: PlaceName,
    query: Words,
) -> Steps[PlaceFindings]:
    """Look all around a place and answer a question about it.

    The robot must be there. It listens, then turns once around at each viewpoint of the place,
    because one person may stand behind another. If the question is about people, areas that people
    occluded are looked at again from another pose. If a part stays hidden, the count is reported
    as "at least".

    The answer covers the aspects that the question names, or all of them: people (each is counted
    once), light (on, off, or off in parts), noise, and unusual objects. A question about noise
    alone needs no camera. If the site names a vision model and its answer is certain, the answer
    is phrased by the model. Findings are stored in the notebook.
    """
    language = notebook.language(query)
    with note_failures(notebook, robot, world, "observe_scene", target=target, query=query):
        place = place_named(site_map, target)
        if robot.place != target:
            where = robot.place or "between places"
            raise Failed("NOT_THERE", f"the robot is {where}", target=target)
        aspects = aspects_of(query)
        wanted = site_map.people_in(query)
        found = FindingsAccumulator(target, place)
        level = yield from _measure_sound_level(robot, world)
        if aspects != ("noise",):
            with _with_sound_level(level):
                yield from _look_around(robot, world, place, found)
                if "people" in aspects:
                    yield from _look_behind_people(robot, world, found)
    result = found.observation(query, level)
    own = answer_of(result, aspects, language_of(query), site_map, wanted)
    result = result._replace(answer=own)
    model = yield from visual_qa.ask(found.frame, target, query, language)
    if model:
        result = result._replace(answer=model, evidence=(*result.evidence, ANSWERED_BY_MODEL))
    answer = model or answer_of(result, aspects, language, site_map, wanted)
    facts = {**result._asdict(), "answer": answer}
    notebook.add_note(world.now, "saw", target, found.frame, target=target, **facts)
    return result


def _measure_sound_level(robot: ReporterRobot, world: World[ReporterObservation]) -> Steps[float]:
    """Return the mean sound level over a short time [dB]."""
    begun, levels = world.now, [robot.noise_db()]
    while world.now - begun < _LISTEN_S:
        yield Running(0.0, "listening")
        levels.append(robot.noise_db())
    return sum(levels) / len(levels)


@contextmanager
def _with_sound_level(level: float) -> Iterator[None]:
    """Add the sound level to the facts of a perception failure raised in the ``with`` block."""
    try:
        yield
    except Failed as failed:
        if failed.code not in PERCEPTION_FAILS:
            raise
        raise Failed(failed.code, failed.message, noise_db=round(level)) from failed


def _look_around(
    robot: ReporterRobot,
    world: World[ReporterObservation],
    place: Place,
    found: FindingsAccumulator,
) -> Steps:
    """Take pictures in all directions from each viewpoint, and add them to `found`.

    Raises:
        Failed: CAMERA_FAULT, STOPPED.
    """
    total = len(place.poses) * _LOOKS
    for number, pose in enumerate(place.poses):
        if number:
            ahead = robot.pose._replace(yaw=0.0).bearing(pose.x, pose.y)  # no turn on arrival
            if not (yield from drive_near(robot, pose._replace(yaw=ahead))):
                continue  # out of reach: the other viewpoints are used
        # the direction alternates, so that a person who walks along with the turn is seen
        sense = -1 if number % 2 else 1
        for _ in range(_LOOKS):
            found.add((yield from next_observation(world)))
            yield Running(found.looks / total, "looking around")
            yield from finish_motion(robot, robot.turn(sense * _TURN_RAD))


def _look_behind_people(
    robot: ReporterRobot, world: World[ReporterObservation], found: FindingsAccumulator
) -> Steps:
    """Take pictures of areas occluded by people, from poses with a free view.

    Raises:
        Failed: CAMERA_FAULT, STOPPED.
    """
    for _ in range(_MORE_LOOKS):
        people = [one.at for one in found.people.values() if one.at]
        view = found.unseen.best_next_view(robot.pose, people)
        if view is None:
            return
        yield Running(1.0, "looking behind people")
        if (yield from drive_near(robot, view)):
            found.add((yield from next_observation(world)))
