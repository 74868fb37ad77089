"""Skill `summarize_mission`."""

from __future__ import annotations

from typing import NamedTuple

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.reporting.markdown import Report
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.phrasing import sentence
from bt_exec_skills.reporter.robot import ReporterRobot
from bt_exec_skills.reporter.skills.driving import noting

__all__ = ["Summary", "summarize_mission"]


class Summary(NamedTuple):
    """Summary of the mission in a few sentences, and the path of the report file or ""."""

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
    told = [note for note in notebook.all() if note.kind != "went"]
    text = " ".join(sentence(note, notebook.site, language) for note in told)
    folder = notebook.reports
    if folder is None:
        return Summary(text, "")
    with noting(notebook, robot, world, "summarize_mission"):
        try:
            report = Report(notebook, language, folder)
            for _ in report.write():
                yield Running(None, "writing")
        except OSError as error:
            raise Failed("REPORT_NOT_WRITTEN", f"{error.strerror}: {folder}") from error
    return Summary(text, str(report.path))
