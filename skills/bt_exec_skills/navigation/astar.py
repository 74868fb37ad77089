"""A* on a grid, in slices: a search never blocks a tick.

Steps go to the eight neighbours; a diagonal one needs both cells beside it free, so that no corner
is cut. The way's cost is its length in cells times the mean weight of the cells at its two ends;
weights are 1 or more, so the octile distance never overestimates and the way found is a cheapest.
Method: Hart, Nilsson, Raphael (1968), A formal basis for the heuristic determination of minimum
cost paths.
"""

from __future__ import annotations

import heapq
import math

import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.grid import Cell

__all__ = ["Search"]

_STEPS = tuple((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b)
_SQRT2 = math.sqrt(2.0)


class Search:
    """A search for the cheapest way between two cells.

    Args:
        free: Which cells may be entered, bool of shape (rows, columns).
        start: First cell of the way; need not be free, for one has to begin where one is.
        goal: Last cell of the way; must be free to be found.
        weight: Cost of each cell, 1 or more; None for 1 everywhere.

    Attributes:
        done: Whether the search has ended.
        way: The cells from start to goal; None if there is no way, or none yet.
        opened: How many cells were looked at.
    """

    def __init__(
        self,
        free: npt.NDArray[np.bool_],
        start: Cell,
        goal: Cell,
        weight: npt.NDArray[np.float32] | None = None,
    ) -> None:
        self._columns: int = free.shape[1] + 2  # a rim of cells that cannot be entered
        self._free: list[bool] = np.pad(free, 1).ravel().tolist()
        weights = np.ones(free.shape, np.float32) if weight is None else weight
        self._weight: list[float] = np.pad(weights, 1, constant_values=1).ravel().tolist()
        self._start, self._goal = self._index(start), self._index(goal)
        self._cost = {self._start: 0.0}
        self._from: dict[int, int] = {}
        self._closed: set[int] = set()
        self._open = [(self._guess(self._start), self._start)]
        self.done = not self._free[self._goal]
        self.way: list[Cell] | None = None
        self.opened = 0

    def advance(self, count: int) -> bool:
        """Look at up to `count` more cells; return whether the search has ended."""
        goal, free, weight = self._goal, self._free, self._weight
        cost, closed, columns = self._cost, self._closed, self._columns
        steps = tuple((a * columns + b, a * columns, b, _length(a, b)) for a, b in _STEPS)
        for _ in range(count):
            if self.done or not self._open:
                self.done = True
                return True
            _, here = heapq.heappop(self._open)
            if here in closed:
                continue
            closed.add(here)
            self.opened += 1
            if here == goal:
                self.way, self.done = self._walked(), True
                return True
            base, mine = cost[here], weight[here]
            for step, down, aside, length in steps:
                there = here + step
                if not free[there] or there in closed:
                    continue
                if down and aside and not (free[here + down] and free[here + aside]):
                    continue
                total = base + length * (mine + weight[there]) / 2
                if total < cost.get(there, math.inf):
                    cost[there] = total
                    self._from[there] = here
                    heapq.heappush(self._open, (total + self._guess(there), there))
        return self.done

    def _guess(self, index: int) -> float:
        """Return the octile distance to the goal [cells]."""
        a: int = abs(index // self._columns - self._goal // self._columns)
        b: int = abs(index % self._columns - self._goal % self._columns)
        return a + b + (_SQRT2 - 2) * min(a, b)

    def _index(self, cell: Cell) -> int:
        return (cell[0] + 1) * self._columns + cell[1] + 1

    def _walked(self) -> list[Cell]:
        index, way = self._goal, [self._goal]
        while index != self._start:
            index = self._from[index]
            way.append(index)
        return [(i // self._columns - 1, i % self._columns - 1) for i in reversed(way)]


def _length(a: int, b: int) -> float:
    return _SQRT2 if a and b else 1.0
