"""Names of outlines: shape from the radius profile, colour from the hue, notches.

It is independent of `perception.colours`, `attributes` and `segment`, which determine the same
names by other measurements.
"""

from __future__ import annotations

from bisect import bisect

import cv2
import numpy as np
import numpy.typing as npt

from bt_exec_skills.image.perception.attributes import ShapeName
from bt_exec_skills.image.perception.colours import ColourName

__all__ = ["colour_by_hue", "notches_of", "shape_of_outline"]

_NOTCH = 75.0  # interior angle of a notch [deg]
_COARSE = 0.12  # tolerance of the corners of the outline, as a share of the thickness of the object
_SWING = 0.04  # variation of the radius: a disc has less, a square 0.14, a triangle 0.27


def notches_of(outline: npt.NDArray[np.int32], thick: float) -> int:
    """Return the number of notches of an outline; two touching objects have two between them.

    A notch is a corner that turns inwards by slightly less than a right angle or more. An
    occluding object makes smaller corners, or only one.

    Args:
        outline: Points in order.
        thick: Radius of the largest inner disc [px].
    """
    corners = cv2.approxPolyDP(outline, _COARSE * thick, closed=True)[:, 0].astype(np.float64)
    if len(corners) < 5:
        return 0
    before = corners - np.roll(corners, 1, axis=0)
    after = np.roll(corners, -1, axis=0) - corners
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    turns = np.degrees(np.arctan2(cross, (before * after).sum(axis=1)))
    if turns.sum() < 0:
        turns = -turns
    return int((turns < -_NOTCH).sum())


def shape_of_outline(outline: npt.NDArray[np.int32]) -> ShapeName | None:
    """Return a shape by the period of its radius: three, four, or none."""
    points = outline[:, 0].astype(np.float64)
    moments = cv2.moments(outline)
    if not moments["m00"]:
        return None
    middle = np.array([moments["m10"], moments["m01"]]) / moments["m00"]
    away = points - middle
    angle, radius = np.arctan2(away[:, 1], away[:, 0]), np.hypot(away[:, 0], away[:, 1])
    order = np.argsort(angle)
    even = np.interp(
        np.linspace(-np.pi, np.pi, 128, endpoint=False),
        angle[order],
        radius[order],
        period=2 * np.pi,
    )
    two, three, four = np.abs(np.fft.rfft(even))[2:5] / max(1.0, even.sum()) * 2
    if two > _SWING:
        return None  # longer than wide: a bar, an ellipse
    if three > 3 * _SWING:
        return "triangle"
    if three > _SWING:
        return None
    return "circle" if four < _SWING else "square" if four > 2 * _SWING else None


def colour_by_hue(rgb: npt.NDArray[np.float64]) -> ColourName | None:
    """Return the name of a colour by its hue [deg], saturation and lightness; None between two."""
    pixel = (rgb / 255).astype(np.float32).reshape(1, 1, 3)
    hue, light, strong = (float(v) for v in cv2.cvtColor(pixel, cv2.COLOR_RGB2HLS)[0, 0])
    chroma = float(rgb.max() - rgb.min()) / 255
    if light < 0.12:
        return "black"
    if chroma < 0.1:
        return _GREYS[bisect(_LIGHTS, light)]
    if chroma < 0.16 or strong < 0.15:
        return None
    if 300 <= hue < 335 and light < 0.45:
        return None  # purple in warm light, or a dark pink
    for name, low, high in _HUES:
        if low <= hue < high:
            if 14 <= hue < 40 and chroma < 0.42:
                return "brown" if light < 0.36 else None
            if 8 <= hue < 40 and light < 0.42:
                return None  # brown, or a dark orange
            if name == "red" and light > 0.72:
                return "pink"
            return name
    return None


_LIGHTS = (0.2, 0.78, 0.87)
_GREYS: tuple[ColourName | None, ...] = ("black", "grey", None, "white")
_HUES: tuple[tuple[ColourName, float, float], ...] = (
    ("red", 0, 12), ("orange", 18, 40), ("yellow", 45, 66), ("green", 75, 160), ("cyan", 172, 195),
    ("blue", 205, 250), ("purple", 260, 300), ("pink", 305, 345), ("red", 348, 361),
)  # fmt: skip
