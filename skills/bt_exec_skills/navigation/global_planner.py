"""Global planner: finds paths on the map with its obstacle layer, and searches in time slices."""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.astar import Search
from bt_exec_skills.navigation.occupancy_grid import Grid, Obstacles
from bt_exec_skills.navigation.plane_geometry import Pose

__all__ = ["Planner", "Route"]

_SLICE = 1500  # number of cells that a search expands in one control period (2 to 3 ms)
_TIGHT_M = 0.08  # minimum clearance beyond the hull
_WIDE_M = 0.75  # preferred minimum distance of paths from walls
_INSTEAD_M = 0.8  # maximum distance between an occupied goal and the free cell used instead

Mask = npt.NDArray[np.bool_]


class Route:
    """Path as a list of points.

    Args:
        points: Points of the path [m], shape (n, 2), a cell apart.
    """

    def __init__(self, points: npt.NDArray[np.float64]) -> None:
        self.points = points
        steps = np.hypot(*np.diff(points, axis=0).T) if len(points) > 1 else np.zeros(0)
        self._left = np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]])
        self._at = 0

    def drop_passed_points(self, pose: Pose) -> None:
        """Drop the points before the one that is nearest to `pose`."""
        window = self.points[self._at : self._at + 25]
        away = np.hypot(window[:, 0] - pose.x, window[:, 1] - pose.y)
        self._at += int(np.argmin(away))

    @property
    def left_m(self) -> float:
        """Length of the remaining path [m]."""
        return float(self._left[self._at])

    @property
    def goal(self) -> tuple[float, float]:
        """Last point of the path [m]."""
        return float(self.points[-1, 0]), float(self.points[-1, 1])

    def point_ahead(self, distance: float) -> tuple[float, float]:
        """Return the point `distance` [m] further along the path, or the goal."""
        beyond = np.nonzero(self.left_m - self._left[self._at :] >= distance)[0]
        point = self.points[self._at + beyond[0]] if len(beyond) else self.points[-1]
        return float(point[0]), float(point[1])

    def points_ahead(self, distance: float) -> npt.NDArray[np.float64]:
        """Return the points of the next `distance` metres, shape (n, 2)."""
        count = int(np.count_nonzero(self.left_m - self._left[self._at :] <= distance))
        return self.points[self._at : self._at + max(count, 1)]


class Planner:
    """Planner of paths over a map with an obstacle layer.

    Args:
        grid: The map.
        obstacles: The obstacle layer.
        radius: Radius of the robot's hull [m].
    """

    def __init__(self, grid: Grid, obstacles: Obstacles, radius: float) -> None:
        self.grid = grid
        self.obstacles = obstacles
        self._reach = radius + _TIGHT_M
        self.mapped: Mask = grid.clearance > self._reach

    def free_cells(self) -> Mask:
        """Return the cells in which the robot's centre may be, given the map and the obstacles."""
        if not self.obstacles.has_obstacles:
            return self.mapped
        return self.mapped & (self.obstacles.clearance() > self._reach)

    def has_path(self, pose: Pose, goal: Pose) -> Generator[None, None, bool]:
        """Return True if the map without obstacles has a path; yield during the search."""
        route = yield from self._search(pose, goal, self.mapped)
        return route is not None

    def plan_route(self, pose: Pose, goal: Pose) -> Generator[None, None, Route | None]:
        """Return a path around all known obstacles, or None; yield during the search."""
        return (yield from self._search(pose, goal, self.free_cells()))

    def _search(self, pose: Pose, goal: Pose, free: Mask) -> Generator[None, None, Route | None]:
        grid = self.grid
        start = grid.free_near(grid.cell_at(pose.x, pose.y), free, 0.6)
        end = grid.free_near(grid.cell_at(goal.x, goal.y), free, _INSTEAD_M)
        if start is None or end is None:
            return None
        weight = 1 + 4 * np.clip((_WIDE_M - grid.clearance) / _WIDE_M, 0, 1) ** 2
        search = Search(free, start, end, weight.astype(np.float32))
        while not search.advance(_SLICE):
            yield
        if search.way is None:
            return None
        points = [grid.cell_centre(cell) for cell in search.way]
        exact = end == grid.cell_at(goal.x, goal.y)
        points[-1] = (goal.x, goal.y) if exact else points[-1]
        return Route(np.array(points))

    def blocked_ahead(self, route: Route, distance: float) -> bool:
        """Return True if a known obstacle blocks the next `distance` [m] of a path."""
        if not self.obstacles.has_obstacles:
            return False
        rows, columns = self.grid.cells_at(route.points_ahead(distance)).T
        gap = self.obstacles.clearance()[rows, columns]
        return bool((gap[min(3, len(gap) - 1) :] <= self._reach).any())


def braking_speed_limit(left_m: float, gain: float) -> float:
    """Return the speed [m/s] from which the robot can stop within `left_m` [m].

    Args:
        left_m: Distance to the goal [m].
        gain: Acceleration of the robot [m/s²].
    """
    return math.sqrt(max(0.0, 1.2 * gain * left_m))
