"""Pictures without OpenGL: one ray per pixel, Lambert's law, the colours of the geoms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bt_exec_skills.simulation.picture import Picture
from bt_exec_skills.simulation.rays import cast, through_pixels

__all__ = ["FAR_M", "RayPainter"]

FAR_M = 6.0
"""Size limit of the door world [m]."""
_AMBIENT, _HEAD, _LAMP = 0.4, 0.25, 0.45


class RayPainter:
    """Renders by casting a ray through each pixel; needs no graphics library.

    Args:
        model: The world.
        width: Width of the picture [px].
        height: Height of the picture [px].
    """

    name = "raycast"

    def __init__(self, model: Any, width: int, height: int) -> None:
        self._model, self._shape = model, (height, width)
        self._rays = through_pixels(width, height, math.radians(float(model.cam("head").fovy[0])))
        self._paint = np.vstack([model.geom_rgba[:, :3], [0.6, 0.6, 0.65]])

    def paint(self, data: Any) -> Picture:
        """Implement `Painter.paint`."""
        camera = data.cam("head")
        rays = self._rays @ camera.xmat.reshape(3, 3).T
        geoms, distance, normals = cast(self._model, data, camera.xpos, rays, FAR_M)
        facing = np.abs((normals * rays).sum(axis=1))
        to_lamp = data.light_xpos[0] - (camera.xpos + rays * distance[:, None])
        to_lamp /= np.linalg.norm(to_lamp, axis=1, keepdims=True) + 1e-9
        lit = np.maximum((normals * to_lamp).sum(axis=1), 0.0)
        light = _AMBIENT + _HEAD * facing + _LAMP * lit
        rgb = np.clip(self._paint[geoms] * light[:, None] * 255.0, 0, 255).astype(np.uint8)
        return Picture(rgb.reshape(*self._shape, 3), geoms.reshape(self._shape))

    def colours(self, data: Any) -> npt.NDArray[np.uint8]:
        """Implement `Painter.colours`."""
        return self.paint(data).rgb

    def close(self) -> None:
        """Do nothing; there are no resources."""
