"""Colours of objects, drawn at random around named ones."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

__all__ = ["FRUIT", "PAINT", "Rng", "Shade", "any_colour", "shade_of", "wood"]

Rng = np.random.Generator
Shade = tuple[float, float, float]

PAINT: Mapping[str, Shade] = MappingProxyType(
    {
        "red": (0.80, 0.10, 0.10),
        "green": (0.12, 0.55, 0.18),
        "blue": (0.12, 0.26, 0.78),
        "yellow": (0.95, 0.82, 0.12),
        "orange": (0.95, 0.52, 0.08),
        "purple": (0.47, 0.16, 0.62),
        "white": (0.93, 0.93, 0.91),
        "black": (0.07, 0.07, 0.08),
        "pink": (0.94, 0.52, 0.68),
        "brown": (0.45, 0.26, 0.14),
        "grey": (0.50, 0.50, 0.50),
        "cyan": (0.10, 0.68, 0.74),
    }
)
"""Colours of cups, cubes and similar objects."""

FRUIT: Mapping[str, Mapping[str, Shade]] = MappingProxyType(
    {
        "tomato": {"red": (0.82, 0.10, 0.06)},
        "apple": {
            "red": (0.70, 0.07, 0.09),
            "green": (0.50, 0.68, 0.16),
            "yellow": (0.90, 0.78, 0.22),
        },
        "orange": {"orange": (0.96, 0.52, 0.06)},
        "lemon": {"yellow": (0.96, 0.84, 0.15)},
        "egg": {"white": (0.95, 0.94, 0.90), "brown": (0.72, 0.47, 0.31)},
    }
)
"""Colours of fruits and eggs."""


def shade_of(shade: Shade, rng: Rng) -> Shade:
    """Return a colour near `shade`."""
    r, g, b = np.clip(np.asarray(shade) * rng.uniform(0.88, 1.1) + rng.normal(0, 0.025, 3), 0, 1)
    return float(r), float(g), float(b)


def any_colour(rng: Rng) -> Shade:
    """Return a colour: mostly dull, sometimes vivid."""
    vivid = rng.uniform(0.0, 0.25) if rng.random() < 0.65 else rng.uniform(0.25, 0.9)
    return colorsys.hsv_to_rgb(rng.random(), vivid, rng.uniform(0.1, 1.0))


def wood(rng: Rng) -> Shade:
    """Return a colour of wood."""
    hue, vivid = rng.uniform(0.05, 0.11), rng.uniform(0.25, 0.65)
    return colorsys.hsv_to_rgb(hue, vivid, rng.uniform(0.3, 0.9))
