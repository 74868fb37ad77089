"""Places on tables: inferred tables, free space, and missions that use them."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.events import SkillEnded
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop import tables
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.goals.compiler import subgoals_for
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.placement_search import free_point_on, part_centre, placement_for
from bt_exec_skills.tabletop.protocol.client import parse_environment
from bt_exec_skills.tabletop.tables import Table, infer_tables
from tests.cases import examples

TOP = Table(0.0, 1.0, 0.6, 0.3, 0.5)


def world(told=True, **objects):
    placed = {
        f"object_{name}": Placed(number, Point(*at))
        for number, (name, at) in enumerate(objects.items())
    }
    tables = {"table_0": TOP} if told else {}
    return Environment(0.0, placed, Pose(0.0, 0.0, math.pi / 2), tables)


def test_held_object_is_in_no_container():
    now = world(red_0=(0.0, 1.0, 0.7), bowl_0=(0.0, 1.0, 0.5))
    assert now.is_in_place("object_red_0", "object_bowl_0")
    held = replace(now, held="object_red_0")
    assert not held.is_in_place("object_red_0", "object_bowl_0")
    assert held.container_of("object_red_0") is None


def test_tables_are_inferred_from_objects():
    found = infer_tables([(0, 0, 0.5), (0.8, 0, 0.52), (3, 0, 0.5), (0.4, 0, 0.02), (0, 0, 1.0)])
    assert list(found) == ["table_0", "table_1", "table_2"]
    assert found["table_0"] == pytest.approx((0.4, 0.0, 0.45, 0.05, 0.5))


def test_object_between_two_groups_joins_them_to_one_table():
    assert len(infer_tables([(0, 0, 0.5), (1.8, 0, 0.5), (0.9, 0, 0.5)])) == 1


def shared(one, other):
    return math.dist(one[:2], other[:2]) <= 1.0 and abs(one[2] - other[2]) <= 0.12


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.sampled_from((0.5, 0.55, 0.63, 1.0))),
        max_size=30,
    )
)
def test_tables_are_the_groups_of_objects_that_are_near_each_other(places):
    groups = []
    for place in places:
        near = [group for group in groups if any(shared(place, other) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([place, *(other for group in near for other in group)])
    found = infer_tables(places)
    assert len(found) == len(groups)
    for group in groups:
        xs, ys, zs = zip(*group, strict=True)
        bounds = (min(xs) - 0.05, min(ys) - 0.05, max(xs) + 0.05, max(ys) + 0.05, min(zs))
        tops = [(*table.bounds, table.height) for table in found.values()]
        assert any(top == pytest.approx(bounds) for top in tops)


def test_inferring_tables_takes_linear_time(monkeypatch):
    def effort(count):
        compared = []
        monkeypatch.setattr(
            tables, "_are_on_one_table", lambda *pair: compared.append(pair) or shared(*pair)
        )
        rng = random.Random(count)
        places = [
            (3 * rng.randrange(count // 50) + rng.random(), rng.random(), 0.5) for _ in range(count)
        ]
        assert len(infer_tables(places)) == count // 50
        return len(compared)

    assert effort(4000) < 15 * effort(400)


def test_place_of_an_object_is_a_table_a_container_or_none():
    now = world(
        cup_0=(0.3, 1, 0.53), apple_0=(-0.3, 1, 0.53), red_bowl_0=(-0.3, 1, 0.5), pen_0=(0, 0, 0.02)
    )
    assert now.place_of("object_cup_0") == "table_0"
    assert now.place_of("object_apple_0") == "object_red_bowl_0"
    assert now.table_of("object_apple_0") == "table_0"
    assert not now.is_in_place("object_apple_0", "table_0")
    assert now.place_of("object_pen_0") is None


def test_free_space_excludes_objects_and_the_edge():
    now = world(cup_0=(0.0, 1.0, 0.53), red_bowl_0=(0.3, 1.0, 0.5))
    spot = free_point_on(now, "table_0", (0.0, 1.0))
    assert spot is not None
    assert math.hypot(spot.x, spot.y - 1) >= 0.14
    assert math.hypot(spot.x - 0.3, spot.y - 1) >= 0.25
    assert TOP.contains_point(spot.x, spot.y, 0.09)
    assert free_point_on(now, "table_0", (0.0, 1.0), ["object_cup_0"])[:2] == (-0.0, 1.0)[:2]


def test_full_table_has_no_free_space():
    crowd = {
        f"cup_{i}_{k}": (i / 10 - 0.6, 0.7 + k / 10, 0.53) for i in range(13) for k in range(7)
    }
    assert free_point_on(world(**crowd), "table_0", (0.0, 1.0)) is None


@pytest.mark.parametrize(("part", "sign"), [("left", -1), ("middle", 0), ("right", 1)])
def test_left_and_right_of_a_table_are_seen_from_the_robot(part, sign):
    x, y = part_centre(world(), "table_0", part)
    assert x == pytest.approx(0.3 * sign)
    assert y == pytest.approx(1.0)


def test_object_is_not_placed_beside_another_off_the_table():
    now = world(cup_0=(0.3, 1.0, 0.53), red_bowl_0=(-0.45, 1.0, 0.5))
    assert placement_for(now, "object_cup_0", "object_red_bowl_0", "left_of") is None
    spot = placement_for(now, "object_cup_0", "object_red_bowl_0", "next_to")
    assert TOP.contains_point(spot.x, spot.y)


def test_fallen_object_cannot_be_swapped():
    now = world(cup_0=(0.3, 1, 0.53), apple_0=(0, 0, 0.02))
    with pytest.raises(Trouble) as caught:
        subgoals_for("swap the cup and the apple", now)
    assert caught.value.code == "NOT_ON_TABLE"


@pytest.mark.parametrize(
    "tables",
    [None, [], {"table_9": None}, {"table_9": {"pos": [0, 0], "size": [1, 1]}}]
    + [{"table_9": {"pos": [0, 0, 1], "size": size}} for size in ([1], "11", [0, 1], [1, "2"])]
    + [{"no name!": {"pos": [0, 0, 1], "size": [1, 1]}}],
)
def test_invalid_table_entries_are_ignored(tables):
    found = parse_environment({"objects": {}, "tables": tables}, None)
    assert found.tables == {}


def test_tables_are_reported_over_the_protocol():
    told = {"table_9": {"pos": [1, 2, 0.6], "size": [1.2, 0.6]}}
    found = parse_environment({"objects": {}, "tables": told}, None)
    assert found.tables == {"table_9": Table(1, 2, 0.6, 0.3, 0.6)}


def place(world, name):
    return tuple(world.data.body(name).xpos)


def stands_on(world, name, number):
    (x, y, z), top = place(world, name), world.layout.tables[number]
    flat = abs(x - top.x) <= top.half_x and abs(y - top.y) <= top.half_y
    return flat and -0.01 < z - top.height < 0.12


class Before:
    """Listener that keeps the initial positions."""

    def __init__(self):
        self.world, self.places = None, {}

    def on(self, event):
        if not self.places:
            self.places = {name: place(self.world, name) for name in self.world.items}


@pytest.mark.slow
def test_two_cups_are_swapped(run_table):
    before = Before()
    outcome, world, ears = run_table(
        "swap the cups", seed=5, by="mixed", objects=4, listeners=[before]
    )
    assert outcome.status == "satisfied", outcome.message
    one, other = [name for name in world.items if "cup" in name]
    assert math.dist(place(world, one), before.places[other]) < 0.12
    assert math.dist(place(world, other), before.places[one]) < 0.12
    assert [skill for skill, _ in ears.actions].count("pick_object") == 3


def test_interrupted_swap_is_not_reported_as_done(run_table):
    class Stop:
        world = None

        def on(self, event):
            if isinstance(event, SkillEnded) and event.skill == "pick_object":
                for name in [name for name in self.world.items if "red_cup" in name]:
                    self.world.remove_item(name)

    outcome, _, _ = run_table("swap the cups", seed=5, by="mixed", objects=4, listeners=[Stop()])
    assert outcome.status == "blocked"
    assert "(remaining: green cup 0, red cup 0)" in outcome.message


def test_objects_are_moved_to_another_table(run_table):
    outcome, world, _ = run_table("사과를 table_1에 놔줘", seed=23, by="mixed", objects=4)
    assert outcome.status == "satisfied", outcome.message
    assert stands_on(world, "object_apple_0", 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_table_is_cleared_onto_another(seed, run_table):
    command = "move everything on table_0 to table_1"
    outcome, world, _ = run_table(command, seed=seed, by="colour", objects=6)
    assert outcome.status == "satisfied", outcome.message
    things = [name for name in world.items if "bowl" not in name]
    assert not any(stands_on(world, name, 0) for name in things)
