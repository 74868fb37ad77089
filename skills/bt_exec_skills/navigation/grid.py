"""Occupancy grid: free and occupied cells, with the distance to the nearest wall."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

__all__ = ["Cell", "Grid", "Slab"]

Cell: TypeAlias = tuple[int, int]
"""Row (south to north) and column (west to east)."""


class Slab(NamedTuple):
    """A solid box seen from above: centre [m], half sizes [m], yaw [rad]."""

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
        """Return the grid of `slabs`, each of which occupies the cells that it covers."""
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

    def cell(self, x: float, y: float) -> Cell:
        """Return the cell of a point [m]; the nearest one if it is off the map."""
        rows, columns = self.shape
        row = int((y - self.origin[1]) // self.cell_m)
        column = int((x - self.origin[0]) // self.cell_m)
        return min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)

    def point(self, cell: Cell) -> tuple[float, float]:
        """Return the centre of a cell [m]."""
        return (
            self.origin[0] + (cell[1] + 0.5) * self.cell_m,
            self.origin[1] + (cell[0] + 0.5) * self.cell_m,
        )

    def cells(self, points: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return rows and columns of points [m] of shape (n, 2), clipped to the map."""
        rows, columns = self.shape
        found = np.floor((points[:, ::-1] - self.origin[::-1]) / self.cell_m).astype(np.int64)
        return np.clip(found, 0, (rows - 1, columns - 1))

    def free_near(self, cell: Cell, free: npt.NDArray[np.bool_], reach_m: float) -> Cell | None:
        """Return the free cell nearest to `cell`, or None if none is within `reach_m`.

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
    """Return the distance from each cell's centre to the nearest occupied one [m]."""
    if not solid.any():
        return np.full(solid.shape, 1e3, np.float32)
    away = cv2.distanceTransform((~solid).astype(np.uint8), cv2.DIST_L2, 5)
    return np.asarray(away * cell_m, np.float32)
