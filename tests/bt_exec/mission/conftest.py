"""Fixtures for one executive: scripted parts, a robot, an optional camera and recorded events."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import pytest

from bt_exec import events as told
from bt_exec.events import Event
from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.mission.perception_worker import PerceptionWorker
from bt_exec.mission_outcome import Outcome
from bt_exec.observation import ObservationBuffer
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig
from bt_exec.site.site import Limits, Rates, Site
from bt_exec.spec.load import load_text
from bt_exec.testing import FakeClock, FakeObservation, ScriptedRobot, scripted_skill
from bt_exec.testing.tree_run import FixedCompiler, scripted_site
from tests.bt_exec.mission.session_robots import GO, Robots, with_pack, world_of

ONE = "tree: t\nroot: {do: a}"


class Camera:
    """Camera that shows the current facts; its pictures are numbered."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.taken = 0

    def capture(self) -> FakeObservation:
        self.taken += 1
        return FakeObservation(self.clock.time, ("thing",), {"picture": str(self.taken)})

    def interpret(self, capture: FakeObservation) -> FakeObservation:
        return capture


class Stage:
    """Executive on a site with scripted parts; its clock begins at 10 s.

    Args:
        parts: Skills and conditions.
        tree: The plan, as YAML.
        trees: Further trees.
        compiler: Compiler to use instead of one that always returns the tree.
        robot: Robot that the skills drive.
        perception_workers: Whether there is a camera. The loop waits for its simulated pictures.
        limits: Budgets.
        pack: Further fields of the pack.
        rig: Further fields of the rig.
        executive: Further arguments of the executive.
    """

    def __init__(
        self,
        parts: Iterable[Any],
        tree: str = ONE,
        *,
        trees: Iterable[str] = (),
        compiler: Any = None,
        robot: Any = None,
        perception_workers: bool = False,
        limits: Limits | None = None,
        pack: dict[str, Any] | None = None,
        rig: dict[str, Any] | None = None,
        executive: dict[str, Any] | None = None,
    ) -> None:
        self.events: list[Event] = []
        self.robot = robot if robot is not None else ScriptedRobot()
        self.simulation = FakeClock(10.0)
        self.camera = Camera(self.simulation)
        rates = Rates(tick_hz=10, look_hz=10, idle_look_hz=0)
        site = scripted_site(parts, [tree, *trees], limits=limits, rates=rates)
        (only,) = site.catalogue.packs
        catalogue = Catalogue([dataclasses.replace(only, **(pack or {}))])
        self.site = dataclasses.replace(site, catalogue=catalogue)
        self.compiler = compiler or FixedCompiler(load_text(tree).document)
        rigs = {"test": Rig(self.robot, simulation=self.simulation, **(rig or {}))}
        clock = Clock([self.simulation], 0.1, fast=True)
        buffer: ObservationBuffer[Any] = ObservationBuffer(clock.now)
        self.perception_workers = (
            {"test": PerceptionWorker("test", self.camera, buffer, rates, wait=True)}
            if perception_workers
            else {}
        )
        more = {"listeners": [self], **(executive or {})}
        self.executive = Executive(
            self.site, rigs, self.perception_workers, clock, self.compiler, **more
        )

    def on(self, event: Event) -> None:
        self.events.append(event)

    def run(self, command: str = "go", language: str = "") -> Outcome:
        try:
            return self.executive.run(command, language)
        finally:
            for worker in self.perception_workers.values():
                worker.close()

    def told(self, *kinds: type) -> list[str]:
        """Return the recorded events of the given kinds, by default of all, one line each."""
        return [line(event) for event in self.events if not kinds or isinstance(event, kinds)]


def line(event: Event) -> str:
    """Return an event in one line: time, tick, kind and content."""
    head = f"{event.t:g} {event.tick} {type(event).__name__}"
    match event:
        case told.MissionStarted():
            said = [event.mission_id, event.command, event.language, event.site]
        case told.Observed():
            said = [event.pack, str(event.observation.facts())]
        case told.FactsKnown():
            said = [event.moment, str(dict(event.facts))]
        case told.Planning() | told.Planned():
            failure = getattr(event, "failure", None)
            said = [event.compiler] if isinstance(event, told.Planning) else [str(event.calls)]
            said += [failure.code] if failure else []
        case told.NodeChanged():
            code = event.failure.code if event.failure else ""
            said = [event.path, event.state, event.detail, code]
        case told.SkillStarting():
            said = [event.path, event.skill, str(event.call)]
        case told.SkillEnded():
            code = event.failure.code if event.failure else ""
            said = [event.path, event.skill, str(event.call), event.state]
            said += [f"{event.seconds:g}", code]
        case told.Progress():
            said = [event.path, str(event.progress), event.doing]
        case told.Asked():
            said = [event.path, event.role, event.question, str(event.verdict.holds)]
        case told.Turn():
            said = [str(dict(event.report))]
        case told.Aborting():
            said = [event.how, event.reason]
        case told.Finished():
            said = [event.outcome.status, event.outcome.reason_code]
        case told.PerceptionFailed():
            said = [event.pack, event.message]
        case _:
            said = []
    return " ".join(word for word in (head, *said) if word)


@pytest.fixture
def stage() -> type[Stage]:
    return Stage


@pytest.fixture
def lines() -> Any:
    return lambda events: [line(event) for event in events]


@pytest.fixture
def robots() -> Robots:
    return Robots()


@pytest.fixture
def site(robots) -> Site:
    """Return a site of one pack whose world accepts the keys `door` and `seed`."""
    found = scripted_site([scripted_skill("a")], [GO], rates=Rates(tick_hz=40), name="lab")
    world = world_of({"door": "open or closed", "seed": "a number"})
    return with_pack(found, robots={"arm": robots}, world=world)
