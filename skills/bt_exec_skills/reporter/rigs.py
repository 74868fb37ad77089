"""Rigs of the pack from the settings of a site. The simulator is imported on demand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bt_exec.files import expand_home
from bt_exec.rig import Rig
from bt_exec_skills.reporter.perception.vlm_answer import make_answers
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.speaker import ScriptedSpeaker, Speaker
from bt_exec_skills.reporter.reporting.terminal import Pacing, TerminalSpeaker
from bt_exec_skills.reporter.robot import EMPTY, ReporterRobot
from bt_exec_skills.reporter.settings import BuildingStart, ReporterSettings
from bt_exec_skills.reporter.sitemap import make_map

__all__ = ["facts_of", "make_sim_rig"]


def facts_of(robot: ReporterRobot) -> dict[str, str]:
    """Return the robot's own state as facts for the dry run."""
    facts = {"tray": robot.tray or EMPTY}
    if robot.place is not None:
        facts["at"] = robot.place
    return facts


def make_sim_rig(settings: ReporterSettings, start: BuildingStart) -> Rig:
    """Return the simulated robot in its building.

    Raises:
        UsageError: If the map is invalid, or the model for questions is unavailable.
    """
    site = make_map(settings)

    from bt_exec_skills.reporter.perception.oracle import PeopleOracle
    from bt_exec_skills.reporter.perception.pipeline import ReporterPerception
    from bt_exec_skills.reporter.sim.answers import replies_of
    from bt_exec_skills.reporter.sim.body import SimReporterRobot
    from bt_exec_skills.reporter.sim.camera import SimCamera
    from bt_exec_skills.reporter.sim.options import parse_world
    from bt_exec_skills.reporter.sim.world import BuildingWorld

    options = parse_world(start.chosen())
    building = BuildingWorld(options, site.places[site.base].poses[0])
    hears: list[Callable[[str], bool]] = []
    speaker: Speaker
    person: TerminalSpeaker | None = None
    if settings.speaker == "terminal":
        speaker = person = TerminalSpeaker(called=site.called)
    else:
        replies = replies_of(options.answer, building.layout.answer)
        speaker = ScriptedSpeaker(
            lambda: building.time, replies, lambda who: all(hear(who) for hear in hears)
        )
    robot = SimReporterRobot(building, site)
    hears.append(robot.hears)
    camera = SimCamera(building)

    def close() -> None:
        speaker.close()
        camera.close()

    notebook = Notebook(site, _folder(settings.reports))
    notebook.where = lambda: robot.place
    perception = ReporterPerception(camera, PeopleOracle(), site)
    return Rig(
        robot,
        perception,
        robot if person is None else Pacing(robot, lambda: person.listening),
        lambda: facts_of(robot),
        close,
        services={
            "site_map": site,
            "notebook": notebook,
            "speaker": speaker,
            "visual_qa": make_answers(settings.answers),
        },
    )


def _folder(setting: str | None) -> Path | None:
    """Return the folder for reports: as set, next to the journal by default, or None."""
    if setting == "none":
        return None
    if setting is not None:
        return expand_home(setting)
    from bt_exec.journal import default_path

    return default_path().parent / "reports"
