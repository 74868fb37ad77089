"""Building blocks of generated objects: colours, rotations, and meshes of simple shapes.

Lengths are in metres; z points upwards.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import mujoco
import numpy as np
import numpy.typing as npt

__all__ = [
    "FRUIT",
    "PAINT",
    "Colour",
    "Floats",
    "Part",
    "Rng",
    "Shade",
    "axis_rotation",
    "box_mesh",
    "colour_near",
    "lying_rotation",
    "random_colour",
    "revolve_profile",
    "rotate_parts",
    "settled_on_ground",
    "tilted_rotation",
    "translate_part",
    "tube",
    "wood_colour",
]

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


def colour_near(shade: Shade, rng: Rng) -> Shade:
    """Return a random colour near `shade`."""
    r, g, b = np.clip(np.asarray(shade) * rng.uniform(0.88, 1.1) + rng.normal(0, 0.025, 3), 0, 1)
    return float(r), float(g), float(b)


def random_colour(rng: Rng) -> Shade:
    """Return a random colour, mostly dull and sometimes vivid."""
    vivid = rng.uniform(0.0, 0.25) if rng.random() < 0.65 else rng.uniform(0.25, 0.9)
    return colorsys.hsv_to_rgb(rng.random(), vivid, rng.uniform(0.1, 1.0))


def wood_colour(rng: Rng) -> Shade:
    """Return a random colour of wood."""
    hue, vivid = rng.uniform(0.05, 0.11), rng.uniform(0.25, 0.65)
    return colorsys.hsv_to_rgb(hue, vivid, rng.uniform(0.3, 0.9))


Matrix = npt.NDArray[np.float64]


def axis_rotation(axis: tuple[float, float, float], angle: float) -> Matrix:
    """Return the rotation about a unit vector by an angle [rad]."""
    quat, turn = np.zeros(4), np.zeros(9)
    mujoco.mju_axisAngle2Quat(quat, np.asarray(axis, float), angle)
    mujoco.mju_quat2Mat(turn, quat)
    return turn.reshape(3, 3)


def tilted_rotation(rng: Rng, most: float) -> Matrix:
    """Return a rotation with a random yaw and a random tilt of at most `most` [rad]."""
    way, spin = rng.uniform(0, 2 * np.pi, 2)
    tilt = axis_rotation((float(np.cos(way)), float(np.sin(way)), 0.0), rng.uniform(0, most))
    return np.asarray(tilt @ axis_rotation((0.0, 0.0, 1.0), spin))


def lying_rotation(rng: Rng) -> Matrix:
    """Return a rotation that makes the z axis horizontal, with a small random deviation."""
    return axis_rotation((0.0, 1.0, 0.0), float(np.pi / 2 + rng.uniform(-0.12, 0.12)))


Floats = npt.NDArray[np.float64]
Colour = Sequence[float]
_SEGMENTS = 24


class Part(NamedTuple):
    """Mesh of one closed surface in one colour.

    Attributes:
        vertices: Positions of the vertices [m], shape (n, 3).
        faces: Triangles as indices of vertices, counter-clockwise seen from outside, shape (m, 3).
        colour: Red, green, blue, 0..1.
    """

    vertices: Floats
    faces: npt.NDArray[np.int32]
    colour: Colour


def revolve_profile(
    profile: Sequence[tuple[float, float]],
    colour: Colour,
    *,
    segments: int = _SEGMENTS,
    wide: Callable[[Floats], Floats] | None = None,
) -> Part:
    """Return the surface of revolution of a profile around the z axis.

    Args:
        profile: Radius and height of the points of the profile, from the lowest point on the axis,
            outwards and up, to the highest point on the axis [m].
        colour: Colour of the part.
        segments: Number of segments of a full turn.
        wide: Function that returns a factor on the radius for each angle [rad], for ribs and stars.
    """
    angles = np.asarray(np.arange(segments) * (2 * np.pi / segments), np.float64)
    factor = np.ones(segments) if wide is None else wide(angles)
    inner = profile[1:-1]
    rings = [
        np.stack(
            [r * factor * np.cos(angles), r * factor * np.sin(angles), np.full(segments, z)], 1
        )
        for r, z in inner
    ]
    ends = np.array([[0.0, 0.0, profile[0][1]], [0.0, 0.0, profile[-1][1]]])
    vertices = np.concatenate([*rings, ends])
    bottom, top = len(vertices) - 2, len(vertices) - 1
    here, after = np.arange(segments), (np.arange(segments) + 1) % segments
    last = (len(inner) - 1) * segments
    faces = [np.stack([np.full(segments, bottom), after, here], 1)]
    for low in range(0, last, segments):
        a, b = low + here, low + after
        c, d = a + segments, b + segments
        faces += [np.stack([a, b, d], 1), np.stack([a, d, c], 1)]
    faces.append(np.stack([np.full(segments, top), last + here, last + after], 1))
    return Part(vertices, np.concatenate(faces).astype(np.int32), colour)


def tube(path: Floats, radius: float, colour: Colour, *, segments: int = 8) -> Part:
    """Return a tube around `path` [m], shape (n, 3), which must lie in a plane."""
    side = np.cross(path[-1] - path[0], path[len(path) // 2] - path[0])
    side /= np.linalg.norm(side)
    angles = np.arange(segments) * (2 * np.pi / segments)
    rings = []
    for place in range(len(path)):
        along = path[min(place + 1, len(path) - 1)] - path[max(place - 1, 0)]
        out = np.cross(along / np.linalg.norm(along), side)
        rings.append(
            path[place] + radius * (np.cos(angles)[:, None] * out + np.sin(angles)[:, None] * side)
        )
    vertices = np.concatenate([*rings, path[:1], path[-1:]])
    here, after = np.arange(segments), (np.arange(segments) + 1) % segments
    last = (len(path) - 1) * segments
    first_end, last_end = len(vertices) - 2, len(vertices) - 1
    faces = [np.stack([np.full(segments, first_end), here, after], 1)]
    for low in range(0, last, segments):
        a, b = low + here, low + after
        faces += [np.stack([a, b + segments, b], 1), np.stack([a, a + segments, b + segments], 1)]
    faces.append(np.stack([np.full(segments, last_end), last + after, last + here], 1))
    return Part(vertices, np.concatenate(faces).astype(np.int32), colour)


def box_mesh(half: Sequence[float], middle: Sequence[float], colour: Colour) -> Part:
    """Return a box; each side has separate vertices, so that the shading has sharp edges."""
    vertices: list[Floats] = []
    faces: list[tuple[int, int, int]] = []
    for axis in range(3):
        for end in (-1.0, 1.0):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            first = len(vertices)
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corner = np.zeros(3)
                corner[axis], corner[u], corner[v] = end, a, b
                vertices.append(corner * np.asarray(half) + np.asarray(middle))
            order = (0, 1, 2, 3) if end > 0 else (0, 3, 2, 1)
            a, b, c, d = (first + place for place in order)
            faces += [(a, b, c), (a, c, d)]
    return Part(np.array(vertices), np.array(faces, np.int32), colour)


def rotate_parts(parts: Sequence[Part], turn: Floats) -> list[Part]:
    """Return the parts rotated about the origin by a rotation matrix."""
    return [part._replace(vertices=part.vertices @ turn.T) for part in parts]


def translate_part(part: Part, by: npt.ArrayLike) -> Part:
    """Return the part translated by a vector [m]."""
    return part._replace(vertices=part.vertices + np.asarray(by))


def settled_on_ground(parts: Sequence[Part]) -> list[Part]:
    """Return the parts moved so that they stand at height 0 and are centred on the z axis."""
    every = np.concatenate([part.vertices for part in parts])
    low, high = every.min(axis=0), every.max(axis=0)
    by = (-(low[0] + high[0]) / 2, -(low[1] + high[1]) / 2, -low[2])
    return [translate_part(part, by) for part in parts]
