"""Random colours, without orange, which is the colour of the material."""

from __future__ import annotations

import colorsys

import numpy as np

__all__ = ["Rng", "some_colour", "some_wood"]

Rng = np.random.Generator
_ORANGE = (0.0, 0.14)  # hues of the material


def some_colour(rng: Rng, *, orange: bool = False) -> list[float]:
    """Return a colour, grey or vivid; vivid orange only on request."""
    if orange:
        hue, vivid, value = rng.uniform(0.055, 0.1), rng.uniform(0.8, 0.98), rng.uniform(0.75, 1.0)
    else:
        hue = rng.uniform(_ORANGE[1], 0.97)
        vivid = rng.uniform(0.0, 0.2) if rng.random() < 0.6 else rng.uniform(0.2, 0.9)
        value = rng.uniform(0.08, 1.0)
    return list(colorsys.hsv_to_rgb(hue, vivid, value))


def some_wood(rng: Rng) -> list[float]:
    """Return a colour of wood."""
    return [rng.uniform(0.45, 0.75), rng.uniform(0.32, 0.55), rng.uniform(0.15, 0.35)]
