"""Skill `fail_and_report`."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.phrasing import say, told_of
from bt_exec_skills.reporter.reporting.speaker import Speaker
from bt_exec_skills.reporter.robot import ReporterRobot, SaidWords
from bt_exec_skills.reporter.sitemap import SiteMap

__all__ = ["fail_and_report"]


@skill(fails={"MISSION_FAILED"}, uses={"voice"}, timeout_s=20)
def fail_and_report(
    robot: ReporterRobot,
    world: World[ReporterObservation],
    site_map: Service[SiteMap],
    notebook: Service[Notebook],
    speaker: Service[Speaker],
    reason: SaidWords,
) -> Steps:
    """Report the cause of the failure to all remotely connected persons, and end the mission.

    Earlier findings are reported, too. Only for failed missions: coming back to report is
    `talk_to_person`. Never succeeds.
    """
    language = notebook.language(reason)
    text = say("GIVING_UP", language, reason=reason)
    if notebook.news():
        text = " ".join([text, *told_of(notebook, language, world.now)])
    for who, person in site_map.people.items():
        if person.remote:
            speaker.say(who, text, language)
    notebook.mark_told()
    yield Running(0.5, "talking")
    facts = {"skill": "fail_and_report", "code": "MISSION_FAILED", "message": reason}
    notebook.note(world.now, "failed", robot.place, **facts, reason=reason)
    raise Failed("MISSION_FAILED", reason, retryable=False, reason=reason)
