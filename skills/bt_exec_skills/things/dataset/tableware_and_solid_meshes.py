"""Meshes of cups, bowls, plates, bottles and plain solids in any colour."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np

from bt_exec_skills.things.dataset.mesh_primitives import (
    PAINT,
    Part,
    Rng,
    Shade,
    axis_rotation,
    box_mesh,
    colour_near,
    lying_rotation,
    random_colour,
    revolve_profile,
    rotate_parts,
    settled_on_ground,
    tube,
)

__all__ = ["WARE"]


def _cup(rng: Rng, shade: Shade) -> list[Part]:
    radius, high = rng.uniform(0.033, 0.045), rng.uniform(0.065, 0.11)
    foot = radius * rng.uniform(0.65, 1.0)
    wall, floor = 0.0035, 0.006
    outer = [(0, 0), (foot, 0), ((foot + 2 * radius) / 3, high * 0.4), (radius, high)]
    inner = [(radius - wall, high), ((foot + 2 * radius) / 3 - wall, high * 0.4)]
    inside = shade if rng.random() < 0.6 else colour_near(PAINT["white"], rng)
    parts = [revolve_profile([*outer, *inner, (foot - wall, floor), (0, floor)], shade)]
    if rng.random() < 0.35:  # filled with a drink
        level = high * rng.uniform(0.6, 0.85)
        rim = (radius - wall) * 0.97
        drink = colour_near(
            ((0.2, 0.11, 0.05), (0.55, 0.33, 0.1), (0.9, 0.88, 0.8))[rng.integers(3)], rng
        )
        parts.append(
            revolve_profile(
                [(0, level - 0.004), (rim, level - 0.004), (rim, level), (0, level)], drink
            )
        )
    elif inside is not shade:
        floor_r = (foot - wall) * 0.98
        parts.append(
            revolve_profile(
                [(0, floor), (floor_r, floor), (floor_r, floor + 0.001), (0, floor + 0.001)], inside
            )
        )
    if rng.random() < 0.88:
        out, tall = rng.uniform(0.022, 0.034), high * rng.uniform(0.55, 0.75)
        t = np.linspace(-np.pi / 2, np.pi / 2, 9)
        start = (foot + 2 * radius) / 3 - 0.002
        path = np.stack([start + out * np.cos(t), 0 * t, high * 0.5 + tall / 2 * np.sin(t)], 1)
        parts.append(tube(path, rng.uniform(0.004, 0.006), shade))
    pose = rng.random()
    if pose < 0.07:  # on its side
        return rotate_parts(parts, axis_rotation((1.0, 0.0, 0.0), float(np.pi / 2)))
    return (
        rotate_parts(parts, axis_rotation((1.0, 0.0, 0.0), float(np.pi))) if pose < 0.12 else parts
    )


def _bowl(rng: Rng, shade: Shade) -> list[Part]:
    wall = rng.uniform(0.003, 0.006)
    if rng.random() < 0.35:  # straight walls with a random number of faces
        radius, high = rng.uniform(0.07, 0.15), rng.uniform(0.045, 0.07)
        outer = [(0, 0), (radius, 0), (radius, high)]
        inner = [(radius - 2 * wall, high), (radius - 2 * wall, 0.008), (0, 0.008)]
        return [revolve_profile([*outer, *inner], shade, segments=(12, 24)[rng.integers(2)])]
    radius, high = rng.uniform(0.055, 0.12), rng.uniform(0.4, 0.65)
    foot = radius * rng.uniform(0.3, 0.5)
    rise = np.linspace(0.12, 1.0, 7)
    outer = [
        (foot + (radius - foot) * float(np.sin(t * np.pi / 2)) ** 0.9, float(t) * high * radius)
        for t in rise
    ]
    inner = [(r - wall, max(z, 0.008)) for r, z in reversed(outer)]
    whole = [(0, 0), (foot, 0), *outer, *inner, (0, inner[-1][1])]
    return [revolve_profile(whole, shade, segments=28)]


def _plate(rng: Rng, shade: Shade) -> list[Part]:
    radius = rng.uniform(0.075, 0.145)
    if rng.random() < 0.3:  # a low straight rim
        profile = [
            (0, 0),
            (radius, 0),
            (radius, 0.018),
            (radius - 0.01, 0.018),
            (radius - 0.01, 0.008),
            (0, 0.008),
        ]
        return [revolve_profile(profile, shade, segments=(12, 28)[rng.integers(2)])]
    well, high = radius * rng.uniform(0.6, 0.72), rng.uniform(0.01, 0.02)
    profile = [
        (0, 0), (well * 0.8, 0), (well, 0.004), (radius, high), (radius, high + 0.002),
        (well, 0.008), (well * 0.93, 0.005), (0, 0.005),
    ]  # fmt: skip
    parts = [revolve_profile(profile, shade, segments=32)]
    if rng.random() < 0.3:  # a coloured ring
        ring = [
            (0, high + 0.001),
            (radius * 1.002, high + 0.001),
            (radius * 1.002, high + 0.0026),
            (radius * 0.95, high + 0.0015),
            (0, 0.003),
        ]
        parts.append(revolve_profile(ring, random_colour(rng), segments=32))
    return parts


def _bottle(rng: Rng, shade: Shade) -> list[Part]:
    radius, high = rng.uniform(0.026, 0.04), rng.uniform(0.17, 0.27)
    neck, shoulder = radius * rng.uniform(0.3, 0.45), high * rng.uniform(0.5, 0.68)
    profile = [
        (0, 0), (radius, 0), (radius, shoulder), (radius * 0.85, shoulder + 0.12 * high),
        (neck, high * 0.84), (neck, high), (0, high),
    ]  # fmt: skip
    parts = [revolve_profile(profile, shade, segments=18)]
    cap = random_colour(rng)
    top = [
        (0, high - 0.012),
        (neck * 1.2, high - 0.012),
        (neck * 1.2, high + 0.003),
        (0, high + 0.003),
    ]
    parts.append(revolve_profile(top, cap, segments=12))
    if rng.random() < 0.6:
        low, up = shoulder * 0.25, shoulder * 0.8
        label = [(0, low), (radius * 1.012, low), (radius * 1.012, up), (0, up)]
        parts.append(revolve_profile(label, random_colour(rng), segments=18))
    return rotate_parts(parts, lying_rotation(rng)) if rng.random() < 0.22 else parts


def _cube(rng: Rng, shade: Shade) -> list[Part]:
    half = rng.uniform(0.014, 0.035)
    return [box_mesh((half, half, half), (0, 0, half), shade)]


def _ball(rng: Rng, shade: Shade) -> list[Part]:
    radius = rng.uniform(0.016, 0.05)
    t = np.linspace(-np.pi / 2, np.pi / 2, 14)
    profile = [(float(np.cos(a)) * radius, float(np.sin(a)) * radius) for a in t]
    parts = [revolve_profile(profile, shade)]
    if rng.random() < 0.4:  # a band around it
        wide = rng.uniform(0.1, 0.4)
        t = np.linspace(-wide, wide, 5)
        arc = [(float(np.cos(a)) * radius * 1.008, float(np.sin(a)) * radius * 1.008) for a in t]
        parts.append(revolve_profile([(0, arc[0][1]), *arc, (0, arc[-1][1])], random_colour(rng)))
        parts = rotate_parts(parts, axis_rotation((1.0, 0.0, 0.0), rng.uniform(0, np.pi)))
    return parts


def _cylinder(rng: Rng, shade: Shade) -> list[Part]:
    radius = rng.uniform(0.016, 0.04)
    high = radius * rng.uniform(1.2, 3.6)
    parts = [revolve_profile([(0, 0), (radius, 0), (radius, high), (0, high)], shade)]
    if rng.random() < 0.35:
        low, up = high * rng.uniform(0.1, 0.4), high * rng.uniform(0.5, 0.9)
        band = [(0, low), (radius * 1.01, low), (radius * 1.01, up), (0, up)]
        parts.append(revolve_profile(band, random_colour(rng)))
    return (
        rotate_parts(parts, axis_rotation((0.0, 1.0, 0.0), np.pi / 2))
        if rng.random() < 0.15
        else parts
    )


_MAKERS = {
    "cup": _cup,
    "bowl": _bowl,
    "plate": _plate,
    "bottle": _bottle,
    "cube": _cube,
    "ball": _ball,
    "cylinder": _cylinder,
}


def _make(label: str, rng: Rng, colour: str) -> list[Part]:
    shade = colour_near(PAINT[colour], rng)
    return settled_on_ground(_MAKERS[label](rng, shade))


WARE: Mapping[str, Callable[[Rng, str], list[Part]]] = MappingProxyType(
    {label: partial(_make, label) for label in _MAKERS}
)
"""Function for each class that returns an object in a named colour, standing at height 0."""
