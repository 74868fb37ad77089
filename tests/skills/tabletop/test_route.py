"""Order of moves with the shortest path."""

import math
import random
import sys
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.goals.compiler import subgoals_for
from bt_exec_skills.tabletop.goals.model import Move
from bt_exec_skills.tabletop.goals.move_order import path_length, shortest_order
from tests.cases import examples

TABLES = [(x, y) for x in (-3.0, 0.0, 3.0) for y in (2.0, 5.0)]


def scattered(seed, count, colours=("red", "blue", "green")):
    """Return a world with a bowl of each colour and objects on six tables."""
    rng = random.Random(seed)
    places = {
        f"object_{colour}_bowl_0": (*place, 0.5)
        for colour, place in zip(colours, rng.sample(TABLES, len(colours)), strict=True)
    }
    for number in range(count):
        x, y = rng.choice(TABLES)
        at = (x + rng.uniform(-0.4, 0.4), y + rng.uniform(-0.4, 0.4), 0.52)
        places[f"object_{colours[number % len(colours)]}_{number}"] = at
    placed = {name: Placed(n, Point(*at)) for n, (name, at) in enumerate(places.items())}
    return Environment(0.0, placed, Pose(0.0, 0.0, 0.0))


def sorting(now):
    """Return the moves that sort the objects of a world, group by group."""
    names = [name for name in now.objects if "bowl" not in name]
    moves = [Move(name, f"object_{name.split('_')[1]}_bowl_0") for name in names]
    return tuple(sorted(moves, key=lambda move: move.target))


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 25))
def test_reordering_keeps_the_moves_and_does_not_lengthen_the_path(seed, count):
    now = scattered(seed, count)
    moves = sorting(now)
    found = shortest_order(moves, now)
    assert sorted(found, key=str) == sorted(moves, key=str)
    assert path_length(found, now) <= path_length(moves, now) + 1e-9
    assert found == shortest_order(moves, now)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 10**6))
def test_computed_order_is_close_to_the_optimal_order(seed):
    now = scattered(seed, 6)
    moves = sorting(now)
    best = min(path_length(order, now) for order in permutations(moves))
    assert path_length(shortest_order(moves, now), now) <= 1.3 * best


def test_separate_tours_are_joined_into_one():
    near = {"object_red_bowl_0": (0, 2, 0.5), "object_blue_bowl_0": (20, 2, 0.5)}
    near |= {f"object_red_{n}": (0.2 * n, 2.3, 0.52) for n in range(4)}
    near |= {f"object_blue_{n}": (20 + 0.2 * n, 2.3, 0.52) for n in range(4)}
    placed = {name: Placed(n, Point(*at)) for n, (name, at) in enumerate(near.items())}
    now = Environment(0.0, placed, Pose(0.0, 0.0, 0.0))
    found = shortest_order(sorting(now), now)
    assert [move.target.split("_")[1] for move in found] == ["red"] * 4 + ["blue"] * 4


def test_held_object_is_placed_first():
    now = scattered(1, 12)
    held = "object_blue_10"
    holding = Environment(0.0, now.objects, now.base, held=held)
    assert shortest_order(sorting(now), holding)[0].thing == held


def test_moves_of_an_object_that_moves_twice_keep_their_order():
    now = scattered(1, 4)
    one, other = (
        name for name in now.objects if name.endswith(("_0", "_1")) and "bowl" not in name
    )
    swap = (Move(one, "object_red_bowl_0"), Move(other, "object_blue_bowl_0"), Move(one, "table_0"))
    assert shortest_order(swap, now) == swap


def test_order_is_greedy_without_the_routing_library(monkeypatch):
    now = scattered(3, 25)
    moves = sorting(now)
    monkeypatch.setitem(sys.modules, "networkx", None)
    greedy = shortest_order(moves, now)
    monkeypatch.undo()
    assert sorted(greedy, key=str) == sorted(moves, key=str)
    assert path_length(shortest_order(moves, now), now) <= path_length(greedy, now)


@pytest.mark.parametrize("count", [24, 600])
def test_groups_of_many_objects_are_interleaved_for_a_shorter_path(count):
    now = scattered(count, count)
    (goal,) = subgoals_for("sort by colour", now)
    assert {move.thing for move in goal.moves} == {move.thing for move in sorting(now)}
    assert all(move.thing.split("_")[1] == move.target.split("_")[1] for move in goal.moves)
    (remark,) = goal.remarks
    assert remark.code == "SHORTER_WAY"
    shorter = 1 - path_length(goal.moves, now) / path_length(sorting(now), now)
    assert shorter > 0.15
    assert int(remark.facts["share"]) == pytest.approx(100 * shorter, abs=3)
    assert int(remark.facts["way"]) == round(path_length(goal.moves, now))


def test_few_objects_are_sorted_group_by_group():
    now = scattered(5, 12)
    goals = subgoals_for("sort by colour", now)
    assert len(goals) == 3
    assert all(len({move.target for move in goal.moves}) == 1 for goal in goals)


def test_path_length_is_the_sum_of_empty_and_loaded_paths():
    now = Environment(
        0.0,
        {
            "object_red_bowl_0": Placed(0, Point(0, 3, 0.5)),
            "object_red_0": Placed(1, Point(4, 0, 0.5)),
        },
        Pose(0.0, 0.0, 0.0),
    )
    moves = [Move("object_red_0", "object_red_bowl_0")]
    assert path_length(moves, now) == pytest.approx(4 + math.hypot(4, 3))
