"""Meshes of chairs and human figures that stand at height 0."""

from __future__ import annotations

import colorsys

import numpy as np
import numpy.typing as npt

from bt_exec_skills.things.dataset.mesh_primitives import (
    Colour,
    Part,
    Rng,
    axis_rotation,
    box_mesh,
    random_colour,
    revolve_profile,
    rotate_parts,
    translate_part,
    wood_colour,
)

__all__ = ["SEAT_M", "chair_parts", "person_parts"]

SEAT_M = 0.46
"""Height of a chair's seat [m]."""


def chair_parts(rng: Rng) -> list[Part]:
    """Return the parts of a random chair that faces along x."""
    colour = wood_colour(rng) if rng.random() < 0.5 else random_colour(rng)
    seat = colour if rng.random() < 0.5 else random_colour(rng)
    half, high = rng.uniform(0.19, 0.24), rng.uniform(0.82, 1.0)
    thick, leg = rng.uniform(0.015, 0.04), rng.uniform(0.014, 0.024)
    parts = [box_mesh((half, half, thick), (0, 0, SEAT_M - thick), seat)]
    for x in (-1, 1):
        for y in (-1, 1):
            at = (x * (half - leg), y * (half - leg), SEAT_M / 2 - thick)
            parts.append(box_mesh((leg, leg, SEAT_M / 2 - thick), at, colour))
    back = -half + leg
    if rng.random() < 0.5:  # one board
        middle = (high + SEAT_M) / 2 + 0.05
        parts.append(box_mesh((0.012, half, (high - SEAT_M) / 2 - 0.05), (back, 0, middle), seat))
    else:  # bars
        heights = np.linspace(SEAT_M + 0.15, high - 0.03, int(rng.integers(2, 4)))
        parts += [box_mesh((0.01, half, 0.025), (back, 0, float(z)), colour) for z in heights]
    for y in (-1, 1):
        at = (back, y * (half - leg), (high + SEAT_M) / 2)
        parts.append(box_mesh((leg, leg, (high - SEAT_M) / 2), at, colour))
    return parts


def person_parts(rng: Rng) -> list[Part]:
    """Return the parts of a random standing person who faces along x.

    The arms hang, reach forward or are bent.
    """
    tall = rng.uniform(1.45, 1.9)
    skin = colorsys.hsv_to_rgb(
        rng.uniform(0.03, 0.08), rng.uniform(0.25, 0.6), rng.uniform(0.3, 0.95)
    )
    shirt, trousers = random_colour(rng), random_colour(rng)
    hair = colorsys.hsv_to_rgb(
        rng.uniform(0.0, 0.12), rng.uniform(0.1, 0.6), rng.uniform(0.03, 0.6)
    )
    hip, shoulder = 0.5 * tall, 0.8 * tall
    wide = 0.115 * tall
    parts = [
        _rod((0, y * 0.5 * wide, 0.03), (0, y * 0.45 * wide, hip), 0.075, trousers) for y in (-1, 1)
    ]
    flat = 0.72
    body = [
        (0.0, hip - 0.06), (0.8 * wide, hip), (0.78 * wide, hip + 0.12), (wide, shoulder - 0.1),
        (0.9 * wide, shoulder), (0.45 * wide, shoulder + 0.05), (0.0, shoulder + 0.07),
    ]  # fmt: skip
    torso = revolve_profile(body, shirt)
    parts.append(torso._replace(vertices=torso.vertices * [flat, 1.25, 1.0]))
    parts.append(_rod((0, 0, shoulder), (0, 0, shoulder + 0.12), 0.045, skin))
    t = np.linspace(-np.pi / 2, np.pi / 2, 10)
    head, middle = 0.062 * tall, 0.925 * tall
    ball = [(float(np.cos(a)) * head, middle + 1.2 * head * float(np.sin(a))) for a in t]
    parts.append(revolve_profile(ball, skin))
    cap = [(r * 1.07, z + 0.012) for r, z in ball if z > middle + rng.uniform(-0.2, 0.35) * head]
    parts.append(
        translate_part(
            revolve_profile([(0, cap[0][1]), *cap[:-1], (0, cap[-1][1])], hair), (-0.012, 0, 0)
        )
    )
    sleeve = shirt if rng.random() < 0.5 else skin
    for side in (-1, 1):
        joint = np.array([0, side * 1.2 * wide, shoulder - 0.03])
        reach = rng.uniform(-0.3, 1.6)
        elbow = joint + 0.165 * tall * np.array([np.sin(reach), 0.1 * side, -np.cos(reach)])
        bend = reach + rng.uniform(0, 0.9)
        hand = elbow + 0.15 * tall * np.array([np.sin(bend), -0.1 * side, -np.cos(bend)])
        parts.append(_rod(joint, elbow, 0.045, shirt))
        parts.append(_rod(elbow, hand, 0.036, sleeve))
        fist = np.array([0, 0, 0.02])
        parts.append(_rod(hand - fist, hand + fist, 0.042, skin))
    return parts


def _rod(start: npt.ArrayLike, end: npt.ArrayLike, radius: float, colour: Colour) -> Part:
    """Return a rod with round ends."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    long = float(np.linalg.norm(b - a))
    t = np.linspace(-np.pi / 2, 0, 4)
    low = [(float(np.cos(x)) * radius, float(np.sin(x)) * radius) for x in t]
    high = [(r, long - z) for r, z in reversed(low)]
    rod = revolve_profile([*low, *high], colour, segments=10)
    along = (b - a) / long
    axis = np.cross([0.0, 0.0, 1.0], along)
    size = float(np.linalg.norm(axis))
    if size > 1e-6:
        x, y, z = axis / size
        rod = rotate_parts(
            [rod], axis_rotation((x, y, z), float(np.arccos(np.clip(along[2], -1, 1))))
        )[0]
    return translate_part(rod, a)
