"""Ray casting: the first hit of each ray, for rendering without OpenGL and range finders."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import mujoco
import numpy as np
import numpy.typing as npt

__all__ = ["Hits", "cast", "through_pixels"]

Floats = npt.NDArray[np.float64]
_WORTH_SPLITTING = 10_000  # rays; below, distributing them costs more than casting them
_MOST_WORKERS = 4


class Hits(NamedTuple):
    """First intersections of rays.

    Attributes:
        geoms: Geom id of each ray; -1 for none, shape (n,).
        distance: Distance of the intersection [m], shape (n,).
        normals: Surface normal at the intersection, shape (n, 3).
    """

    geoms: npt.NDArray[np.int32]
    distance: Floats
    normals: Floats


def through_pixels(width: int, height: int, fovy_rad: float) -> Floats:
    """Return a ray for each pixel of a pinhole camera that looks along -z with y upwards.

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


def cast(
    model: Any, data: Any, eye: Floats, rays: Floats, far_m: float, *, without_body: int = -1
) -> Hits:
    """Return the first hit of each ray from `eye`.

    Args:
        model: The world.
        data: Its state.
        eye: Origin of the rays, world frame [m], shape (3,).
        rays: Unit directions, world frame, shape (n, 3).
        far_m: Approximate range limit [m], which MuJoCo uses for culling.
        without_body: Body that rays pass through, such as the carrier of the eye; -1 for none.
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
    """Cast on this thread; MuJoCo releases the interpreter lock and only reads the state."""
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
