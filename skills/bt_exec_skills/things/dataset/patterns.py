"""Surface patterns: wood, cloth, stone, stripes, tiles; grey levels that a colour tints."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from bt_exec_skills.things.dataset.colours import Rng

__all__ = ["pattern"]

_SIDE = 128
Frame = npt.NDArray[np.uint8]


def pattern(rng: Rng, *, plain: bool) -> Frame:
    """Return a pattern to multiply with a surface's colour, shape (128, 128, 3)."""
    if plain:
        return np.full((_SIDE, _SIDE, 3), 255, np.uint8)
    kind = int(rng.integers(5))
    if kind == 0:  # grain of wood
        noise = rng.normal(0, 1, (_SIDE, _SIDE)).astype(np.float32)
        level = cv2.GaussianBlur(noise, (0, 0), sigmaX=20, sigmaY=1.2)
    elif kind == 1:  # stone, dirt
        noise = rng.normal(0, 1, (_SIDE, _SIDE)).astype(np.float32)
        level = cv2.GaussianBlur(noise, (0, 0), float(rng.uniform(1, 8)))
    elif kind == 2:  # stripes
        wave = np.sin(np.arange(_SIDE) * 2 * np.pi * int(rng.integers(2, 12)) / _SIDE)
        level = np.tile(np.where(wave > rng.uniform(-0.6, 0.6), 1.0, -1.0), (_SIDE, 1))
    elif kind == 3:  # tiles, chequers
        step = _SIDE // int(rng.choice((2, 4, 8)))
        rows, columns = np.indices((_SIDE, _SIDE)) // step
        level = np.where((rows + columns) % 2, 1.0, -1.0)
    else:  # weave
        rows, columns = np.indices((_SIDE, _SIDE))
        level = np.sin(rows * np.pi / 4) + np.sin(columns * np.pi / 4)
    level = np.asarray(level, np.float32) / (float(np.abs(level).max()) + 1e-6)
    deep = rng.uniform(0.05, 0.5)
    tint = 1.0 - deep * (0.5 - 0.5 * level)[..., None] * rng.uniform(0.4, 1.0, 3)
    return np.clip(tint * 255, 0, 255).astype(np.uint8)
