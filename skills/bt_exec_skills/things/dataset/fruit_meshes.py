"""Meshes of fruits and eggs: surfaces of revolution with stalks, dents and sepals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np

from bt_exec_skills.things.dataset.mesh_primitives import (
    FRUIT,
    Floats,
    Part,
    Rng,
    Shade,
    colour_near,
    lying_rotation,
    revolve_profile,
    rotate_parts,
    settled_on_ground,
    tilted_rotation,
)

__all__ = ["FRUITS"]

_BARK, _LEAF = (0.30, 0.20, 0.10), (0.16, 0.42, 0.12)


def _round_profile(
    radius: float, flat: float, dent: float, steps: int = 13, *, heart: float = 0.0
) -> list[tuple[float, float]]:
    """Return the profile of a round fruit, centred at the origin.

    Args:
        radius: Largest radius [m].
        flat: Ratio of height to width.
        dent: Depth of the dent on top, as a share of the radius.
        steps: Number of points of the profile.
        heart: Extra width above the middle, as a share of the radius.
    """
    profile = []
    for t in np.linspace(-np.pi / 2, np.pi / 2, steps):
        r = np.cos(t) * (1 + heart * np.sin(t))
        z = flat * np.sin(t) - (dent * np.exp(-((r / 0.33) ** 2)) if t > 0 else 0.0)
        z += 0.3 * dent * np.exp(-((r / 0.25) ** 2)) if t < 0 else 0.0
        profile.append((float(max(r, 0.0) * radius), float(z * radius)))
    return profile


def _stalk(foot: float, length: float, thick: float, colour: Shade) -> Part:
    top = foot + length
    profile = [(0, foot), (thick, foot), (0.7 * thick, top), (0, top + 0.2 * thick)]
    return revolve_profile(profile, colour, segments=6)


def _ribs(count: int, depth: float) -> Callable[[Floats], Floats]:
    return lambda angles: 1 - depth * (0.5 + 0.5 * np.cos(count * angles))


def _star_factors(angles: Floats) -> Floats:
    """Return alternating long and short factors on the radius, which give a star."""
    return np.where(np.arange(len(angles)) % 2 == 0, 1.0, 0.28)


def _tomato(rng: Rng, shade: Shade) -> list[Part]:
    radius, flat = rng.uniform(0.028, 0.042), rng.uniform(0.72, 0.9)
    dent = rng.uniform(0.1, 0.2)
    body = revolve_profile(
        _round_profile(radius, flat, dent),
        shade,
        wide=_ribs(int(rng.integers(4, 7)), rng.uniform(0, 0.07)),
    )
    top = radius * (flat - dent) + 0.001
    reach = radius * rng.uniform(0.5, 0.85)
    leaf, count = colour_near(_LEAF, rng), int(rng.integers(5, 7))
    edge = flat * radius * float(np.sqrt(max(0.05, 1 - (reach / radius) ** 2))) + 0.0015
    star = revolve_profile(
        [(0, top - 0.001), (reach, edge), (reach * 0.5, max(top, edge) + 0.003), (0, top + 0.003)],
        leaf,
        segments=2 * count,
        wide=_star_factors,
    )
    return [body, star, _stalk(top, rng.uniform(0.006, 0.016), 0.0022, leaf)]


def _apple(rng: Rng, shade: Shade) -> list[Part]:
    radius, dent = rng.uniform(0.033, 0.045), rng.uniform(0.25, 0.4)
    flat = rng.uniform(0.88, 1.0)
    body = revolve_profile(_round_profile(radius, flat, dent, heart=rng.uniform(0.08, 0.16)), shade)
    foot = radius * (flat - dent)
    return [body, _stalk(foot, radius * rng.uniform(0.4, 0.75), 0.0018, colour_near(_BARK, rng))]


def _orange(rng: Rng, shade: Shade) -> list[Part]:
    radius, flat = rng.uniform(0.033, 0.044), rng.uniform(0.92, 1.0)
    body = revolve_profile(
        _round_profile(radius, flat, 0.06), shade, wide=_ribs(9, rng.uniform(0, 0.02))
    )
    top = radius * (flat - 0.06)
    navel = revolve_profile(
        [(0, top), (0.005, top + 0.0005), (0.003, top + 0.002), (0, top + 0.002)],
        colour_near((0.35, 0.4, 0.12), rng),
        segments=10,
        wide=_star_factors,
    )
    return [body, navel]


def _lemon(rng: Rng, shade: Shade) -> list[Part]:
    radius, long = rng.uniform(0.023, 0.031), rng.uniform(1.2, 1.45)
    profile = []
    for t in np.linspace(-np.pi / 2, np.pi / 2, 15):
        tip = 0.2 * np.exp(-((np.cos(t) / 0.25) ** 2)) * np.sign(t)
        profile.append((float(np.cos(t) ** 0.9 * radius), float((long * np.sin(t) + tip) * radius)))
    return rotate_parts([revolve_profile(profile, shade)], lying_rotation(rng))


def _egg(rng: Rng, shade: Shade) -> list[Part]:
    radius = rng.uniform(0.019, 0.024)
    profile = [
        (float(np.cos(t) * (1 - 0.14 * np.sin(t)) * radius), float(1.32 * np.sin(t) * radius))
        for t in np.linspace(-np.pi / 2, np.pi / 2, 13)
    ]
    body = [revolve_profile(profile, shade)]
    return rotate_parts(body, lying_rotation(rng)) if rng.random() < 0.85 else body


_MAKERS = {"tomato": _tomato, "apple": _apple, "orange": _orange, "lemon": _lemon, "egg": _egg}
_LEANS = {"tomato": 0.6, "apple": 0.7, "orange": 3.0}  # maximum lean [rad]


def _make(label: str, rng: Rng, colour: str) -> list[Part]:
    shades = FRUIT[label]
    parts = _MAKERS[label](rng, colour_near(shades[colour], rng))
    lean = _LEANS.get(label, 0.0)
    if rng.random() < 0.1:
        lean *= 2
    return settled_on_ground(rotate_parts(parts, tilted_rotation(rng, lean)) if lean else parts)


FRUITS: Mapping[str, Callable[[Rng, str], list[Part]]] = MappingProxyType(
    {label: partial(_make, label) for label in _MAKERS}
)
"""Function for each class that returns a fruit of a named colour; the fruit stands at height 0."""
