"""Settings of the pack in a site file, initial state of its simulated building, and its rigs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from bt_exec.files import expand_home
from bt_exec.rig import PackSettings, Rig, WorldSettings
from bt_exec_skills.reporter.perception.vlm_place_questions import make_answers
from bt_exec_skills.reporter.places_and_people import Person, Place, Round, SiteMap, make_map
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.speech_interface import ScriptedSpeaker, Speaker
from bt_exec_skills.reporter.reporting.terminal_speech import Pacing, TerminalSpeech
from bt_exec_skills.reporter.robot import EMPTY, ReporterRobot

__all__ = ["BuildingStart", "ReporterSettings", "make_sim_rig", "robot_facts"]


class ReporterSettings(PackSettings):
    """Settings of the pack ``reporter``.

    The map is described in `bt_exec_skills.reporter.places_and_people`.

    Attributes:
        robot: ``sim``.
        detector: Detector of people and objects: ``oracle`` (ground truth of the simulator).
        speaker: Source of replies: ``scripted``, or ``terminal`` (the operator types them).
        reports: Folder for written reports, or ``none`` to write none. The default is the folder
            ``reports`` next to the journal.
        answers: Name, or settings with a name, of a model that answers questions about pictures.
        base: Place where missions start and end.
        places: Places by id.
        people: People by id.
        rounds: Named groups of places, by id.
    """

    detector: Literal["oracle"] = "oracle"
    speaker: Literal["scripted", "terminal"] = "scripted"
    reports: str | None = None
    answers: str | Mapping[str, Any] | None = None
    base: str = "basecamp"
    places: Mapping[str, Place] = {}
    people: Mapping[str, Person] = {}
    rounds: Mapping[str, Round] = {}

    def for_rerun(self, folder: Path) -> Self:
        """Return the settings for a rerun: scripted replies, and written reports in `folder`."""
        reports = self.reports if self.reports == "none" else str(folder / "reports")
        return self.model_copy(update={"reports": reports, "speaker": "scripted"})


class BuildingStart(WorldSettings):
    """Initial state of the simulated building."""

    seed: str = Field("0", description="seed of everything that is not chosen: a whole number")
    people: str = Field(
        "random", description="number of people: random, none, few, crowd, or PLACE:NUMBER,…"
    )
    lights: str = Field("random", description="lamps: random, on, off, or LAMP:on,LAMP:off,…")
    noise: str = Field(
        "random",
        description="noise level: random, quiet, noisy, or PLACE:noisy,PLACE:quiet,…",
    )
    unusual: str = Field(
        "random",
        description="unusual things: random, none, or PLACE:THING,… with THING one of "
        "fallen_chair, spill, box",
    )
    professor: str = Field("present", description="whether the professor is in: present, absent")
    blocked: str = Field(
        "none",
        description="barrier on the route: none, corridor (there is a way round), or a place "
        "that is cut off",
    )
    answer: str = Field(
        "random",
        description="answer of people: random, none (silence), refuse, or a text",
    )
    load: str = Field("ready", description="whether anything is put on the tray: ready, none")
    lens: str = Field(
        "clear", description="the camera: clear, dark (black pictures), frozen (no new ones)"
    )

    @model_validator(mode="after")
    def _check_world(self) -> BuildingStart:
        from bt_exec_skills.reporter.sim.options import parse_world_options

        parse_world_options(self.explicit_settings())
        return self

    def explicit_settings(self) -> dict[str, str]:
        """Return the options that were set explicitly; the others are drawn at random."""
        return self.model_dump(exclude_unset=True)


def robot_facts(robot: ReporterRobot, site: SiteMap) -> dict[str, str]:
    """Return the robot's own state as facts."""
    facts = {"tray": robot.tray or EMPTY}
    around = site.area_at(robot.pose.x, robot.pose.y)
    if robot.place is not None:
        facts["at"] = robot.place
    elif around is not None:
        facts["passing"] = around
    return facts


def make_sim_rig(settings: ReporterSettings, start: BuildingStart) -> Rig:
    """Return the simulated robot in its building.

    Raises:
        UsageError: If the map is invalid, or the model for questions is unavailable.
    """
    site = make_map(settings)

    from bt_exec_skills.reporter.perception.pipeline import PeopleOracle, ReporterPerception
    from bt_exec_skills.reporter.sim.camera import SimCamera
    from bt_exec_skills.reporter.sim.options import parse_world_options, scripted_replies
    from bt_exec_skills.reporter.sim.simulated_robot import SimReporterRobot
    from bt_exec_skills.reporter.sim.world import BuildingWorld

    options = parse_world_options(start.explicit_settings())
    building = BuildingWorld(options, site.places[site.base].poses[0])
    hears: list[Callable[[str], bool]] = []
    speaker: Speaker
    person: TerminalSpeech | None = None
    if settings.speaker == "terminal":
        speaker = person = TerminalSpeech(called=site.display_name)
    else:
        replies = scripted_replies(options.answer, building.layout.answer)
        speaker = ScriptedSpeaker(
            lambda: building.time, replies, lambda who: all(hear(who) for hear in hears)
        )
    robot = SimReporterRobot(building, site)
    hears.append(robot.can_talk_with)
    camera = SimCamera(building)

    def close() -> None:
        speaker.close()
        camera.close()

    notebook = Notebook(site, _report_folder(settings.reports))
    notebook.where = lambda: robot.place
    perception = ReporterPerception(camera, PeopleOracle(), site)
    return Rig(
        robot,
        perception,
        robot if person is None else Pacing(robot, lambda: person.listening),
        lambda: robot_facts(robot, site),
        close,
        services={
            "site_map": site,
            "notebook": notebook,
            "speaker": speaker,
            "visual_qa": make_answers(settings.answers),
        },
    )


def _report_folder(setting: str | None) -> Path | None:
    """Return the folder for written reports, or None for the setting ``none``."""
    if setting == "none":
        return None
    if setting is not None:
        return expand_home(setting)
    from bt_exec.journal import default_path

    return default_path().parent / "reports"
