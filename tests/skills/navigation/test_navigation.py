"""Maps, new obstacles, steering and routes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec_skills.navigation.global_planner import Planner, Route
from bt_exec_skills.navigation.local_planner import Limits, Steering
from bt_exec_skills.navigation.occupancy_grid import Grid, Obstacles, Slab, hit_points
from bt_exec_skills.navigation.plane_geometry import Pose, turn_between
from tests.cases import examples

ROOM = [Slab(0, -3, 4, 0.1), Slab(0, 3, 4, 0.1), Slab(-4, 0, 0.1, 3), Slab(4, 0, 0.1, 3)]


def readings(pose, walls=3.0, count=120):
    return np.full(count, walls)


def test_slab_occupies_the_cells_that_it_covers():
    grid = Grid.of_slabs([*ROOM, Slab(1, 0, 0.5, 0.2, math.pi / 2)])
    assert grid.solid[grid.cell_at(1.0, 0.45)]
    assert not grid.solid[grid.cell_at(1.45, 0.0)]
    assert grid.clearance[grid.cell_at(-1.5, 0.0)] == pytest.approx(2.2, abs=0.25)


@given(st.floats(-3.9, 3.9), st.floats(-2.9, 2.9))
@settings(max_examples=examples(40))
def test_conversions_between_cells_and_points_agree(x, y):
    grid = Grid.of_slabs(ROOM)
    back = grid.cell_centre(grid.cell_at(x, y))
    assert math.dist(back, (x, y)) <= 0.0708
    assert tuple(grid.cells_at(np.array([[x, y]]))[0]) == grid.cell_at(x, y)


def test_hit_points_are_at_the_ends_of_beams_within_range():
    points = hit_points(Pose(1, 2, math.pi / 2), np.array([1.0, 9.0, 2.0, 9.0]), 5.0)
    assert points == pytest.approx(np.array([[1.0, 3.0], [1.0, 0.0]]))


def test_obstacle_needs_several_hits_and_is_cleared_by_free_beams():
    grid = Grid.of_slabs(ROOM)
    layer = Obstacles(grid)
    pose, ranges = Pose(0, 0, 0), np.full(120, 9.0)
    ranges[[119, 0, 1]] = 1.0
    for _ in range(3):
        layer.add_reading(pose, ranges)
    assert not layer.has_obstacles
    layer.add_reading(pose, ranges)
    assert layer.has_obstacles
    assert layer.clearance()[grid.cell_at(1.0, 0.0)] < 0.15
    for _ in range(2):
        layer.add_reading(pose, np.full(120, 2.5))
    assert not layer.has_obstacles


def test_mapped_walls_are_not_obstacles():
    layer = Obstacles(Grid.of_slabs(ROOM))
    ranges = np.full(120, 9.0)
    ranges[0] = 3.9
    for _ in range(6):
        layer.add_reading(Pose(0, 0, 0), ranges)
    assert not layer.has_obstacles


def test_near_obstacle_is_added_at_once_and_cleared_later():
    layer = Obstacles(Grid.of_slabs(ROOM))
    ranges = np.full(120, 9.0)
    ranges[0] = 0.8
    layer.accept_all_hits(Pose(0, 0, 0), ranges, 1.2)
    assert layer.has_obstacles
    layer.clear_rarely_seen()
    assert not layer.has_obstacles


def test_obstacles_beyond_the_accepted_range_are_kept():
    grid = Grid.of_slabs(ROOM)
    layer = Obstacles(grid)
    ranges = np.full(120, 9.0)
    ranges[0] = 2.0
    for _ in range(4):
        layer.add_reading(Pose(0, 0, 0), ranges)
    ranges[60] = 0.8
    layer.accept_all_hits(Pose(0, 0, 0), ranges, 1.2)
    clearance = layer.clearance()
    assert clearance[grid.cell_at(2.0, 0.0)] < 0.15
    assert clearance[grid.cell_at(-0.8, 0.0)] < 0.15


def plan(planner, start, goal):
    steps = planner.plan_route(start, goal)
    try:
        while True:
            next(steps)
    except StopIteration as stop:
        return stop.value


def test_route_avoids_new_obstacles():
    grid = Grid.of_slabs(ROOM)
    planner = Planner(grid, Obstacles(grid), 0.24)
    start, goal = Pose(-3, 0), Pose(3, 0)
    straight = plan(planner, start, goal)
    assert straight.left_m == pytest.approx(6.0, abs=0.2)
    assert not planner.blocked_ahead(straight, 9.0)
    ranges = np.full(120, 9.0)
    ranges[[118, 119, 0, 1, 2]] = 2.0
    for _ in range(4):
        planner.obstacles.add_reading(Pose(-2, 0, 0), ranges)
    assert planner.blocked_ahead(straight, 9.0)
    assert not planner.blocked_ahead(straight, 1.0)
    around = plan(planner, start, goal)
    assert around.left_m > straight.left_m
    assert not planner.blocked_ahead(around, 9.0)


def test_occupied_goal_is_replaced_by_a_point_beside_it():
    grid = Grid.of_slabs([*ROOM, Slab(3, 0, 0.1, 0.1)])
    planner = Planner(grid, Obstacles(grid), 0.24)
    route = plan(planner, Pose(-3, 0), Pose(3, 0))
    assert 0.1 < math.dist(route.goal, (3, 0)) < 0.8
    assert plan(planner, Pose(-3, 0), Pose(9, 0)) is None


def test_route_has_its_remaining_length_and_points_ahead():
    route = Route(np.array([[x, 0.0] for x in np.arange(0, 3.01, 0.1)]))
    route.drop_passed_points(Pose(1.02, 0.1))
    assert route.left_m == pytest.approx(2.0)
    assert route.point_ahead(0.5) == pytest.approx((1.5, 0.0))
    assert route.point_ahead(9.0) == pytest.approx((3.0, 0.0))
    assert route.points_ahead(0.55)[-1, 0] == pytest.approx(1.5)


@given(st.floats(-math.pi, math.pi), st.floats(0.35, 2.0))
@settings(max_examples=examples(60))
def test_chosen_velocity_never_collides(bearing, distance):
    limits = Limits()
    x, y = distance * math.cos(bearing), distance * math.sin(bearing)
    speed, turn = Steering(limits).choose_command(Pose(0, 0, 0), (1.0, 0.0), np.array([[x, y]]))
    yaw = px = py = 0.0
    for _ in range(140):
        yaw += turn * 0.01
        px, py = px + speed * math.cos(yaw) * 0.01, py + speed * math.sin(yaw) * 0.01
        assert math.dist((px, py), (x, y)) > limits.radius


def test_steering_turns_first_and_backs_off_from_near_obstacles():
    steering = Steering(Limits())
    none = np.zeros((0, 2))
    assert steering.choose_command(Pose(0, 0, 0), (2.0, 0.0), none)[0] == pytest.approx(0.9)
    speed, turn = steering.choose_command(Pose(0, 0, 0), (-2.0, 0.1), none)
    assert (speed, turn) == (0.0, 2.0)
    back, _ = steering.retreat_command(Pose(0, 0, 0), np.array([[0.3, 0.0]]))
    assert back < 0


@given(st.floats(-20, 20), st.floats(-20, 20))
def test_robot_turns_in_the_shorter_direction(start, end):
    turn = turn_between(start, end)
    assert abs(turn) <= math.pi + 1e-9
    assert math.cos(start + turn) == pytest.approx(math.cos(end), abs=1e-6)
