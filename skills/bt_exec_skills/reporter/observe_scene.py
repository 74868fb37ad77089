"""The skill `observe_scene`."""

from __future__ import annotations

import math

from bt_exec.failure import Failed
from bt_exec.messages import language_of
from bt_exec.skill import Running, Steps, skill
from bt_exec.world import World
from bt_exec_skills.reporter.driving import (
    DRIVE_FAILS,
    SIGHT_FAILS,
    drive,
    known_place,
    look_once,
    noting,
)
from bt_exec_skills.reporter.observation import Gathering, Observation, noise_state
from bt_exec_skills.reporter.opinion import model_answer
from bt_exec_skills.reporter.query import aspects_of
from bt_exec_skills.reporter.robot import PlaceName, ReporterRobot, Words
from bt_exec_skills.reporter.scene import ReporterScene
from bt_exec_skills.reporter.sitemap import Place
from bt_exec_skills.reporter.telling import answer_of

__all__ = ["observe_scene"]

_TURN_RAD = math.radians(60.0)
"""From one picture to the next. Pictures are much wider: who walks by meanwhile is in the next."""
_LOOKS = 7
"""Once all around, and the first view again: whoever walked past behind the robot is there."""
_LISTEN_S = 1.0


@skill(
    fails={"UNKNOWN_LOCATION", "NOT_THERE", *SIGHT_FAILS, *DRIVE_FAILS},
    needs={"at": "{target}"},
    uses={"base"},
    timeout_s=120,
)
def observe_scene(
    robot: ReporterRobot, world: World[ReporterScene], target: PlaceName, query: Words
) -> Steps[Observation]:
    """Look all around a place and answer a question about it.

    The robot must be there. It listens, then turns once around at each viewpoint of the place, for
    one person may stand behind another.
    The answer is about what the question names: people (how many; each is counted once), light
    (on, off, or off in parts), noise, anything unusual; about all of it if it names nothing.
    A question about noise alone needs no camera. Where the site names a vision model, that one
    words the answer, if it is certain. What is found goes into the notebook.
    """
    language = robot.notebook.language(query)
    with noting(robot, world, "observe_scene", target=target, query=query):
        place = known_place(robot, target)
        if robot.place != target:
            where = robot.place or "between places"
            raise Failed("NOT_THERE", f"the robot is {where}", target=target)
        aspects = aspects_of(query)
        found = Gathering(target, place)
        level = yield from _listen(robot, world)
        if aspects != ("noise",):
            yield from _look_around(robot, world, place, found, level)
    noise = noise_state(level)
    result = Observation(
        target,
        query,
        len(found.people) if found.looks else -1,
        found.light,
        found.dark_parts,
        noise,
        round(level, 1),
        tuple(dict.fromkeys(sorted(one.label for one in found.things))),
        answer_of(found, noise, level, aspects, language_of(query)),
        (*found.evidence(), f"noise:{level:.0f} dB"),
        found.looks,
    )
    model = yield from model_answer(robot.asker, found.frame, target, query, language)
    if model:
        evidence = (*result.evidence, "answer:model")
        result = result._replace(answer=model, evidence=evidence)
    told = model or answer_of(found, noise, level, aspects, language)
    facts = {**result._asdict(), "answer": told}
    robot.notebook.note(world.now, "saw", target, found.frame, target=target, **facts)
    return result


def _listen(robot: ReporterRobot, world: World[ReporterScene]) -> Steps[float]:
    """Return the mean sound level over a moment [dB]."""
    begun, levels = world.now, [robot.noise_db()]
    while world.now - begun < _LISTEN_S:
        yield Running(0.0, "listening")
        levels.append(robot.noise_db())
    return sum(levels) / len(levels)


def _look_around(
    robot: ReporterRobot,
    world: World[ReporterScene],
    place: Place,
    found: Gathering,
    level: float,
) -> Steps:
    """Take pictures all around from each viewpoint into `found`.

    Raises:
        Failed: CAMERA_FAULT, with the sound level, for that much is known; STOPPED.
    """
    total = len(place.poses) * _LOOKS
    for number, pose in enumerate(place.poses):
        if number:
            try:
                ahead = robot.pose._replace(yaw=0.0).bearing(pose.x, pose.y)  # spares a turn
                yield from drive(robot, robot.goto(pose._replace(yaw=ahead)))
            except Failed as failed:
                if failed.code == "STOPPED":
                    raise
                continue  # it is taken: what is seen from the others must do
        sense = -1 if number % 2 else 1  # who kept walking behind the robot meets it now
        for _ in range(_LOOKS):
            try:
                found.add((yield from look_once(world)))
            except Failed as failed:
                raise Failed(failed.code, failed.message, noise_db=round(level)) from failed
            yield Running(found.looks / total, "looking around")
            yield from drive(robot, robot.turn(sense * _TURN_RAD))
