"""Obstacle layer over the map: an obstacle is added after several range readings."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.geometry import Pose
from bt_exec_skills.navigation.grid import Grid, clearance_of

__all__ = ["Obstacles", "hits"]

_KNOWN_M = 0.25  # maximum distance of a hit from the map object that it belongs to
_BELIEVED = 4  # number of readings after which a hit is a static obstacle
_MOST = 12  # number of stored scans
_RELIABLE_M = 6.0  # farther hits are ignored


def hits(pose: Pose, ranges: npt.NDArray[np.float64], limit_m: float) -> npt.NDArray[np.float64]:
    """Return the points that a range finder hit [m], shape (n, 2).

    Args:
        pose: Pose of the range finder.
        ranges: Distances [m], all around, from straight ahead to the left.
        limit_m: Hits at this distance or farther are ignored [m].
    """
    angles = pose.yaw + np.arange(len(ranges)) * math.tau / len(ranges)
    points = np.stack([pose.x + ranges * np.cos(angles), pose.y + ranges * np.sin(angles)], axis=1)
    found: npt.NDArray[np.float64] = points[ranges < limit_m]
    return found


class Obstacles:
    """Obstacle layer over a map; range readings add obstacles and clear the cells on the beam.

    Args:
        grid: The map.
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._looks = np.zeros(grid.shape, np.int16)

    def look(self, pose: Pose, ranges: npt.NDArray[np.float64]) -> None:
        """Add one reading."""
        self._clear(pose, ranges)
        points = hits(pose, ranges, _RELIABLE_M)
        rows, columns = self._grid.cells(points).T
        new = self._grid.clearance[rows, columns] > _KNOWN_M
        cells = np.unique(np.stack([rows[new], columns[new]], axis=1), axis=0)
        place = cells[:, 0], cells[:, 1]
        self._looks[place] = np.minimum(self._looks[place] + 1, _MOST)

    def _clear(self, pose: Pose, ranges: npt.NDArray[np.float64]) -> None:
        """Clear the cells that a beam has passed through."""
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

    def believe(self, pose: Pose, ranges: npt.NDArray[np.float64], within_m: float) -> None:
        """Accept all nearby hits as obstacles at once: the robot is stuck."""
        self.look(pose, np.where(ranges < within_m, ranges, 1e3))
        near = self._looks > 0
        self._looks[near] = np.maximum(self._looks[near], _BELIEVED)

    def forget(self) -> None:
        """Clear obstacles that were not seen for long, such as persons who left."""
        self._looks[self._looks < _MOST] = 0

    @property
    def any(self) -> bool:
        """Whether there is any obstacle."""
        return bool((self._looks >= _BELIEVED).any())

    def clearance(self) -> npt.NDArray[np.float32]:
        """Return each cell's distance to the nearest obstacle [m]; large without obstacles."""
        return clearance_of(self._looks >= _BELIEVED, self._grid.cell_m)
