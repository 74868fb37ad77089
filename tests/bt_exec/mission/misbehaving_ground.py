"""Test bed for misbehaving parts: a moving robot, a camera, a journal and a fake clock."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bt_exec.events import Aborting, Event, Finished, PerceptionFailed, SkillEnded
from bt_exec.failure import PartBroken
from bt_exec.journal import Journal
from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.mission.perception_worker import PerceptionWorker
from bt_exec.mission_outcome import Outcome
from bt_exec.observation import ObservationBuffer
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig
from bt_exec.site.site import Limits, Rates
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.load import load_text
from bt_exec.testing import FakeClock, FakeObservation, scripted_condition, scripted_skill
from bt_exec.testing.tree_run import FixedCompiler, scripted_site

__all__ = [
    "Arm",
    "Camera",
    "Case",
    "Ground",
    "block_again",
    "case",
    "go_well",
    "hang",
    "long_has_passed",
    "raise_as_watchdog",
    "resist",
    "suppress_everything",
    "swallow",
]


class _Time:
    """Clock of the watchdog. It stands still until a part hangs."""

    now = 0.0


def long_has_passed() -> None:
    """Advance the clock beyond every limit of the watchdog."""
    _Time.now += 1e6


def hang(*_: Any, **__: Any) -> Any:
    """Never return."""
    long_has_passed()
    threading.Event().wait()


def swallow(*_: Any, **__: Any) -> None:
    """Hang, and replace the watchdog's interruption by another error."""
    try:
        hang()
    except PartBroken:
        return


def resist(*_: Any, **__: Any) -> None:
    """Hang and swallow the first three interruptions."""
    for _attempt in range(3):
        try:
            hang()
        except BaseException:  # noqa: BLE001 - a careless skill catches everything
            continue


def block_again(*_: Any, **__: Any) -> None:
    """Hang, and hang again while cleaning up."""
    try:
        hang()
    finally:
        threading.Event().wait()


def suppress_everything(*_: Any, **__: Any) -> None:
    """Hang under a context manager that suppresses the interruption."""
    with contextlib.suppress(BaseException):
        hang()


def raise_as_watchdog(error: BaseException) -> None:
    """Raise an error inside bt_exec, where those of the watchdog and the operator are raised."""
    stopped: Any = SimpleNamespace(_abort_reason="", runtime=SimpleNamespace(broken=error))
    Executive._check_stop(stopped)


class Arm:
    """Arm that moves from `go` until `stop`. Skills may leave it moving."""

    def __init__(self) -> None:
        self.moving = False
        self.stops = 0

    def go(self) -> None:
        """Start to move."""
        self.moving = True

    def stop(self) -> None:
        """Stop moving."""
        self.stops += 1
        self.moving = False

    @property
    def still(self) -> Any:
        """Whether the arm is still."""
        return not self.moving


class Camera:
    """Camera that shows one object."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock

    def capture(self) -> Any:
        """Capture an empty picture."""
        return self.clock.time

    def interpret(self, capture: Any) -> Any:
        """Return an observation with one object."""
        return FakeObservation(capture, ("thing",), {"door": "open"})


@skill()
def go_well(robot: Any) -> Steps:
    """Move for three ticks and stop."""
    robot.go()
    try:
        for _ in range(3):
            yield Running()
    finally:
        robot.stop()


@dataclasses.dataclass(frozen=True)
class Case:
    """One misbehaving part and the expected diagnosis.

    Attributes:
        name: The misbehaviour.
        culprit: Text expected in the outcome, the events or the log.
        codes: Accepted reason codes of the mission.
        parts: Skills and conditions that replace the good ones.
        tree: The plan.
        robot: Factory of the robot.
        camera: Factory of the camera from the simulation, or None.
        rig: Further fields of the rig, made from the test bed.
        pack: Further fields of the pack.
        listeners: Further listeners.
        compiler: Compiler to use instead of one that always returns the tree.
        stops: Whether the robot can be stopped at all.
    """

    name: str
    culprit: str
    codes: tuple[str, ...]
    parts: tuple[Any, ...] = ()
    tree: str = "{do: go_well}"
    robot: Callable[[], Any] = Arm
    camera: Callable[[FakeClock], Any] | None = None
    simulation: Callable[[], Any] = FakeClock
    rig: dict[str, Any] = dataclasses.field(default_factory=dict)
    pack: dict[str, Any] = dataclasses.field(default_factory=dict)
    listeners: tuple[Any, ...] = ()
    compiler: Any = None
    stops: bool = True


def case(name: str, culprit: str, codes: str, **more: Any) -> Case:
    """Return a case. Several accepted codes are separated by spaces."""
    return Case(name, culprit, tuple(codes.split()), **more)


class Ground:
    """Runs one case on a site with a journal."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.events: list[Event] = []
        self.robot = case.robot()
        simulation = case.simulation()
        good = (go_well, scripted_skill("other"), scripted_condition("holds"))
        names = {part.name for part in case.parts}
        parts = [*case.parts, *(part for part in good if part.name not in names)]
        tree = f"tree: t\nroot: {case.tree}"
        limits = Limits(hang_s=0.05, cancel_s=0.5, still_s=0.3, look_s=0.2, replans=1)
        rates = Rates(tick_hz=10, look_hz=10, idle_look_hz=1)
        site = scripted_site(parts, [tree], limits=limits, rates=rates)
        (pack,) = site.catalogue.packs
        catalogue = Catalogue([dataclasses.replace(pack, **case.pack)])
        site = dataclasses.replace(site, catalogue=catalogue)
        rigs = {"test": Rig(self.robot, simulation=simulation, **case.rig)}
        clock = Clock([simulation], 0.1, fast=True)
        self.workers = {}
        if case.camera is not None:
            buffer: ObservationBuffer[Any] = ObservationBuffer(clock.now)
            camera = case.camera(simulation)
            self.workers["test"] = PerceptionWorker("test", camera, buffer, rates, wait=True)
        self.journal = Journal.open(folder / "journal.sqlite")
        self.recorder = self.journal.begin(command="go", site="test")
        self.executive = Executive(
            site,
            rigs,
            self.workers,
            clock,
            case.compiler or FixedCompiler(load_text(tree).document),
            recorder=self.recorder,
            listeners=[*case.listeners, self],
            mission_id=self.recorder.mission_id,
        )
        self.executive.watchdog.now = lambda: _Time.now

    def on(self, event: Event) -> None:
        """Record an event."""
        self.events.append(event)

    def run(self) -> Outcome:
        """Run the mission and close the journal."""
        with self.recorder:
            outcome = self.executive.run("go", "en")
        for worker in self.workers.values():
            worker.close()
        return outcome

    def said(self, outcome: Outcome) -> str:
        """Return the diagnoses in the outcome and the events as one text."""
        codes = [
            f"{event.skill} {event.failure}"
            for event in self.events
            if isinstance(event, SkillEnded)
        ]
        stops = [event.how for event in self.events if isinstance(event, Aborting)]
        blind = [event.message for event in self.events if isinstance(event, PerceptionFailed)]
        packs = [event.pack for event in self.events if isinstance(event, PerceptionFailed)]
        return " ".join([outcome.message, str(outcome.failures), *codes, *stops, *blind, *packs])

    def ends(self) -> list[Event]:
        """Return the recorded ends of missions."""
        record = self.journal.mission(self.recorder.mission_id)
        return [event for event in record.events if isinstance(event, Finished)]
