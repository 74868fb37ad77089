"""Unlabelled clutter: books, pencils, rings, cones, trays, spoons; parts of a robot's arm."""

from __future__ import annotations

import numpy as np

from bt_exec_skills.things.dataset.colours import Rng, Shade, any_colour
from bt_exec_skills.things.dataset.meshes import Part, box, lathe, moved, settled, tube, turned
from bt_exec_skills.things.dataset.turns import lying

__all__ = ["clutter", "limb"]


def clutter(rng: Rng) -> list[Part]:
    """Return an unlabelled object that lies on height 0."""
    kinds = (_book, _pencil, _ring, _cone, _tray, _spoon)
    return settled(kinds[int(rng.integers(len(kinds)))](rng))


def limb(rng: Rng, colour: Shade) -> list[Part]:
    """Return a part of a robot's arm: a rod with round ends, centred at the origin."""
    radius, half = rng.uniform(0.02, 0.055), rng.uniform(0.08, 0.25)
    t = np.linspace(-np.pi / 2, 0, 5)
    low = [(float(np.cos(a)) * radius, float(np.sin(a)) * radius - half) for a in t]
    return [lathe([*low, *((r, -z) for r, z in reversed(low))], colour)]


def _book(rng: Rng) -> list[Part]:
    x, y, z = rng.uniform(0.04, 0.11), rng.uniform(0.05, 0.14), rng.uniform(0.001, 0.012)
    return [box((x, y, z), (0, 0, z), any_colour(rng))]


def _pencil(rng: Rng) -> list[Part]:
    radius, long = rng.uniform(0.003, 0.008), rng.uniform(0.1, 0.2)
    rod = [(0.0, -0.008), (radius, 0.0), (radius, long), (0.0, long)]
    return turned([lathe(rod, any_colour(rng), segments=8)], lying(rng))


def _ring(rng: Rng) -> list[Part]:
    radius, thick = rng.uniform(0.02, 0.05), rng.uniform(0.004, 0.012)
    t = np.linspace(0, 1.96 * np.pi, 22)
    path = np.stack([radius * np.cos(t), radius * np.sin(t), np.zeros(22)], 1)
    return [tube(path, thick, any_colour(rng))]


def _cone(rng: Rng) -> list[Part]:
    radius = rng.uniform(0.02, 0.045)
    high = radius * rng.uniform(1.4, 3)
    return [lathe([(0, 0), (radius, 0), (0.1 * radius, high), (0, high)], any_colour(rng))]


def _tray(rng: Rng) -> list[Part]:
    x, y, high = rng.uniform(0.08, 0.15), rng.uniform(0.08, 0.15), rng.uniform(0.01, 0.07)
    colour = any_colour(rng)
    parts = [box((x, y, 0.003), (0, 0, 0.003), colour)]
    for end in (-1, 1):
        parts.append(box((0.005, y, high / 2), (end * x, 0, high / 2), colour))
        parts.append(box((x, 0.005, high / 2), (0, end * y, high / 2), colour))
    return parts


def _spoon(rng: Rng) -> list[Part]:
    colour, long = any_colour(rng), rng.uniform(0.08, 0.13)
    t = np.linspace(-np.pi / 2, np.pi / 2, 8)
    head = lathe([(float(np.cos(a)), float(np.sin(a))) for a in t], colour, segments=12)
    size = rng.uniform(0.013, 0.02)
    head = head._replace(vertices=head.vertices * [1.5 * size, size, 0.004])
    handle = box((long / 2, 0.004, 0.002), (long / 2 + size, 0, 0), colour)
    return [head, moved(handle, (0, 0, 0))]
