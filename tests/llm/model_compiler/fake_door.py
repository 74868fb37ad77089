"""The door pack on a fake robot without physics, so that missions take no time.

Motions end at the second poll and succeed unless `Paper.broken` names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bt_exec.events import Event
from bt_exec.failure import Failed
from bt_exec.language.messages import language_of
from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.mission.perception_worker import PerceptionWorker
from bt_exec.mission_outcome import Outcome
from bt_exec.nodes.fault_injection import Faults
from bt_exec.observation import ObservationBuffer, Situation
from bt_exec.planning.compiler import Compiler, Request
from bt_exec.rig import Rig
from bt_exec.site.site import Site, load_site
from bt_exec.testing import FakeClock
from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation
from bt_exec_skills.door.rigs import robot_facts
from bt_exec_skills.perception.contracts import Detection

ANGLES = {"closed": 0.0, "ajar": 0.4, "open": 1.2}
SITE = load_site("door")
SEEN_BY_ORACLE = replace(
    SITE, packs={"door": SITE.packs["door"].model_copy(update={"detector": "oracle"})}
)
"""Site of the simulated door with oracle perception, for tests without vision."""


@dataclass
class Sheet:
    """A motion that applies its change when it ends."""

    robot: Paper
    change: dict[str, Any]
    reason: str = ""
    looks: int = 0
    progress: float = 0.5

    @property
    def done(self) -> bool:
        self.looks += 1
        if self.looks == 2 and not self.reason:
            for key, value in self.change.items():
                if key == "hand":
                    self.robot.held.update(value)
                elif key == "at":
                    self.robot.at.update(value)
                else:
                    setattr(self.robot, key, value)
        return self.looks >= 2

    @property
    def failure(self) -> Failed | None:
        code, _, why = self.reason.partition(": ")
        return Failed(code, why) if code else None

    def stop(self) -> None:
        pass


@dataclass
class Paper:
    """Fake `DoorRobot`.

    Attributes:
        moves: Motions in the order of their start, e.g. ``"pull_open right"``.
    """

    door_angle_rad: float = 0.0
    material: bool = True
    held: dict[str, str | None] = field(default_factory=lambda: {"left": None, "right": None})
    at: dict[str, str] = field(default_factory=lambda: {"left": "home", "right": "home"})
    labels: tuple[str, ...] = ()
    moves: list[str] = field(default_factory=list)
    still: bool = True
    doing: str = "moving"
    stops: int = 0

    def _move(self, name: str, **change: Any) -> Sheet:
        self.moves.append(name)
        return Sheet(self, change)

    def reach(self, arm: str, label: str) -> Sheet:
        return self._move(f"reach {arm}", at={arm: label})

    def close_gripper(self, arm: str, label: str) -> Sheet:
        return self._move(f"close_gripper {arm}", hand={arm: label}, at={arm: "before_door"})

    def open_gripper(self, arm: str) -> Sheet:
        return self._move(f"open_gripper {arm}", hand={arm: None})

    def pull_open(self, arm: str, label: str) -> Sheet:
        return self._move(f"pull_open {arm}", door_angle_rad=1.2, at={arm: "home"})

    def push_shut(self, arm: str, label: str) -> Sheet:
        return self._move(f"push_shut {arm}", door_angle_rad=0.0, at={arm: "home"})

    def go_home(self) -> Sheet:
        return self._move("go_home", at={"left": "home", "right": "home"})

    def return_arm(self, arm: str) -> Sheet:
        return self._move(f"return_arm {arm}", at={arm: "home"})

    def arm_at_home(self, arm: str) -> bool:
        return self.at[arm] == "home"

    def holding(self, arm: str) -> str | None:
        return self.held[arm]

    def at_label(self, arm: str, label: str) -> bool:
        return self.at[arm] == label

    def in_doorway(self, arm: str) -> bool:
        return self.at[arm] == "material"

    @property
    def at_home(self) -> bool:
        return set(self.at.values()) == {"home"}

    def stop(self) -> None:
        self.stops += 1


class PaperEyes:
    """Perception that detects everything in the world."""

    def __init__(self, robot: Paper, simulation: FakeClock) -> None:
        self.robot, self.simulation = robot, simulation

    def capture(self) -> DoorObservation:
        robot = self.robot
        open_ = robot.door_angle_rad >= 1.0
        inside = robot.material and open_ and "material" not in robot.held.values()
        labels = ("door", "door-handle", *(("material",) if inside else ()), *robot.labels)
        state: Any = next(s for s, a in reversed(ANGLES.items()) if robot.door_angle_rad >= a)
        found = tuple(Detection(label, (1, 2, 3, 4), 0.9) for label in labels)
        return DoorObservation(
            self.simulation.time, found, DoorEstimate(state, 0.9, ("primary:paper",))
        )

    def interpret(self, capture: DoorObservation) -> DoorObservation:
        return capture


@dataclass
class Run:
    """A mission on the fake robot, with its results."""

    outcome: Outcome
    robot: Paper
    events: list[Event]


def paper(world: Mapping[str, str] | None = None) -> Paper:
    """Return a robot in a world: ``door=open``, ``material=absent``, ``labels=a,b``, ``hand``."""
    given = dict(world or {})
    robot = Paper(ANGLES[given.get("door", "closed")], given.get("material") != "absent")
    robot.labels = tuple(filter(None, given.get("labels", "").split("|")))
    if hand := given.get("hand"):
        robot.held[hand] = "material"
    return robot


def run_paper(
    command: str,
    compiler: Compiler,
    world: Mapping[str, str] | None = None,
    *,
    faults: Iterable[str] = (),
    site: Site = SITE,
    record: Any = None,
    before: Any = None,
    confirm: Any = None,
) -> Run:
    """Run a command; `before` receives the executive before its start, `confirm` gives consent."""
    robot, simulation = paper(world), FakeClock()
    look = PaperEyes(robot, simulation)
    rig = Rig(robot, look, simulation, lambda: robot_facts(robot))
    clock = Clock([simulation], 1 / site.rates.tick_hz, fast=True)
    sight: ObservationBuffer[Any] = ObservationBuffer(clock.now)
    eyes = PerceptionWorker("door", look, sight, site.rates, wait=True)
    events: list[Event] = []

    class Ear:
        def on(self, event: Event) -> None:
            events.append(event)

    executive = Executive(
        site,
        {"door": rig},
        {"door": eyes},
        clock,
        compiler,
        listeners=[Ear()],
        faults=Faults.parse(faults, site.catalogue.skills),
        record=record,
        confirm=confirm,
    )
    if before is not None:
        before(executive)
    try:
        return Run(executive.run(command), robot, events)
    finally:
        eyes.close()


def request_for(command: str, world: Mapping[str, str] | None = None, **more: Any) -> Request:
    """Return the request of a mission's first plan in that world."""
    robot = paper(world)
    scene = PaperEyes(robot, FakeClock()).capture()
    facts = {**robot_facts(robot), **scene.facts()}
    return Request(
        command,
        language_of(command),
        SITE.catalogue,
        SITE.library,
        SITE.messages,
        Situation(scene.labels(), facts),
        settings=SITE.packs,
        **more,
    )
