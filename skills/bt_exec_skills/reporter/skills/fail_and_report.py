"""The skill `fail_and_report`."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Running, Steps, skill
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.reporting.phrasing import say, told_of
from bt_exec_skills.reporter.robot import ReporterRobot, SaidWords

__all__ = ["fail_and_report"]


@skill(fails={"MISSION_FAILED"}, uses={"voice"}, timeout_s=20)
def fail_and_report(
    robot: ReporterRobot, world: World[ReporterObservation], reason: SaidWords
) -> Steps:
    """Tell everybody who hears the robot everywhere why the mission failed, and end it as failed.

    What was found until then is told, too. For missions that failed only: coming back to report
    is `talk_to_person`. Never succeeds.
    """
    book = robot.notebook
    language = book.language(reason)
    text = say("GIVING_UP", language, reason=reason)
    if book.news():
        text = " ".join([text, *told_of(book, language)])
    for who, person in robot.site.people.items():
        if person.remote:
            robot.speaker.say(who, text, language)
    book.mark_told()
    yield Running(0.5, "talking")
    facts = {"skill": "fail_and_report", "code": "MISSION_FAILED", "message": reason}
    book.note(world.now, "failed", robot.place, **facts, reason=reason)
    raise Failed("MISSION_FAILED", reason, retryable=False, reason=reason)
