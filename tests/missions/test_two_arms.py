"""Two arms and one doorway: the door is never closed on an arm, with any plan."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import mujoco
import pytest

from bt_exec.events import SkillEnded, SkillStarting
from bt_exec.mission.session import Session
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec_skills.door.sim.layout import WorldOptions
from bt_exec_skills.door.sim.simulated_robot import SimDoorRobot
from bt_exec_skills.door.sim.world import DoorWorld
from tests.cases import cases
from tests.missions.final_message_check import Truth, untrue
from tests.small_pictures import quick_session

ARMS = ("left", "right")
LOOK = "{check: material_visible}"
HOME = "{do: return_home}"


def step(skill: str, arm: str) -> str:
    label = "door-handle" if skill.endswith("door") else "material"
    return f"{{do: {skill}, with: {{arm: {arm}, object_label: {label}}}}}"


def plan(*steps: str) -> MissionSpec:
    document = load_text(
        f"mission: {{command: test}}\nroot: {{sequence: [{', '.join(steps)}]}}"
    ).document
    assert isinstance(document, MissionSpec)
    return document


OPENED = (step("open_door", "left"), LOOK)
REACH, SHUT = step("move_arm", "right"), step("close_door", "left")


@pytest.mark.parametrize(
    ("steps", "command", "code", "message"),
    [
        (
            (*OPENED, REACH, SHUT),
            "do it",
            "NEED_NOT_MET",
            "One step prevents a later one. At that point: The right arm is in the doorway. "
            "Bring the right arm home first.",
        ),
        (
            (*OPENED, REACH, SHUT),
            "그렇게 해",
            "NEED_NOT_MET",
            "앞의 동작이 뒤의 동작을 막습니다. 그때의 상태: 오른팔이 문 사이에 들어가 있습니다. "
            "먼저 오른팔을 제자리로 돌려 주십시오.",
        ),
        (
            (*OPENED, f"{{parallel: [{REACH}, {SHUT}]}}"),
            "do it",
            "CLAIMED_TWICE",
            "Two steps would use the doorway at the same time. Ask for one after the other.",
        ),
        (
            (*OPENED, f"{{parallel: [{REACH}, {SHUT}]}}"),
            "그렇게 해",
            "CLAIMED_TWICE",
            "두 동작이 동시에 같은 것을 쓰게 됩니다(문 사이). 하나씩 차례로 시켜 주십시오.",
        ),
    ],
)
def test_plan_that_closes_the_door_on_an_arm_is_refused(
    door_session: Any, steps: Any, command: str, code: str, message: str
) -> None:
    with door_session() as session:
        outcome = session.run(command, plan(*steps))
    assert (outcome.status, outcome.reason_code, outcome.message) == ("refused", code, message)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("door", "steps"),
    [
        ("closed", (*OPENED, REACH, HOME, SHUT)),  # out of it again
        ("open", (LOOK, REACH, step("grasp", "right"), SHUT)),  # which retracts it
        ("open", (LOOK, REACH, step("close_door", "right"))),  # its own hand, which moves first
    ],
)
def test_arm_outside_the_doorway_does_not_block_the_door(
    door_session: Any, door: str, steps: Any
) -> None:
    with door_session(world={"door": door, "seed": "2"}) as session:
        outcome = session.run("do it", plan(*steps))
        truth = Truth.of(session.rigs["door"].robot)
    assert (outcome.status, truth.angle < 0.04) == ("satisfied", True), outcome.message
    assert untrue(outcome.message, truth) == []


def reached(arm: Any, seed: int) -> Any:
    """Return the joint angles of an arm that reaches for the material [rad]."""
    robot = SimDoorRobot(DoorWorld(WorldOptions(door=1.32, seed=seed)))
    motion = robot.reach(arm, "material")
    while not motion.done:
        robot.step(0.1)
    assert motion.failure is None
    assert robot.in_doorway(arm)
    return robot.world.limbs[arm].q


class Meddler:
    """Listener that moves the left arm into the doorway when the door is open, outside any plan."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.started: list[str] = []
        self.q = reached("left", 3)

    def on(self, event: Any) -> None:
        if isinstance(event, SkillStarting):
            self.started.append(event.skill)
        if isinstance(event, SkillEnded) and event.skill == "open_door":
            assert self.session is not None
            world = self.session.rigs["door"].robot.world
            world.limbs["left"].place(self.q, 0.04)
            mujoco.mj_forward(world.model, world.data)


@pytest.mark.slow
def test_unexpected_arm_in_the_doorway_stops_the_door(door_session: Any) -> None:
    meddler = Meddler()
    with door_session(world={"seed": "3"}, listeners=[meddler]) as session:
        meddler.session = session
        outcome = session.run("open the door and close it")
        truth = Truth.of(session.rigs["door"].robot)
        assert meddler.started == ["open_door"]
        assert outcome.status == "blocked"
        assert "The left arm is in the doorway. Bring the left arm home first." in outcome.message
        assert truth.angle > 1.0
        again = session.run("문 닫아")
        assert (again.status, again.reason_code) == ("refused", "NEED_NOT_MET")
        assert again.message == (
            "지금은 할 수 없습니다. 왼팔이 문 사이에 들어가 있습니다. "
            "먼저 왼팔을 제자리로 돌려 주십시오."
        )
        assert session.run("팔을 제자리로").status == "satisfied"
        assert session.run("문 닫아").status == "satisfied"
        assert Truth.of(session.rigs["door"].robot).angle < 0.04


def some_plan(draw: random.Random) -> MissionSpec:
    """Return a random plan of two arms; most are refused."""

    def some_step() -> str:
        skill = draw.choice(("open_door", "close_door", "move_arm", "move_arm", "grasp", "home"))
        return HOME if skill == "home" else step(skill, draw.choice(ARMS))

    steps = [step("open_door", draw.choice(ARMS)), LOOK]
    for _ in range(draw.randrange(2, 5)):
        both = f"{{parallel: [{some_step()}, {some_step()}]}}"
        steps.append(both if draw.random() < 0.3 else some_step())
    return plan(*steps, step("close_door", draw.choice(ARMS)))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_random_plans_of_two_arms_never_jam_the_door(door_site: Any) -> None:
    refused, ran = 0, 0
    for seed in range(cases(60, 30)):
        draw = random.Random(seed)
        settings = door_site.packs["door"].model_copy(update={"material_arm": draw.choice(ARMS)})
        site = replace(door_site, packs={"door": settings})
        with quick_session(site, world={"seed": str(seed % 12)}) as session:
            outcome = session.run("do it", some_plan(draw))
            truth = Truth.of(session.rigs["door"].robot)
        assert untrue(outcome.message, truth) == [], seed
        codes = {failure["code"] for failure in outcome.failures}
        assert not codes & {"DOOR_STUCK", "BLOCKED"}, (seed, outcome.message)
        refused += outcome.status == "refused"
        ran += outcome.status == "satisfied"
    assert refused > 5
    assert ran > 5
