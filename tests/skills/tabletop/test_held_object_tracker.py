"""Content of the hand: inferred from readings, unknown before a new reading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bt_exec.robot import Motion
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.held_object_tracker import HeldObjectTracker
from bt_exec_skills.tabletop.name_attributes import attributes_in_name
from bt_exec_skills.tabletop.perception.observation_and_pipeline import TableObservation
from bt_exec_skills.tabletop.rigs import TableStart, robot_in_its_kitchen
from bt_exec_skills.tabletop.tables import Table

LAY = Point(1.0, 0.0, 0.8)


HERE = Pose(0.5, 0.0, 0.0)


def world(z: float, x: float = 1.0, base: Pose | None = HERE) -> Environment:
    return Environment(0.0, {"cup": Placed(1, Point(x, 0.0, z), (0, 0, 0))}, base, {})


@pytest.mark.parametrize(
    ("now", "held"),
    [
        (world(0.80), None),
        (world(0.84), None),  # lifted by less than five centimetres
        (world(0.95), "cup"),
        (world(0.95, base=None), "cup"),
        (world(0.95, x=3.0), None),  # lifted, but out of reach
        (Environment(0.0, {}, None, {}), None),
    ],
)
def test_object_is_held_if_it_is_off_the_table(now: Environment, held: str | None):
    hand = HeldObjectTracker()
    hand.record_pick_start("cup", LAY)
    assert hand.moved
    assert hand.held_object(now) == held
    assert hand.record_held_object(now) == held
    assert (hand.thing, hand.moved) == (held, False)
    assert hand.held_object(world(0.75)) is None  # fell, or was never held
    assert hand.facts(now)["hand"] == (held or "empty")


def test_object_being_grasped_has_no_observed_place():
    hand, lifting = HeldObjectTracker(), world(0.84)

    def observed() -> dict[str, str]:
        return TableObservation(0.0, hand.world_with_held_object(lifting)).facts()

    assert "spot.cup" in observed()
    hand.record_pick_start("cup", LAY)
    assert "spot.cup" not in observed()
    hand.record_held_object(lifting)  # it was not taken
    assert "spot.cup" in observed()


def test_held_object_follows_the_base():
    hand = HeldObjectTracker()
    hand.record_pick_start("cup", LAY)
    hand.record_held_object(world(0.95))
    assert hand.record_held_object(world(0.95, x=2.0, base=Pose(1.5, 0.0, 0.0))) == "cup"
    assert hand.record_held_object(world(0.95, x=1.0, base=Pose(1.5, 0.0, 0.0))) is None
    assert hand.thing is None


def test_content_is_unknown_after_a_release_until_the_next_reading():
    hand = HeldObjectTracker()
    hand.record_pick_start("cup", LAY)
    hand.record_held_object(world(0.95))
    hand.record_release_start()
    assert hand.moved
    assert hand.record_held_object(world(0.95)) == "cup"
    assert not hand.moved
    hand.record_empty()
    assert hand.facts(world(0.95))["hand"] == "empty"


@pytest.mark.parametrize(("grips", "held"), [(True, "cup"), (False, None), (None, None)])
def test_lowered_object_is_held_while_the_fingers_touch_it(grips: bool | None, held: str | None):
    hand = HeldObjectTracker()
    hand.record_pick_start("cup", LAY)
    hand.record_held_object(world(1.2))
    hand.record_release_start()
    assert hand.held_object(replace(world(0.85), grips=grips)) == held


@pytest.mark.parametrize(
    ("now", "held"),
    [
        (world(0.8), "cup"),
        (world(0.05), None),  # on the floor
        (world(0.8, x=3.0), None),  # out of reach
        (replace(world(0.8), objects={**world(0.8).objects, "can": Placed(2, LAY)}), None),
    ],
)
def test_object_between_the_fingers_is_held_before_it_is_lifted(now, held):
    hand = HeldObjectTracker()
    hand.record_pick_start("cup", LAY)
    assert hand.held_object(replace(now, grips=True)) == held


def test_simulated_robot_holds_the_object_until_the_fingers_open():
    robot, hand = robot_in_its_kitchen(TableStart(seed=3, objects=4)), HeldObjectTracker()

    def finish(motion: Motion, check: Callable[[], None] = lambda: None) -> None:
        while not motion.done:
            robot.step(0.05)
            check()
        assert motion.failure is None

    thing = next(n for n in robot.world.items if not attributes_in_name(n).is_container)
    target = next(n for n in robot.world.items if attributes_in_name(n).is_container)
    at = robot.read().environment.objects[thing].pos
    finish(robot.goto(at))
    hand.record_pick_start(thing, at)
    finish(robot.pick(at))
    assert hand.record_held_object(robot.read().environment) == thing
    place = robot.read().environment.objects[target].pos
    finish(robot.goto(place))
    hand.record_release_start()
    seen = []

    def check() -> None:
        now = robot.read().environment
        held = hand.world_with_held_object(now)
        seen.append(held.held)
        assert held.held == robot.world.held_item()
        assert held.held is None or not held.is_in_place(thing, target)

    finish(robot.place(place), check)
    assert (seen[0], seen[-1]) == (thing, None)


def test_origin_is_the_place_before_the_last_mission():
    hand = HeldObjectTracker()
    for at in (LAY, Point(2.0, 0.0, 0.8)):  # an object may wait elsewhere during a swap
        hand.record_pick_start("cup", at)
        hand.record_held_object(world(0.95))
        hand.record_empty()
    assert hand.facts(world(0.8)) == {
        "hand": "empty", "origin.cup": "1.000 0.000 0.800", "returnable": "cup"
    }  # fmt: skip
    hand.begin_mission()
    assert hand.origins["cup"] == LAY
    hand.record_pick_start("cup", Point(2.0, 0.0, 0.8))
    hand.record_held_object(world(0.95))
    assert hand.origins["cup"] == Point(2.0, 0.0, 0.8)


def test_observation_omits_the_place_of_the_held_object():
    hand = HeldObjectTracker()
    hand.record_pick_start("object_red_0", LAY)
    objects = {
        "object_red_0": Placed(1, Point(1.0, 0.0, 0.95), (0, 0, 0)),
        "object_bowl_0": Placed(2, Point(1.0, 0.0, 0.85), (0, 0, 0)),
    }
    over_the_bowl = Environment(0.0, objects, HERE, {})
    seen = hand.world_with_held_object(over_the_bowl)
    assert seen.held == "object_red_0"
    assert "spot.object_red_0" in TableObservation(0.0, over_the_bowl).facts()
    assert "spot.object_red_0" not in TableObservation(0.0, seen).facts()


TABLE = {"table_0": Table(1.0, 0.0, 0.5, 0.5, 0.75)}


@pytest.mark.parametrize(
    ("now", "held"),
    [
        (world(1.2), "cup"),
        (world(0.80), None),  # on the table
        (world(0.05, x=0.0), None),  # on the floor
        (world(1.2, x=3.0), None),  # out of reach
        (world(1.2, base=None), None),
    ],
)
def test_object_in_the_air_within_reach_is_taken_as_held_initially(
    now: Environment, held: str | None
):
    hand = HeldObjectTracker()
    hand.record_initial_object(replace(now, reported_tables=TABLE), None)
    assert hand.held_object(now) == held
    assert hand.facts(now) == ({"hand": "cup", "spot.cup": "hand"} if held else {"hand": "empty"})


def test_several_lifted_objects_are_not_reported_as_held():
    two = {name: Placed(1, Point(1.0, 0.0, 1.2)) for name in ("cup", "ball")}
    hand = HeldObjectTracker()
    hand.record_initial_object(Environment(0.0, two, HERE, TABLE), None)
    assert hand.thing is None


@pytest.mark.parametrize(
    ("at", "held"),
    [
        (Point(1.0, 0.0, 0.86), "cup"),  # in the room's frame
        (Point(0.5, 0.0, 0.86), "cup"),  # in that of the robot
        (Point(0.8, 0.0, 1.1), None),
    ],
)
def test_object_at_the_hand_is_taken_as_held_initially(at: Point, held: str | None):
    hand = HeldObjectTracker()
    now = replace(world(0.85), reported_tables=TABLE)  # low over the table
    hand.record_initial_object(now, at)
    assert hand.held_object(now) == held


@pytest.mark.parametrize(("x", "where"), [(1.0, "table_0"), (9.0, "none")])
def test_observation_reports_the_table_within_reach(x, where):
    now = Environment(0.0, {}, Pose(x, 0.0, 0.0), TABLE)
    assert TableObservation(0.0, now).facts()["at.table"] == where
