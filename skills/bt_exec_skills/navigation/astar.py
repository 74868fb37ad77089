"""A* search on a grid, executed in slices, so that it never blocks a tick.

Steps lead to the eight neighbours; a diagonal step requires both adjacent cells to be free, so that
no corner is cut. The cost of a step is its length in cells times the mean weight of its two cells.
Weights are 1 or more, so the octile distance never overestimates and the path is optimal. Method:
Hart, Nilsson, Raphael (1968), A formal basis for the heuristic determination of minimum cost paths.
"""

from __future__ import annotations

import heapq
import math
from functools import lru_cache
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.occupancy_grid import Cell

__all__ = ["Search"]

_STEPS = tuple((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b)
_SQRT2 = math.sqrt(2.0)

_Mask: TypeAlias = npt.NDArray[np.bool_]
_Steps: TypeAlias = tuple[tuple[int, float], ...]


class Search:
    """A* search for the cheapest path between two cells.

    Args:
        free: Free cells, bool of shape (rows, columns).
        start: First cell of the path; need not be free, since the robot may be in an occupied cell.
        goal: Last cell of the path. There is no path to an occupied cell.
        weight: Weight of each cell, 1 or more; None for 1 everywhere.

    Attributes:
        done: Whether the search has ended.
        way: The cells from start to goal; None without a path, and during the search.
        opened: Number of expanded cells.
    """

    def __init__(
        self,
        free: npt.NDArray[np.bool_],
        start: Cell,
        goal: Cell,
        weight: npt.NDArray[np.float32] | None = None,
    ) -> None:
        free = np.pad(free, 1)  # a border of blocked cells
        self._columns: int = free.shape[1]
        weights = np.ones(free.shape) if weight is None else np.pad(weight, 1, constant_values=1)
        self._half: list[float] = (weights.astype(np.float64) / 2).ravel().tolist()
        self._start, self._goal = self._index(start), self._index(goal)
        self._steps = _possible_steps(free)
        self._guess: list[float] = _octile_distances(free.shape, *divmod(self._goal, self._columns))
        self._cost = [math.inf] * free.size  # negative once a cell is closed
        self._cost[self._start] = 0.0
        self._from: dict[int, int] = {}
        self._open = [(self._guess[self._start], self._start)]
        self.done = not _are_connected(free, self._start, self._goal)
        self.way: list[Cell] | None = None
        self.opened = 0

    def advance(self, count: int) -> bool:
        """Expand up to `count` further cells; return True if the search has ended."""
        goal, half, guess, cost = self._goal, self._half, self._guess, self._cost
        known, steps = _step_lengths(self._columns), self._steps
        for _ in range(count):
            if self.done or not self._open:
                self.done = True
                return True
            _, here = heapq.heappop(self._open)
            base, mine = cost[here], half[here]
            if base < 0:
                continue
            cost[here] = -1.0
            self.opened += 1
            if here == goal:
                self.way, self.done = self._found_path(), True
                return True
            for step, length in known[steps[here]]:
                there = here + step
                total = base + length * (mine + half[there])
                if total < cost[there]:
                    cost[there] = total
                    self._from[there] = here
                    heapq.heappush(self._open, (total + guess[there], there))
        return self.done

    def _index(self, cell: Cell) -> int:
        return (cell[0] + 1) * self._columns + cell[1] + 1

    def _found_path(self) -> list[Cell]:
        index, way = self._goal, [self._goal]
        while index != self._start:
            index = self._from[index]
            way.append(index)
        return [(i // self._columns - 1, i % self._columns - 1) for i in reversed(way)]


def _are_connected(free: _Mask, start: int, goal: int) -> bool:
    """Return True if two cells are in one connected component; otherwise there is no path.

    Connectivity by four neighbours is sufficient, because a diagonal step requires that two
    straight steps are possible, too.
    """
    if not free.flat[goal]:
        return False
    cells = free.astype(np.uint8)
    cells.flat[start] = 1  # the start cell may be occupied
    _, pieces = cv2.connectedComponents(cells, connectivity=4)
    return bool(pieces.flat[start] == pieces.flat[goal])


def _possible_steps(free: _Mask) -> bytes:
    """Return for each cell a byte with one bit for each of `_STEPS` that is possible."""
    found = np.zeros(free.shape, np.uint8)
    inner = found[1:-1, 1:-1]
    for bit, (a, b) in enumerate(_STEPS):
        allowed = _neighbours_free(free, a, b)
        if a and b:
            allowed = allowed & _neighbours_free(free, a, 0) & _neighbours_free(free, 0, b)
        inner |= allowed.astype(np.uint8) << bit
    return found.tobytes()


def _neighbours_free(free: _Mask, a: int, b: int) -> _Mask:
    """Return for each inner cell whether its neighbour at (`a`, `b`) rows and columns is free."""
    rows, columns = free.shape
    return free[1 + a : rows - 1 + a, 1 + b : columns - 1 + b]


@lru_cache(maxsize=8)
def _step_lengths(columns: int) -> tuple[_Steps, ...]:
    """Return the offsets and lengths [cells] of the steps for each byte of `_possible_steps`."""
    every = [(a * columns + b, _SQRT2 if a and b else 1.0) for a, b in _STEPS]
    return tuple(
        tuple(step for bit, step in enumerate(every) if bits >> bit & 1) for bits in range(256)
    )


def _octile_distances(shape: tuple[int, ...], row: int, column: int) -> list[float]:
    """Return the octile distance of every cell to the cell (`row`, `column`) [cells]."""
    a = np.abs(np.arange(shape[0]) - row)[:, None]
    b = np.abs(np.arange(shape[1]) - column)[None, :]
    found: list[float] = (a + b + (_SQRT2 - 2) * np.minimum(a, b)).ravel().tolist()
    return found
