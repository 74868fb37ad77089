"""Search for base poses from which the arm reaches a point, and for paths to them with A*."""

from __future__ import annotations

import math
from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

from bt_exec.failure import Failed
from bt_exec_skills.navigation.astar import Search
from bt_exec_skills.navigation.occupancy_grid import Grid, Slab
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Environment, Point
from bt_exec_skills.tabletop.sim.arm import REACH
from bt_exec_skills.tabletop.sim.layout import ROOM, Layout
from bt_exec_skills.tabletop.sim.mjcf import BASE_RADIUS

__all__ = ["PathPlanner", "Way"]

_CELL_M = 0.05
_MARGIN_M = 0.05
_BEST_M = 0.62  # preferred distance of the grip from the base
_ANGLES, _RANGES = 32, (0.62, 0.70, 0.54, 0.78, 0.84, 0.46)
_SLICE = 400

Way = list[tuple[float, float]]


class PathPlanner:
    """Search for base poses and paths in a layout; objects on the floor are obstacles, too.

    Args:
        layout: Walls, tables and obstacles.
    """

    def __init__(self, layout: Layout) -> None:
        wide, deep = ROOM
        self._slabs = [
            *(Slab(side * (wide + 0.05), 0.0, 0.05, deep) for side in (1, -1)),
            *(Slab(0.0, side * (deep + 0.05), wide, 0.05) for side in (1, -1)),
            *(Slab(t.x, t.y, t.half_x, t.half_y) for t in layout.tables),
            *layout.obstacles,
        ]

    def free_cells(self, now: Environment, target: Point) -> tuple[Grid, npt.NDArray[np.bool_]]:
        """Return the occupancy grid, and the cells that are free for the centre of the base.

        An object at `target` is not an obstacle.
        """
        fallen = [
            Slab(placed.pos.x, placed.pos.y, 0.04, 0.04)
            for name, placed in now.objects.items()
            if now.is_on_floor(name)
            and placed.pos.horizontal_distance(target) > 0.05
            and abs(placed.pos.x) < ROOM[0]
        ]
        grid = Grid.of_slabs([*self._slabs, *fallen], _CELL_M)
        return grid, grid.clearance > BASE_RADIUS + _MARGIN_M

    def find_base_pose(
        self, now: Environment, start: Pose, target: Point
    ) -> tuple[Pose, Grid, npt.NDArray[np.bool_]]:
        """Return a base pose from which the arm reaches `target`, and the grid and free cells used.

        Raises:
            Failed: UNREACHABLE if the base fits nowhere within reach of the target; NO_PATH if no
                path leads to a place where it fits.
        """
        grid, free = self.free_cells(now, target)
        near = grid.free_near(grid.cell_at(start.x, start.y), free, 0.4)
        _, islands = cv2.connectedComponents(free.astype(np.uint8), connectivity=4)
        fits = False
        best: tuple[float, Pose] | None = None
        for away in _RANGES:
            for k in range(_ANGLES):
                turn = k * math.tau / _ANGLES
                x, y = target.x - away * math.cos(turn), target.y - away * math.sin(turn)
                cell = grid.cell_at(x, y)
                if not free[cell] or abs(x) > ROOM[0] or abs(y) > ROOM[1]:
                    continue
                fits = True
                if near is None or islands[cell] != islands[near]:
                    continue
                cost = start.distance_to(x, y) + 2.5 * abs(away - _BEST_M)
                if best is None or cost < best[0]:
                    best = cost, Pose(x, y, turn)
        if best is None:
            point = f"({target.x:.2f}, {target.y:.2f})"
            if fits:
                raise Failed("NO_PATH", f"{point}: no path leads there")
            raise Failed("UNREACHABLE", f"no place to stand within {REACH[1]:g} m of {point}")
        return best[1], grid, free

    def find_path(
        self, start: Pose, goal: Pose, grid: Grid, free: npt.NDArray[np.bool_]
    ) -> Iterator[Way | None]:
        """Yield None while searching, then the corners of the path, including start and goal.

        Raises:
            Failed: NO_PATH.
        """
        near = grid.free_near(grid.cell_at(start.x, start.y), free, 0.4)
        search = Search(free, near or (0, 0), grid.cell_at(goal.x, goal.y))
        while not search.advance(_SLICE):
            yield None
        if search.way is None:
            raise Failed("NO_PATH", f"no path leads to ({goal.x:.2f}, {goal.y:.2f})")
        points = [(start.x, start.y), *map(grid.cell_centre, search.way), (goal.x, goal.y)]
        yield _straighten(points, grid, free)


def _straighten(points: Way, grid: Grid, free: npt.NDArray[np.bool_]) -> Way:
    """Return the path without unnecessary corners."""
    kept = [points[0]]
    here = 0
    while here < len(points) - 1:
        there = len(points) - 1
        while there > here + 1 and not _is_path_free(points[here], points[there], grid, free):
            there -= 1
        kept.append(points[there])
        here = there
    return kept


def _is_path_free(
    a: tuple[float, float], b: tuple[float, float], grid: Grid, free: npt.NDArray[np.bool_]
) -> bool:
    count = max(2, math.ceil(math.dist(a, b) / (_CELL_M / 2)))
    points = np.linspace(a, b, count)
    rows, columns = grid.cells_at(points).T
    return bool(free[rows, columns].all())
