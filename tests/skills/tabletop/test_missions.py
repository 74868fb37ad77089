"""Missions in the kitchen: the final message agrees with the world."""

import pytest

from bt_exec.events import Progress, SkillEnded, SkillStarting
from bt_exec.mission.session import Session
from bt_exec.site.site import load_site
from tests.cases import cases
from tests.skills.tabletop.disturbances import Troubles
from tests.skills.tabletop.reader import COMMANDS, Judge

pytestmark = pytest.mark.sampled


class Once:
    """Listener that changes the world once, when a skill starts or has ended."""

    def __init__(self, when, skill, what):
        self.when, self.skill, self.what = when, skill, what
        self.world, self.done = None, False

    def on(self, event):
        if isinstance(event, self.when) and event.skill == self.skill and not self.done:
            self.done = True
            self.what(self.world)


class StopsWhileDrawingBack:
    """Operator who stops the robot when it draws its hand back from a container."""

    done = False

    def on(self, event):
        placing = isinstance(event, Progress) and event.path.endswith("place_object")
        if placing and event.doing == "drawing back" and not self.done:
            self.done = True
            self.session.abort()


def test_object_is_moved_by_friction_alone(run_table):
    outcome, world, ears = run_table("사과를 빨간 그릇에 담아줘.", seed=5, by="mixed", objects=4)
    assert outcome.status == "satisfied", outcome.message
    assert Judge(world, "").within("object_apple_0", "object_red_bowl_0")
    assert world.model.neq == 1  # the fingers move symmetrically; nothing is attached to the hand
    assert outcome.planner_calls == 1
    skills = ("go_to_object", "pick_object", "go_to_object", "place_object")
    targets = ("object_apple_0", "object_apple_0", "object_red_bowl_0", "object_red_bowl_0")
    assert ears.actions == list(zip(skills, targets, strict=True))


def test_same_seed_world_and_command_give_the_same_ticks(run_table):
    first, second = (run_table("Bring me the apple.", seed=7, by="mixed")[0] for _ in range(2))
    assert (first.ticks, first.sim_seconds) == (second.ticks, second.sim_seconds)
    assert first.status == "satisfied", first.message


def test_dropped_object_is_picked_up(run_table):
    slip = Once(SkillEnded, "pick_object", lambda world: world.drop_held_object())
    command = "Put the apple in the red bowl."
    outcome, world, ears = run_table(command, seed=5, by="mixed", objects=4, listeners=[slip])
    assert outcome.status == "satisfied", outcome.message
    assert Judge(world, "").within("object_apple_0", "object_red_bowl_0")
    assert sum(skill == "pick_object" for skill, _ in ears.actions) == 2


def test_hand_that_was_stopped_in_a_container_is_drawn_back_before_driving():
    operator = StopsWhileDrawingBack()
    world = {"objects": "2", "seed": "530"}
    with Session(load_site("tabletop"), world=world, fast=True, listeners=[operator]) as session:
        operator.session = session
        assert session.run("sort everything by colour").status == "aborted"
        before = session.facts()["pos.object_red_bowl_0"]
        outcome = session.run("sort everything by colour")
        assert outcome.ok, outcome
        assert outcome.failures == ()
        assert session.facts()["pos.object_red_bowl_0"] == before


def test_moved_object_is_followed(run_table):
    def elsewhere(world):
        table = world.layout.tables[1]
        world.move_item("object_apple_0", table.x, table.y, table.height + 0.05)

    moved = Once(SkillStarting, "pick_object", elsewhere)
    command = "Put the apple in the red bowl."
    outcome, world, _ = run_table(command, seed=5, by="mixed", objects=4, listeners=[moved])
    assert outcome.status == "satisfied", outcome.message
    assert Judge(world, "").within("object_apple_0", "object_red_bowl_0")


@pytest.mark.slow
def test_missing_bowl_is_reported_and_the_rest_is_done(run_table):
    gone = Once(SkillEnded, "pick_object", lambda world: world.remove_item("object_red_bowl_0"))
    command = "Put the apple in the red bowl and the cups on the tray."
    outcome, world, _ = run_table(command, seed=5, by="mixed", objects=4, listeners=[gone])
    judge = Judge(world, "")
    assert (outcome.status, outcome.exit_code) == ("partial", 6)
    assert "Not done: apple 0 in red bowl 0" in outcome.message
    cups = [name for name in world.items if "cup" in name]
    assert all(judge.within(cup, "object_tray_0") for cup in cups)
    assert world.held_item() is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(cases(16, 8)))
def test_random_tables_are_sorted_as_requested(seed, run_table):
    by, command = COMMANDS[seed % len(COMMANDS)]
    outcome, world, _ = run_table(command, seed=seed, by=by)
    judge = Judge(world, command)
    wanted = "refused" if judge.impossible() else "satisfied"
    assert outcome.status == wanted, outcome.message
    assert judge.as_asked() or judge.impossible()
    assert outcome.planner_calls == 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(cases(8, 4)))
def test_disturbed_tables_are_sorted_or_reported_correctly(seed, run_table):
    by, command = COMMANDS[seed % len(COMMANDS)]
    outcome, world, _ = run_table(command, seed=seed, by=by, listeners=[Troubles(seed)])
    judge = Judge(world, command)
    if outcome.status == "satisfied":
        assert judge.as_asked()
    else:
        assert judge.told(outcome.message)
