"""Picture of a head camera, and the camera model that projects room coordinates to pixels."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from bt_exec_skills.perception.pictures_and_boxes import Box
from bt_exec_skills.tabletop.tables import Table

__all__ = ["Picture", "Pictures", "Viewpoint"]

Floats = npt.NDArray[np.float64]
_NEAREST_M = 0.2
_STANDS_M = 0.12  # height of objects on a table
_LEAST_PX = 24


class Viewpoint(NamedTuple):
    """Pinhole camera in the room.

    Attributes:
        eye: Position, room frame [m], shape (3,).
        axes: Right, up and backward directions as columns, shape (3, 3).
        focal: Focal length [px].
        size: Height and width of its pictures [px].
    """

    eye: Floats
    axes: Floats
    focal: float
    size: tuple[int, int]

    def project(self, points: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return the projections of points of the room.

        Args:
            points: Room frame [m], shape (n, 3).

        Returns:
            Columns and rows, shape (n, 2) [px], and whether each point is in front of the camera.
        """
        seen = (np.atleast_2d(np.asarray(points, float)) - self.eye) @ self.axes
        ahead = -seen[:, 2]
        depth = np.maximum(ahead, _NEAREST_M)
        high, wide = self.size
        x = wide / 2 + self.focal * seen[:, 0] / depth
        y = high / 2 - self.focal * seen[:, 1] / depth
        return np.stack([x, y], axis=1), np.asarray(ahead > _NEAREST_M, bool)

    def region_of_table(self, table: Table) -> Box | None:
        """Return the box in the picture that shows a table top and the objects on it [px].

        None if too little of it is in the picture.
        """
        xs = np.linspace(table.x - table.half_x, table.x + table.half_x, 12)
        ys = np.linspace(table.y - table.half_y, table.y + table.half_y, 12)
        grid = np.stack(np.meshgrid(xs, ys, (table.height, table.height + _STANDS_M)), axis=-1)
        places, before = self.project(grid.reshape(-1, 3))
        high, wide = self.size
        inside = before & (places >= 0).all(axis=1) & (places < (wide, high)).all(axis=1)
        if not inside.any():
            return None
        low, most = places[inside].min(axis=0), places[inside].max(axis=0)
        if (most - low).min() < _LEAST_PX:
            return None
        return int(low[0]), int(low[1]), int(most[0]) + 1, int(most[1]) + 1


class Picture(NamedTuple):
    """Picture of a head camera.

    Attributes:
        rgb: uint8 of shape (height, width, 3).
        depth: Distance along the optical axis [m], float32 of shape (height, width); 0 if unknown.
        boxes: Boxes of objects by name [px], from the simulator's ground truth.
        viewpoint: Pose of the camera; None if unknown.
    """

    rgb: npt.NDArray[np.uint8]
    depth: npt.NDArray[np.float32]
    boxes: dict[str, Box]
    viewpoint: Viewpoint | None = None


class Pictures(Protocol):
    """Camera that captures the state quickly and renders pictures on a worker thread."""

    def capture(self) -> Any:
        """Return a copy of the state that the picture depends on."""

    def view(self, capture: Any) -> Picture:
        """Render the picture of a captured state; called on a worker thread."""

    def close(self) -> None:
        """Release the resources."""
