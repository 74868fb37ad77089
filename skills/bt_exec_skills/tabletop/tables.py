"""Table tops, as reported by a simulator or inferred from the objects on them.

Positions are in the frame of the room: x east, y north, z up [m]. A top is a rectangle along x and
y.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple, TypeAlias

__all__ = ["Table", "infer_tables"]

_STANDS_M = 0.15  # maximum height of the centre of an object above the table top
_SINKS_M = 0.03
_ABOVE_M = 0.4
_FLOOR_M = 0.12
_ONE_TABLE_M, _ONE_LEVEL_M = 1.0, 0.12
_CELL_M = 0.7  # all objects in a cell share a table: its diagonal is less than `_ONE_TABLE_M`
_ROUND_M = 0.05  # margin of an inferred top around the centres of its objects

Place: TypeAlias = tuple[float, float, float]
Cell: TypeAlias = tuple[int, int, int]


class Table(NamedTuple):
    """Top of a table: centre [m], half sizes [m], height [m]."""

    x: float
    y: float
    half_x: float
    half_y: float
    height: float

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, bottom, right and top edge, seen from above [m]."""
        x, y, half_x, half_y, _ = self
        return x - half_x, y - half_y, x + half_x, y + half_y

    def contains_point(self, x: float, y: float, rim: float = 0.0) -> bool:
        """Return True if a point, seen from above, is on the top, at least `rim` [m] inside."""
        return abs(x - self.x) <= self.half_x - rim and abs(y - self.y) <= self.half_y - rim

    def distance_to(self, x: float, y: float) -> float:
        """Return the distance of a point, seen from above, from the top [m]."""
        outside = abs(x - self.x) - self.half_x, abs(y - self.y) - self.half_y
        return math.hypot(*(max(one, 0.0) for one in outside))

    def carries(self, x: float, y: float, z: float) -> bool:
        """Return True if an object with this centre is on the top, or in a container on the top."""
        return self.contains_point(x, y) and -_SINKS_M <= z - self.height <= _ABOVE_M

    def carries_directly(self, x: float, y: float, z: float) -> bool:
        """Return True if an object with this centre is on the top itself."""
        return self.contains_point(x, y) and -_SINKS_M <= z - self.height <= _STANDS_M


def infer_tables(places: Iterable[Place]) -> Mapping[str, Table]:
    """Return the tables inferred from object positions, numbered in the order of the objects.

    Objects at the same height within a metre of each other share a table. The inferred top extends
    only as far as its objects. Objects in one grid cell share a table and only neighbouring cells
    are compared, so that crowded tables do not make the search slow.
    """
    standing = [place for place in places if place[2] >= _FLOOR_M]
    cells: dict[Cell, list[Place]] = {}
    for x, y, z in standing:
        cell = math.floor(x / _CELL_M), math.floor(y / _CELL_M), math.floor(z / _ONE_LEVEL_M)
        cells.setdefault(cell, []).append((x, y, z))
    groups: list[list[Place]] = []
    left = set(cells)
    for cell in cells:  # in the order of their first objects
        if cell not in left:
            continue
        left.remove(cell)
        reached = [cell]
        for one in reached:
            near = [other for other in _cells_of_same_table(one) if other in left]
            for other in near:
                if any(_are_on_one_table(a, b) for a in cells[one] for b in cells[other]):
                    left.remove(other)
                    reached.append(other)
        groups.append([place for one in reached for place in cells[one]])
    return {f"table_{number}": _table_around(group) for number, group in enumerate(groups)}


def _cells_of_same_table(cell: Cell) -> Iterator[Cell]:
    """Yield the cells whose objects may share a table with the objects of `cell`."""
    x, y, z = cell
    for a, b, c in product(range(-2, 3), range(-2, 3), range(-1, 2)):
        if a or b or c:
            yield x + a, y + b, z + c


def _are_on_one_table(one: Place, other: Place) -> bool:
    flat = math.hypot(one[0] - other[0], one[1] - other[1])
    return flat <= _ONE_TABLE_M and abs(one[2] - other[2]) <= _ONE_LEVEL_M


def _table_around(group: list[Place]) -> Table:
    xs, ys, zs = zip(*group, strict=True)
    half_x, half_y = (max(xs) - min(xs)) / 2, (max(ys) - min(ys)) / 2
    return Table(min(xs) + half_x, min(ys) + half_y, half_x + _ROUND_M, half_y + _ROUND_M, min(zs))
