"""Occupancy grid of the map, and a layer of obstacles that are not on the map."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.plane_geometry import Pose

__all__ = ["Cell", "Grid", "Obstacles", "Slab", "hit_points"]


Cell: TypeAlias = tuple[int, int]
"""Row (from south to north) and column (from west to east) of a cell."""


class Slab(NamedTuple):
    """Outline of a solid box seen from above: centre [m], half sizes [m], yaw [rad]."""

    x: float
    y: float
    half_x: float
    half_y: float
    yaw: float = 0.0


class Grid:
    """Occupancy grid.

    Args:
        solid: Occupied cells, bool of shape (rows, columns); row 0 is the southernmost.
        origin: South-west corner of cell (0, 0) [m].
        cell_m: Side of a cell [m].

    Attributes:
        solid: Occupied cells.
        clearance: Distance from each cell's centre to the nearest occupied cell [m].
    """

    def __init__(
        self, solid: npt.NDArray[np.bool_], origin: tuple[float, float], cell_m: float
    ) -> None:
        self.solid = solid
        self.origin = origin
        self.cell_m = cell_m
        self.clearance = clearance_of(solid, cell_m)

    @classmethod
    def of_slabs(cls, slabs: Iterable[Slab], cell_m: float = 0.1, rim_m: float = 0.3) -> Grid:
        """Return the grid of `slabs`, with a margin of `rim_m` around all of them.

        A slab occupies every cell that it touches.
        """
        found = list(slabs)
        reach = [(s, math.hypot(s.half_x, s.half_y)) for s in found]
        left = min(s.x - r for s, r in reach) - rim_m
        bottom = min(s.y - r for s, r in reach) - rim_m
        columns = math.ceil((max(s.x + r for s, r in reach) + rim_m - left) / cell_m)
        rows = math.ceil((max(s.y + r for s, r in reach) + rim_m - bottom) / cell_m)
        solid = np.zeros((rows, columns), bool)
        y, x = np.mgrid[0:rows, 0:columns] * cell_m + cell_m / 2
        x, y = x + left, y + bottom
        for slab in found:
            c, s = math.cos(slab.yaw), math.sin(slab.yaw)
            along = np.abs(c * (x - slab.x) + s * (y - slab.y))
            across = np.abs(c * (y - slab.y) - s * (x - slab.x))
            half = cell_m / 2  # every touched cell is solid
            solid |= (along <= slab.half_x + half) & (across <= slab.half_y + half)
        return cls(solid, (left, bottom), cell_m)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.solid.shape
        return rows, columns

    def cell_at(self, x: float, y: float) -> Cell:
        """Return the cell of a point [m]; for a point off the map, the nearest cell."""
        rows, columns = self.shape
        row = int((y - self.origin[1]) // self.cell_m)
        column = int((x - self.origin[0]) // self.cell_m)
        return min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)

    def cell_centre(self, cell: Cell) -> tuple[float, float]:
        """Return the centre of a cell [m]."""
        return (
            self.origin[0] + (cell[1] + 0.5) * self.cell_m,
            self.origin[1] + (cell[0] + 0.5) * self.cell_m,
        )

    def cells_at(self, points: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the row and column of each point [m], clipped to the map, shape (n, 2)."""
        rows, columns = self.shape
        found = np.floor((points[:, ::-1] - self.origin[::-1]) / self.cell_m).astype(np.int64)
        return np.clip(found, 0, (rows - 1, columns - 1))

    def free_near(self, cell: Cell, free: npt.NDArray[np.bool_], reach_m: float) -> Cell | None:
        """Return the free cell nearest to `cell`, or None if no free cell is within `reach_m`.

        Args:
            cell: Cell to search from.
            free: Free cells, in the shape of the grid.
            reach_m: Maximum distance [m].
        """
        if free[cell]:
            return cell
        rows, columns = np.nonzero(free)
        if not len(rows):
            return None
        away = np.hypot(rows - cell[0], columns - cell[1])
        best = int(np.argmin(away))
        if away[best] * self.cell_m > reach_m:
            return None
        return int(rows[best]), int(columns[best])


def clearance_of(solid: npt.NDArray[np.bool_], cell_m: float) -> npt.NDArray[np.float32]:
    """Return the distance from each cell to the nearest occupied one [m]; 1000 if all are free."""
    if not solid.any():
        return np.full(solid.shape, 1e3, np.float32)
    away = cv2.distanceTransform((~solid).astype(np.uint8), cv2.DIST_L2, 5)
    return np.asarray(away * cell_m, np.float32)


_KNOWN_M = 0.25  # hits up to this distance from an occupied cell belong to the map
_BELIEVED = 4  # number of hits after which a cell is an obstacle
_MOST = 12  # maximum number of hits that are counted in a cell
_RELIABLE_M = 6.0  # maximum distance of hits that are used


def hit_points(
    pose: Pose, ranges: npt.NDArray[np.float64], limit_m: float
) -> npt.NDArray[np.float64]:
    """Return the points that a range finder hit [m], shape (n, 2).

    Args:
        pose: Pose of the range finder.
        ranges: Distances [m] at equal angles over a full turn, anticlockwise from straight ahead.
        limit_m: Distance from which hits are ignored [m].
    """
    angles = pose.yaw + np.arange(len(ranges)) * math.tau / len(ranges)
    points = np.stack([pose.x + ranges * np.cos(angles), pose.y + ranges * np.sin(angles)], axis=1)
    found: npt.NDArray[np.float64] = points[ranges < limit_m]
    return found


class Obstacles:
    """Obstacle layer over a map. Range readings add obstacles and clear cells along the beams.

    Args:
        grid: The map.
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._looks = np.zeros(grid.shape, np.int16)

    def add_reading(
        self, pose: Pose, ranges: npt.NDArray[np.float64], within_m: float = _RELIABLE_M
    ) -> None:
        """Add a reading of the range finder.

        Args:
            pose: Pose of the range finder.
            ranges: Distances [m]; see `hit_points`.
            within_m: Distance from which hits are not added [m]; the beams clear cells beyond it.
        """
        self._clear_along_beams(pose, ranges)
        points = hit_points(pose, ranges, within_m)
        rows, columns = self._grid.cells_at(points).T
        new = self._grid.clearance[rows, columns] > _KNOWN_M
        cells = np.unique(np.stack([rows[new], columns[new]], axis=1), axis=0)
        place = cells[:, 0], cells[:, 1]
        self._looks[place] = np.minimum(self._looks[place] + 1, _MOST)

    def _clear_along_beams(self, pose: Pose, ranges: npt.NDArray[np.float64]) -> None:
        """Reduce the number of hits of the cells through which a beam has passed."""
        rows, columns = np.nonzero(self._looks)
        if not len(rows):
            return
        x = self._grid.origin[0] + (columns + 0.5) * self._grid.cell_m - pose.x
        y = self._grid.origin[1] + (rows + 0.5) * self._grid.cell_m - pose.y
        away = np.hypot(x, y)
        turn = math.tau / len(ranges)
        beam = np.rint((np.arctan2(y, x) - pose.yaw) / turn).astype(int) % len(ranges)
        beside = np.minimum(ranges[beam - 1], ranges[(beam + 1) % len(ranges)])
        gone = away + 0.2 < np.minimum(ranges[beam], beside)
        self._looks[rows[gone], columns[gone]] = np.maximum(
            self._looks[rows[gone], columns[gone]] - 3, 0
        )

    def accept_all_hits(self, pose: Pose, ranges: npt.NDArray[np.float64], within_m: float) -> None:
        """Add the near hits of a reading, then accept every cell with a hit as an obstacle.

        A robot that is stuck uses this, because an unconfirmed obstacle may block it.

        Args:
            pose: Pose of the range finder.
            ranges: Distances [m]; see `hit_points`.
            within_m: Distance from which hits are not added [m].
        """
        self.add_reading(pose, ranges, within_m)
        near = self._looks > 0
        self._looks[near] = np.maximum(self._looks[near], _BELIEVED)

    def clear_rarely_seen(self) -> None:
        """Clear obstacles with fewer than `_MOST` hits, such as persons who stood there briefly."""
        self._looks[self._looks < _MOST] = 0

    @property
    def has_obstacles(self) -> bool:
        """Whether there is any obstacle."""
        return bool((self._looks >= _BELIEVED).any())

    def clearance(self) -> npt.NDArray[np.float32]:
        """Return the distance from each cell to the nearest obstacle [m]; 1000 if there is none."""
        return clearance_of(self._looks >= _BELIEVED, self._grid.cell_m)
