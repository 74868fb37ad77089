"""Pictures without OpenGL: one ray per pixel, Lambert's law, the colours of the geoms."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.door.sim.picture import Picture

__all__ = ["RayPainter", "cast"]

_FAR_M = 6.0
_WORTH_SPLITTING = 10_000  # rays; below, handing them out costs more than casting them
_MOST_WORKERS = 4
_AMBIENT, _HEAD, _LAMP = 0.4, 0.25, 0.45


def cast(
    model: Any, data: Any, eye: npt.NDArray[np.float64], rays: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return for each ray from `eye` the geom it meets first (-1: none), the distance, the normal.

    Args:
        model: The world.
        data: Its state.
        eye: Where the rays begin [m], shape (3,).
        rays: Unit directions, shape (n, 3).
    """
    workers = min(_MOST_WORKERS, os.cpu_count() or 1)
    if len(rays) < _WORTH_SPLITTING or workers == 1:
        return _cast(model, data, eye, rays)
    with ThreadPoolExecutor(workers, thread_name_prefix="rays") as pool:
        parts = pool.map(partial(_cast, model, data, eye), np.array_split(rays, workers))
        geoms, distance, normals = zip(*parts, strict=True)
    return np.concatenate(geoms), np.concatenate(distance), np.concatenate(normals)


def _cast(
    model: Any, data: Any, eye: npt.NDArray[np.float64], rays: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Cast on this thread; MuJoCo lets others run meanwhile and only reads the state."""
    count = len(rays)
    geoms = np.full(count, -1, np.int32)
    distance = np.zeros(count)
    normals = np.zeros(3 * count)
    mujoco.mj_multiRay(
        model, data, eye, rays.ravel(), None, True, -1, geoms, distance, normals, count, _FAR_M
    )
    return geoms, distance, normals.reshape(-1, 3)


class RayPainter:
    """Paints by casting a ray through each pixel; needs no graphics library.

    Args:
        model: The world.
        width: Of the picture [px].
        height: Of the picture [px].
    """

    name = "raycast"

    def __init__(self, model: Any, width: int, height: int) -> None:
        self._model, self._shape = model, (height, width)
        focal = 0.5 * height / np.tan(np.radians(float(model.cam("head").fovy[0])) / 2)
        u, v = np.meshgrid(np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2)
        rays = np.stack([u / focal, -v / focal, -np.ones_like(u)], axis=-1).reshape(-1, 3)
        self._rays = rays / np.linalg.norm(rays, axis=1, keepdims=True)
        self._colours = np.vstack([model.geom_rgba[:, :3], [0.6, 0.6, 0.65]])

    def paint(self, data: Any) -> Picture:
        """See `Painter.paint`."""
        camera = data.cam("head")
        rays = self._rays @ camera.xmat.reshape(3, 3).T
        geoms, distance, normals = cast(self._model, data, camera.xpos, rays)
        facing = np.abs((normals * rays).sum(axis=1))
        to_lamp = data.light_xpos[0] - (camera.xpos + rays * distance[:, None])
        to_lamp /= np.linalg.norm(to_lamp, axis=1, keepdims=True) + 1e-9
        lit = np.maximum((normals * to_lamp).sum(axis=1), 0.0)
        light = _AMBIENT + _HEAD * facing + _LAMP * lit
        rgb = np.clip(self._colours[geoms] * light[:, None] * 255.0, 0, 255).astype(np.uint8)
        return Picture(rgb.reshape(*self._shape, 3), geoms.reshape(self._shape))

    def close(self) -> None:
        """Nothing to give back."""
