"""Table tops, as reported by a simulator or inferred from the objects on them.

Frame: the room's, x east, y north, z up [m]; a top is a rectangle along x and y.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

__all__ = ["Table", "tables_under"]

_STANDS_M = 0.15  # height of the centre of an object above its top
_SINKS_M = 0.03
_ABOVE_M = 0.4
_FLOOR_M = 0.12
_ONE_TABLE_M, _ONE_LEVEL_M = 1.0, 0.12
_ROUND_M = 0.05  # margin of a top around the centres of its objects


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

    def under(self, x: float, y: float, rim: float = 0.0) -> bool:
        """Whether a point, seen from above, is on the top and `rim` [m] away from its edge."""
        return abs(x - self.x) <= self.half_x - rim and abs(y - self.y) <= self.half_y - rim

    def carries(self, x: float, y: float, z: float) -> bool:
        """Return True if an object with that centre is on the top, or in a container on it."""
        return self.under(x, y) and -_SINKS_M <= z - self.height <= _ABOVE_M

    def bears(self, x: float, y: float, z: float) -> bool:
        """Return True if an object with that centre is on the top itself."""
        return self.under(x, y) and -_SINKS_M <= z - self.height <= _STANDS_M


def tables_under(places: Iterable[tuple[float, float, float]]) -> Mapping[str, Table]:
    """Return the tables inferred from object positions, named in their order.

    Objects of one height within a metre of each other share a table. Its top extends as far as
    they do: there may be no table elsewhere.
    """
    groups: list[list[tuple[float, float, float]]] = []
    for place in places:
        if place[2] < _FLOOR_M:
            continue
        near = [group for group in groups if any(_together(place, other) for other in group)]
        whole = [place] if not near else near[0]
        if near:
            whole.append(place)
            for group in near[1:]:
                whole += group
                groups.remove(group)
        else:
            groups.append(whole)
    return {f"table_{number}": _round(group) for number, group in enumerate(groups)}


def _together(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    flat = math.hypot(one[0] - other[0], one[1] - other[1])
    return flat <= _ONE_TABLE_M and abs(one[2] - other[2]) <= _ONE_LEVEL_M


def _round(group: list[tuple[float, float, float]]) -> Table:
    xs, ys, zs = zip(*group, strict=True)
    half_x, half_y = (max(xs) - min(xs)) / 2, (max(ys) - min(ys)) / 2
    return Table(min(xs) + half_x, min(ys) + half_y, half_x + _ROUND_M, half_y + _ROUND_M, min(zs))
