"""Ray casting, for rendering without OpenGL and for range finders."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, Protocol

import mujoco
import numpy as np
import numpy.typing as npt

__all__ = ["FAR_M", "Hits", "Picture", "RayCastingRenderer", "Renderer", "cast_rays", "pixel_rays"]


class Picture(NamedTuple):
    """Picture of the head camera.

    Attributes:
        rgb: Colours, uint8 of shape (height, width, 3).
        geoms: Id of the geom at each pixel, int32 of shape (height, width); -1 for no geom.
    """

    rgb: npt.NDArray[np.uint8]
    geoms: npt.NDArray[np.int32]


class Renderer(Protocol):
    """Renderer of the camera ``head``."""

    name: str

    def render(self, data: Any) -> Picture:
        """Return the picture of the state `data`, whose kinematics must be up to date."""

    def render_colours(self, data: Any) -> npt.NDArray[np.uint8]:
        """Return only the colours of the picture of the state `data`."""

    def close(self) -> None:
        """Release the resources of the renderer. Does nothing if it is already closed."""


Floats = npt.NDArray[np.float64]
_WORTH_SPLITTING = 10_000  # distributing fewer rays to threads costs more time than it saves
_MOST_WORKERS = 4


class Hits(NamedTuple):
    """First intersections of rays.

    Attributes:
        geoms: Id of the geom that each ray hits, shape (n,); -1 for no geom.
        distance: Distance of the intersection [m], shape (n,); -1 for no geom.
        normals: Surface normal at the intersection, shape (n, 3).
    """

    geoms: npt.NDArray[np.int32]
    distance: Floats
    normals: Floats


def pixel_rays(width: int, height: int, fovy_rad: float) -> Floats:
    """Return a ray for each pixel of a pinhole camera that looks along -z, with y upwards.

    Args:
        width: Width of the picture [px].
        height: Height of the picture [px].
        fovy_rad: Vertical field of view [rad].

    Returns:
        Unit directions in the camera's frame, row by row from the top left, shape (n, 3).
    """
    focal = 0.5 * height / np.tan(fovy_rad / 2)
    u, v = np.meshgrid(np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2)
    rays = np.stack([u / focal, -v / focal, -np.ones_like(u)], axis=-1).reshape(-1, 3)
    directions: Floats = rays / np.linalg.norm(rays, axis=1, keepdims=True)
    return directions


def cast_rays(
    model: Any, data: Any, eye: Floats, rays: Floats, far_m: float, *, without_body: int = -1
) -> Hits:
    """Return the first hit of each ray from `eye`.

    Args:
        model: Compiled model of the world.
        data: State of the world.
        eye: Origin of the rays, world frame [m], shape (3,).
        rays: Unit directions, world frame, shape (n, 3).
        far_m: Approximate limit of the range [m], which MuJoCo uses for culling.
        without_body: Id of a body that rays pass through, such as the robot's; -1 for none.
    """
    part = partial(_cast, model, data, eye, far_m=far_m, without_body=without_body)
    workers = min(_MOST_WORKERS, os.cpu_count() or 1)
    if len(rays) < _WORTH_SPLITTING or workers == 1:
        return part(rays)
    with ThreadPoolExecutor(workers, thread_name_prefix="rays") as pool:
        parts = list(pool.map(part, np.array_split(rays, workers)))
    return Hits(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _cast(
    model: Any, data: Any, eye: Floats, rays: Floats, *, far_m: float, without_body: int
) -> Hits:
    """Cast rays on this thread; several threads may do so, because the state is only read."""
    count = len(rays)
    hits = Hits(np.full(count, -1, np.int32), np.zeros(count), np.zeros((count, 3)))
    mujoco.mj_multiRay(
        model,
        data,
        eye,
        rays.ravel(),
        None,
        True,
        without_body,
        hits.geoms,
        hits.distance,
        hits.normals.reshape(-1),
        count,
        far_m,
    )
    return hits


FAR_M = 6.0
"""Limit of the range of rays for pictures [m]."""
_AMBIENT, _HEAD, _LAMP = 0.4, 0.25, 0.45


class RayCastingRenderer:
    """Renderer that casts a ray through each pixel; needs no graphics library.

    Args:
        model: Compiled model of the world.
        width: Width of the picture [px].
        height: Height of the picture [px].
    """

    name = "raycast"

    def __init__(self, model: Any, width: int, height: int) -> None:
        self._model, self._shape = model, (height, width)
        self._rays = pixel_rays(width, height, math.radians(float(model.cam("head").fovy[0])))
        self._colours = np.vstack([model.geom_rgba[:, :3], [0.6, 0.6, 0.65]])

    def render(self, data: Any) -> Picture:
        """Implement `Renderer.render`."""
        camera = data.cam("head")
        rays = self._rays @ camera.xmat.reshape(3, 3).T
        geoms, distance, normals = cast_rays(self._model, data, camera.xpos, rays, FAR_M)
        facing = np.abs((normals * rays).sum(axis=1))
        to_lamp = data.light_xpos[0] - (camera.xpos + rays * distance[:, None])
        to_lamp /= np.linalg.norm(to_lamp, axis=1, keepdims=True) + 1e-9
        lit = np.maximum((normals * to_lamp).sum(axis=1), 0.0)
        light = _AMBIENT + _HEAD * facing + _LAMP * lit
        rgb = np.clip(self._colours[geoms] * light[:, None] * 255.0, 0, 255).astype(np.uint8)
        return Picture(rgb.reshape(*self._shape, 3), geoms.reshape(self._shape))

    def render_colours(self, data: Any) -> npt.NDArray[np.uint8]:
        """Implement `Renderer.render_colours`."""
        return self.render(data).rgb

    def close(self) -> None:
        """Do nothing, because there are no resources to release."""
