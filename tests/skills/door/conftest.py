"""Fixtures of the door pack: a small mission loop, a scripted robot, handmade observations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import pytest

from bt_exec.failure import Failed
from bt_exec.mission.rig_construction import make_rig
from bt_exec.observation import ObservationBuffer, World
from bt_exec.rig import Rig
from bt_exec.skill import Running, Skill, Steps
from bt_exec_skills.door.pack import PACK
from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation
from bt_exec_skills.door.robot import Arm
from bt_exec_skills.perception.contracts import Detection
from tests.skills.scripted_motion import Clock, ScriptedMotion, run_to_end
from tests.small_pictures import small_pictures

TICK_S = 0.05
LOOK_EVERY = 4  # ticks: 5 Hz

ALL = ("door", "door-handle", "material")


def make_scene(
    t: float = 0.0, state: Any = "closed", labels: tuple[str, ...] = ALL, fault: Any = None
) -> DoorObservation:
    found = tuple(Detection(label, (10, 20, 30, 40), 0.9) for label in labels)
    return DoorObservation(t, found, DoorEstimate(state, 0.9, ("primary:test",)), fault=fault)


class Ride:
    """Ticks one skill at a time on a simulated rig, with the observations of an executive."""

    def __init__(self, rig: Rig) -> None:
        assert rig.simulation is not None
        assert rig.perception is not None
        self.rig = rig
        self.robot: Any = rig.robot
        self.sim = rig.simulation
        self.buffer: ObservationBuffer[DoorObservation] = ObservationBuffer(lambda: self.sim.time)
        self.phases: list[str] = []

    def start(self, skill: Skill, **args: Any) -> Steps[Any]:
        world = World(self.buffer, self.sim.time)
        return skill(**skill.injected_arguments(self.robot, world), **skill.validate(args))

    def tick(self, count: int) -> None:
        if count % LOOK_EVERY == 0:
            eyes = self.rig.perception
            assert eyes is not None
            self.buffer.add(eyes.interpret(eyes.capture()))
        self.sim.step(TICK_S)

    def run(self, skill: Skill, **args: Any) -> str:
        """Run a skill to its end, and return OK or its failure code."""
        steps = self.start(skill, **args)
        self.phases = []

        def tick(count: int, running: Running) -> None:
            if not self.phases or self.phases[-1] != running.doing:
                self.phases.append(running.doing)
            self.tick(count)

        return run_to_end(skill, steps, int(skill.timeout_s / TICK_S), tick).code


@pytest.fixture
def ride() -> Iterator[Callable[..., Ride]]:
    """Return a factory of rides: ``ride(door="ajar", seed=3)``."""
    made: list[Ride] = []

    def make(settings: dict[str, Any] | None = None, **world: Any) -> Ride:
        pairs = {key: str(value) for key, value in world.items()}
        given = {"robot": "sim", "detector": "oracle", **(settings or {})}
        with small_pictures() if given["detector"] == "oracle" else nullcontext():
            made.append(Ride(make_rig(PACK, given, pairs)))
        return made[-1]

    yield make
    for one in made:
        one.rig.stop_and_close()


@dataclass
class ScriptedRobot:
    """Robot with scripted readings.

    Every motion ends with `reason` and sets `after` when it starts.
    """

    reason: str = ""
    looks: int = 2
    after: dict[str, Any] = field(default_factory=dict)
    held: dict[Arm, str | None] = field(default_factory=lambda: {"left": None, "right": None})
    door_angle_rad: float = 0.0
    at_home: bool = True
    home_arms: tuple[Arm, ...] = ()
    doorway: tuple[Arm, ...] = ()
    placed: bool = True
    still: bool = True
    doing: str = "moving"
    motions: list[tuple[str, ScriptedMotion]] = field(default_factory=list)
    failed: Failed | None = None

    def _start(self, name: str) -> ScriptedMotion:
        self.motions.append((name, ScriptedMotion(self.reason, self.looks)))
        for key, value in self.after.items():
            setattr(self, key, value)
        return self.motions[-1][1]

    def reach(self, arm: Arm, label: str) -> ScriptedMotion:
        return self._start("reach")

    def close_gripper(self, arm: Arm, label: str) -> ScriptedMotion:
        return self._start("close_gripper")

    def open_gripper(self, arm: Arm) -> ScriptedMotion:
        return self._start("open_gripper")

    def pull_open(self, arm: Arm, label: str) -> ScriptedMotion:
        return self._start("pull_open")

    def push_shut(self, arm: Arm, label: str) -> ScriptedMotion:
        return self._start("push_shut")

    def go_home(self) -> ScriptedMotion:
        return self._start("go_home")

    def return_arm(self, arm: Arm) -> ScriptedMotion:
        return self._start("return_arm")

    def arm_at_home(self, arm: Arm) -> bool:
        return self.at_home or arm in self.home_arms

    def holding(self, arm: Arm) -> str | None:
        return self.held[arm]

    def at_label(self, arm: Arm, label: str) -> bool:
        return self.placed

    def in_doorway(self, arm: Arm) -> bool:
        return arm in self.doorway

    def stop(self) -> None:
        self.still = True


def run_scripted(
    skill: Skill,
    robot: ScriptedRobot,
    scenes: Callable[[float], DoorObservation | None] = make_scene,
    **args: Any,
) -> str:
    """Run a skill on a scripted robot; `scenes` contains the observations by time [s].

    Returns:
        OK, the code of its failure, or TIMEOUT; the failure is in the robot's `failed`.
    """
    clock = Clock()
    sight: ObservationBuffer[DoorObservation] = ObservationBuffer(clock)
    steps = skill(**skill.injected_arguments(robot, World(sight, 0.0)), **skill.validate(args))

    def tick(_count: int, _running: Running) -> None:
        scene = scenes(clock.t)
        if scene is not None:
            sight.add(scene)
        clock.t += TICK_S

    ended = run_to_end(skill, steps, 400, tick)
    robot.failed = ended.failed
    return ended.code


@pytest.fixture
def scene() -> Callable[..., DoorObservation]:
    return make_scene


@pytest.fixture
def scripted() -> type[ScriptedRobot]:
    return ScriptedRobot


@pytest.fixture
def play() -> Callable[..., str]:
    return run_scripted
