"""Fixtures of the reporter pack: a small mission loop, a scripted robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bt_exec.failure import Failed
from bt_exec.mission.rig_construction import make_rig
from bt_exec.models import VisualQa
from bt_exec.observation import ObservationBuffer, World
from bt_exec.rig import Rig
from bt_exec.site.shipped_data import data_path
from bt_exec.skill import Running, Skill, Steps
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.reporter.pack import PACK
from bt_exec_skills.reporter.perception.observation import PlacedDetection, ReporterObservation
from bt_exec_skills.reporter.perception.vlm_place_questions import PictureAnswers
from bt_exec_skills.reporter.places_and_people import SiteMap, make_map
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.speech_interface import Reply, ScriptedSpeaker
from bt_exec_skills.reporter.rigs import ReporterSettings
from tests.skills.scripted_motion import Clock, ScriptedMotion, run_to_end

TICK_S = 0.05
SKILLS: dict[str, Skill] = {skill.name: skill for skill in PACK.skills}


def building() -> dict[str, Any]:
    text = data_path("configs", "sites", "building.yaml").read_text(encoding="utf-8")
    return {**parse_yaml(text)["packs"]["reporter"], "reports": "none"}


class Trip:
    """Ticks one skill at a time on a simulated rig, with the observations of an executive."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.robot: Any = rig.robot
        self.buffer: ObservationBuffer[ReporterObservation] = ObservationBuffer(
            lambda: self.robot.time
        )
        self.phases: list[str] = []
        self.result: Any = None
        self.failed: Failed | None = None
        self._last = float("-inf")

    def start(self, name: str, **args: Any) -> Steps[Any]:
        skill = SKILLS[name]
        world = World(self.buffer, self.robot.time)
        given = skill.injected_arguments(self.robot, world, self.rig.services)
        return skill(**given, **skill.validate(args))

    def tick(self) -> None:
        since = self.robot.time - self._last + 1e-9
        if since >= (0.2 if self.buffer.asked else 5.0):
            self._last = self.robot.time
            eyes = self.rig.perception
            assert eyes is not None
            self.buffer.add(eyes.interpret(eyes.capture()))
        self.robot.step(TICK_S)

    def run(self, name: str, **args: Any) -> str:
        """Run a skill to its end, and return OK or its failure code."""
        skill, steps = SKILLS[name], self.start(name, **args)
        self.phases = []

        def tick(_count: int, running: Running) -> None:
            if not self.phases or self.phases[-1] != running.doing:
                self.phases.append(running.doing)
            self.tick()

        ended = run_to_end(skill, steps, int(skill.timeout_s / TICK_S), tick)
        self.result, self.failed = ended.result, ended.failed
        return ended.code


@pytest.fixture
def trip() -> Iterator[Callable[..., Trip]]:
    """Return a factory of trips: ``trip(seed=3, blocked="lounge")``."""
    made: list[Trip] = []

    def make(settings: dict[str, Any] | None = None, **world: Any) -> Trip:
        pairs = {key: str(value) for key, value in world.items()}
        made.append(Trip(make_rig(PACK, settings or building(), pairs)))
        return made[-1]

    yield make
    for one in made:
        one.rig.stop_and_close()


@dataclass
class ScriptedRobot:
    """Robot with scripted readings.

    Motions end with the reason set for their name; goto is immediate.
    """

    site: SiteMap
    pose: Pose = field(default_factory=lambda: Pose(3.0, -1.4, 0.0))
    tray: str | None = None
    db: float = 40.0
    reasons: dict[str, str] = field(default_factory=dict)
    motions: list[tuple[str, ScriptedMotion]] = field(default_factory=list)
    doing: str = "moving"
    still: bool = True

    @property
    def place(self) -> str | None:
        return self.site.place_at(self.pose.x, self.pose.y)

    def noise_db(self) -> float:
        return self.db

    def _start(self, name: str) -> ScriptedMotion:
        self.motions.append((name, ScriptedMotion(self.reasons.get(name, ""))))
        return self.motions[-1][1]

    def goto(self, pose: Pose) -> ScriptedMotion:
        if "goto" not in self.reasons:
            self.pose = pose
        return self._start("goto")

    def turn(self, angle: float) -> ScriptedMotion:
        if "turn" not in self.reasons:
            self.pose = self.pose._replace(yaw=self.pose.yaw + angle)
        return self._start("turn")

    def load(self, item: str) -> ScriptedMotion:
        if "load" not in self.reasons:
            self.tray = item
        return self._start("load")

    def hand_over(self, person: str) -> ScriptedMotion:
        if "hand_over" not in self.reasons:
            self.tray = None
        return self._start("hand_over")

    def stop(self) -> None:
        self.still = True


def person(who: str, at: tuple[float, float]) -> PlacedDetection:
    return PlacedDetection("person", (10, 10, 20, 60), 1.0, who, at)


class Play:
    """Runs skills on a scripted robot; `scenes` contains the observations by time [s]."""

    def __init__(
        self,
        reports: Path | None = None,
        replies: Mapping[str, Any] | None = None,
        model: VisualQa | None = None,
        **robot: Any,
    ) -> None:
        self.clock = Clock()
        site_map = make_map(ReporterSettings.model_validate(building()))
        if replies is None:
            replies = {"*": {"en": Reply("Yes."), "ko": Reply("네.")}}
        self.robot = ScriptedRobot(site_map, **robot)
        self.notebook = Notebook(site_map, reports)
        self.speaker = ScriptedSpeaker(self.clock, replies)
        self.services: dict[str, Any] = {
            "site_map": site_map,
            "notebook": self.notebook,
            "speaker": self.speaker,
            "visual_qa": PictureAnswers(model),
        }
        self.scenes: Callable[[float], ReporterObservation | None] = self.empty
        self.result: Any = None
        self.failed: Failed | None = None
        self.progress: list[float | None] = []

    def empty(self, t: float) -> ReporterObservation:
        return ReporterObservation(t, self.robot.pose, ())

    def shows(self, *found: PlacedDetection, light: dict[Any, float] | None = None) -> None:
        self.scenes = lambda t: ReporterObservation(t, self.robot.pose, found, light or {})

    def start(
        self, name: str, **args: Any
    ) -> tuple[Steps[Any], ObservationBuffer[ReporterObservation]]:
        skill = SKILLS[name]
        sight: ObservationBuffer[ReporterObservation] = ObservationBuffer(self.clock)
        world = World(sight, self.clock.t)
        given = skill.injected_arguments(self.robot, world, self.services)
        return skill(**given, **skill.validate(args)), sight

    def run(self, name: str, **args: Any) -> str:
        steps, sight = self.start(name, **args)
        self.progress = []

        def tick(_count: int, running: Running) -> None:
            self.progress.append(running.progress)
            self.clock.t += TICK_S
            scene = self.scenes(self.clock.t)
            if scene is not None:
                sight.add(scene)

        ended = run_to_end(SKILLS[name], steps, 4000, tick)
        self.result, self.failed = ended.result, ended.failed
        return ended.code


@pytest.fixture
def play() -> type[Play]:
    return Play


@pytest.fixture
def site() -> SiteMap:
    return make_map(ReporterSettings.model_validate(building()))


@pytest.fixture
def settings() -> dict[str, Any]:
    """Return the settings of the shipped site without written reports."""
    return building()
