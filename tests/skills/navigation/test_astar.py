"""A* search: paths are valid and optimal, and found whenever they exist."""

from __future__ import annotations

import heapq
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec_skills.navigation.astar import Search
from tests.cases import some

SIDE = 7


def find_way(free, start, goal, weight=None):
    search = Search(free, start, goal, weight)
    while not search.advance(10_000):
        pass
    return search.way


def way_cost(way, weight):
    return sum(
        math.dist(a, b) * float(weight[a] + weight[b]) / 2 for a, b in itertools.pairwise(way)
    )


@st.composite
def mazes(draw):
    cells = draw(
        st.lists(
            st.sampled_from([True, True, True, False]), min_size=SIDE * SIDE, max_size=SIDE * SIDE
        )
    )
    free = np.array(cells).reshape(SIDE, SIDE)
    spot = st.tuples(st.integers(0, SIDE - 1), st.integers(0, SIDE - 1))
    start, goal = draw(spot), draw(spot)
    free[start] = True
    weights = draw(st.lists(st.integers(1, 4), min_size=SIDE * SIDE, max_size=SIDE * SIDE))
    return free, start, goal, np.array(weights, np.float32).reshape(SIDE, SIDE)


def steps_from(free, cell):
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            row, column = cell[0] + a, cell[1] + b
            if not (a or b) or not (0 <= row < SIDE and 0 <= column < SIDE):
                continue
            if not free[row, column]:
                continue
            if a and b and not (free[cell[0] + a, cell[1]] and free[cell[0], cell[1] + b]):
                continue
            yield (row, column), math.hypot(a, b)


def dijkstra(free, start, goal, weight):
    costs, queue = {start: 0.0}, [(0.0, start)]
    while queue:
        cost, here = heapq.heappop(queue)
        if here == goal:
            return cost
        if cost > costs[here]:
            continue
        for there, length in steps_from(free, here):
            total = cost + length * float(weight[here] + weight[there]) / 2
            if total < costs.get(there, math.inf):
                costs[there] = total
                heapq.heappush(queue, (total, there))
    return None


@pytest.mark.slow
def test_path_is_optimal_and_found_if_one_exists():
    ways = []

    @given(mazes())
    @settings(max_examples=150)
    def search(maze):
        free, start, goal, weight = maze
        best = dijkstra(free, start, goal, weight) if free[goal] else None
        way = find_way(free, start, goal, weight)
        assert (way is None) == (best is None)
        if way is not None:
            ways.append(way)
            assert way[0] == start
            assert way[-1] == goal
            pairs = itertools.pairwise(way)
            assert all(after in dict(steps_from(free, here)) for here, after in pairs)
            assert way_cost(way, weight) == pytest.approx(best)

    search()
    some((way for way in ways if len(way) > 2), least=10)


@given(mazes(), st.integers(1, 9))
@settings(max_examples=40)
def test_search_in_time_slices_gives_the_same_path(maze, slice_size):
    free, start, goal, weight = maze
    search = Search(free, start, goal, weight)
    while not search.advance(slice_size):
        pass
    assert search.way == find_way(free, start, goal, weight)


def test_path_does_not_cut_corners():
    free = np.array([[True, False], [True, True]])
    assert find_way(free, (0, 0), (1, 1)) == [(0, 0), (1, 0), (1, 1)]
    assert find_way(np.array([[True, False], [False, True]]), (0, 0), (1, 1)) is None


def test_path_leaves_an_occupied_start():
    free = np.array([[False, True, True]])
    assert find_way(free, (0, 0), (0, 2)) == [(0, 0), (0, 1), (0, 2)]
