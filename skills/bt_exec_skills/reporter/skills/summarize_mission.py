"""Skills that write a summary of the mission, and report its failure."""

from __future__ import annotations

from typing import NamedTuple

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.places_and_people import SiteMap
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.phrasing import (
    catalogue_sentence,
    note_sentence,
    sentences_to_report,
)
from bt_exec_skills.reporter.reporting.reporter_and_written_report import Report
from bt_exec_skills.reporter.reporting.speech_interface import Speaker
from bt_exec_skills.reporter.robot import ReporterRobot, SaidWords
from bt_exec_skills.reporter.skills.skill_helpers import note_failures

__all__ = ["Summary", "fail_and_report", "summarize_mission"]


class Summary(NamedTuple):
    """Summary of the mission in a few sentences, and the path of the report file, or ""."""

    text: str
    path: str


@skill(fails={"REPORT_NOT_WRITTEN"}, timeout_s=30)
def summarize_mission(
    robot: ReporterRobot, world: World[ReporterObservation], notebook: Service[Notebook]
) -> Steps[Summary]:
    """Write the findings of the mission to a Markdown file with a timeline and pictures.

    The site sets the folder of reports, or disables them. Nothing moves and nothing is said.
    """
    language = notebook.language(
        " ".join(str(note.facts.get("query", "")) for note in notebook.notes)
    )
    notes = [note for note in notebook.current_notes() if note.kind != "went"]
    text = " ".join(note_sentence(note, notebook.site, language) for note in notes)
    folder = notebook.reports
    if folder is None:
        return Summary(text, "")
    with note_failures(notebook, robot, world, "summarize_mission"):
        try:
            report = Report(notebook, language, folder)
            for _ in report.write():
                yield Running(None, "writing")
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise Failed("REPORT_NOT_WRITTEN", why, folder=str(folder)) from error
    return Summary(text, str(report.path))


@skill(fails={"MISSION_FAILED"}, uses={"voice"}, timeout_s=20)
def fail_and_report(
    robot: ReporterRobot,
    world: World[ReporterObservation],
    site_map: Service[SiteMap],
    notebook: Service[Notebook],
    speaker: Service[Speaker],
    reason: SaidWords,
) -> Steps:
    """Report the cause of a failure to all remotely connected persons, and fail the mission.

    Earlier findings are reported, too. Only for failed missions; `talk_to_person` gives the report
    of a successful one. Never succeeds.
    """
    language = notebook.language(reason)
    text = catalogue_sentence("GIVING_UP", language, reason=reason)
    if notebook.unreported_notes():
        text = " ".join([text, *sentences_to_report(notebook, language, world.now)])
    for who, person in site_map.people.items():
        if person.remote:
            speaker.say(who, text, language)
    notebook.mark_reported()
    yield Running(0.5, "talking")
    facts = {"skill": "fail_and_report", "code": "MISSION_FAILED", "message": reason}
    notebook.add_note(world.now, "failed", robot.place, **facts, reason=reason)
    raise Failed("MISSION_FAILED", reason, retryable=False, reason=reason)
