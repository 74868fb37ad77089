"""Second detector of single-coloured objects, based on outlines and another colour model.

`perception.colour_segmentation` names every pixel in CIELAB, joins pixels of one name, and cuts
regions at narrow places. This detector is independent of that method, so that agreement of both is
evidence:

1. Edges (Scharr, above the noise of the picture) divide the picture into uniform regions
   ("pieces"), which a watershed extends up to the edges.
2. Hue, saturation and lightness of the centre determine the colour.
3. Notches in the outline separate touching objects.
4. The Fourier components of the radius determine the shape.
"""

from __future__ import annotations

from bisect import bisect
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from bt_exec_skills.image.perception.attributes import ShapeName
from bt_exec_skills.image.perception.colours import ColourName
from bt_exec_skills.perception.pictures_and_boxes import Box, Frame, border_pixels

__all__ = ["Outline", "colour_by_hue", "find_outlines"]

_LONGEST = 1024  # longer side of the reduced picture [px]
_LEAST_PX, _LEAST_SHARE = 64, 0.0003
_NOISE = 6.0  # minimum gradient of an edge, as a multiple of the median gradient
_LEAST_EDGE = 60.0  # minimum gradient of an edge [Scharr / 16]
_FAINT = 18.0  # tolerance of one colour, in the channel that differs most [grey levels]
_SMALL = 0.1  # pieces with a smaller share of the median box area may be halos or fragments
_MOST = 400  # more pieces than this are texture, not objects


Places: TypeAlias = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]


class Outline(NamedTuple):
    """Object found by its outline.

    Attributes:
        bbox: Box in pixels of the full picture.
        colour: Colour; None if it is between two names, or if the notches do not determine the
            number of objects.
        shape: Shape; None if it is not a known shape, or is between two.
        parts: Number of touching objects, which notches separate.
    """

    bbox: Box
    colour: ColourName | None
    shape: ShapeName | None
    parts: int


def find_outlines(picture: Frame, scale: float = 1.0) -> list[Outline] | None:
    """Return the objects in a picture by their outlines; None without a plain background.

    Args:
        picture: RGB.
        scale: Factor on the resolution; with 1, the longer side has at most 1024 px.
    """
    factor = scale * min(1.0, _LONGEST / max(picture.shape[:2]))
    size = max(8, round(picture.shape[1] * factor)), max(8, round(picture.shape[0] * factor))
    kind = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(picture, size, interpolation=kind), np.uint8)
    labels = _label_pieces(small)
    if labels is None:
        return None
    places = _pixels_by_piece(labels)
    ground = np.median(small[places.pop(1)], axis=0)
    found = (
        _object_of_piece(small, rows, columns, ground, factor) for rows, columns in places.values()
    )
    things = [one for one in found if one is not None]
    usual = np.median([_box_area(one) for one in things]) if things else 0.0
    return [
        one if _box_area(one) >= _SMALL * usual else _without_colour_and_shape(one)
        for one in things
    ]


def _pixels_by_piece(labels: npt.NDArray[np.int32]) -> dict[int, Places]:
    """Return the rows and columns of the pixels of each piece, by the number of the piece."""
    flat = labels.ravel()
    order = np.argsort(flat, kind="stable")
    numbers, starts = np.unique(flat[order], return_index=True)
    parts = np.split(order, starts[1:])
    return {
        int(number): np.divmod(part, labels.shape[1])
        for number, part in zip(numbers, parts, strict=True)
        if number > 0
    }


def _box_area(one: Outline) -> float:
    x1, y1, x2, y2 = one.bbox
    return float((x2 - x1) * (y2 - y1))


def _without_colour_and_shape(one: Outline) -> Outline:
    """Return a small object without colour and shape, because it may be a halo."""
    return one._replace(colour=None, shape=None)


def _label_pieces(small: Frame) -> npt.NDArray[np.int32] | None:
    """Label the uniform regions of a picture; None without a plain background.

    Returns an array with the number of the piece to which each pixel belongs. The background has
    the number 1.
    """
    smooth = cv2.GaussianBlur(cv2.medianBlur(small, 3), (3, 3), 0)
    steep = np.zeros(small.shape[:2], np.float32)
    for channel in cv2.split(smooth):
        x, y = (cv2.Scharr(channel, cv2.CV_32F, *way) / 16 for way in ((1, 0), (0, 1)))
        steep = np.maximum(steep, np.hypot(x, y))
    edges = steep > max(_LEAST_EDGE / 16, _NOISE * float(np.median(steep)))
    count, flat, stats, _ = cv2.connectedComponentsWithStats(
        (~edges).astype(np.uint8), connectivity=4
    )
    least = max(_LEAST_PX, _LEAST_SHARE * steep.size) / 4
    kept = [n for n in range(1, count) if stats[n, cv2.CC_STAT_AREA] >= least]
    border = border_pixels(flat)
    ground = int(np.bincount(border).argmax()) if border.any() else 0
    if len(kept) > _MOST or ground == 0 or (border == ground).mean() < 0.6:
        return None
    markers = np.zeros_like(flat)
    markers[flat == ground] = 1
    for number, piece in enumerate((n for n in kept if n != ground), 2):
        markers[flat == piece] = number
    grown = np.asarray(cv2.watershed(np.ascontiguousarray(smooth), markers), np.int32)
    return _merge_similar_pieces(grown, small)


def _merge_similar_pieces(labels: npt.NDArray[np.int32], small: Frame) -> npt.NDArray[np.int32]:
    """Return the labels after merging neighbouring pieces of nearly the same colour."""
    count = int(labels.max()) + 1
    middles = np.zeros((count, 3))
    for number, place in _pixels_by_piece(labels).items():
        middles[number] = np.median(small[place], axis=0)
    first = np.arange(count)
    sides = ((labels[:, :-2], labels[:, 2:]), (labels[:-2], labels[2:]))
    pairs = np.concatenate([np.stack((a.ravel(), b.ravel())) for a, b in sides], axis=1)
    pairs = np.unique(pairs[:, (pairs > 0).all(axis=0) & (pairs[0] != pairs[1])], axis=1)
    for one, other in pairs.T:
        if np.abs(middles[one] - middles[other]).max() < _FAINT:
            first[first == first[other]] = first[one]
    first[first == first[1]] = 1
    return np.asarray(np.where(labels > 0, first[labels], labels), np.int32)


def _object_of_piece(
    small: Frame,
    rows: npt.NDArray[np.intp],
    columns: npt.NDArray[np.intp],
    ground: npt.NDArray[np.float64],
    factor: float,
) -> Outline | None:
    """Return a piece as an object; None if it is too small or has the colour of the background."""
    area, least = rows.size, _LEAST_PX * min(1.0, factor) ** 2
    if area < max(least, _LEAST_SHARE * small.shape[0] * small.shape[1]):
        return None
    top, left = int(rows.min()), int(columns.min())
    own = np.zeros((int(rows.max()) - top + 5, int(columns.max()) - left + 5), np.uint8)
    own[rows - top + 2, columns - left + 2] = 1
    own = np.asarray(cv2.morphologyEx(own, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
    outlines, _ = cv2.findContours(own, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(outlines, key=len)
    if len(outline) < 8:
        return None
    inside = cv2.erode(own, np.ones((3, 3), np.uint8), iterations=2)
    deep = inside[rows - top + 2, columns - left + 2] > 0
    middle = np.median(small[rows, columns][deep if deep.any() else slice(None)], axis=0)
    if np.abs(middle - ground).max() < _FAINT:
        return None
    sides = left, top, int(columns.max()) + 1, int(rows.max()) + 1
    x1, y1, x2, y2 = (round(side / factor) for side in sides)
    notches = _count_notches(outline, float(cv2.distanceTransform(own, cv2.DIST_L2, 5).max()))
    shape = _shape_of_outline(outline) if notches < 2 else None
    colour = colour_by_hue(middle) if notches in (0, 1, 2, 4, 6, 8) else None
    return Outline((x1, y1, x2, y2), colour, shape, 1 + notches // 2)


_NOTCH = 75.0  # minimum angle by which the outline turns inwards at a notch [deg]
_COARSE = 0.12  # tolerance of the simplified outline, as a share of the object's thickness
_SWING = 0.04  # minimum radius variation of a shape with corners (square 0.14, triangle 0.27)


def _count_notches(outline: npt.NDArray[np.int32], thick: float) -> int:
    """Return the number of notches of an outline; two touching objects have two notches.

    A notch is a corner at which the outline turns inwards by about a right angle or more. An
    occluding object causes smaller turns, or only one notch.

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


def _shape_of_outline(outline: npt.NDArray[np.int32]) -> ShapeName | None:
    """Return the shape of an outline, by the Fourier components of its radius over the angle."""
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
        return None  # longer than wide, such as a bar or an ellipse
    if three > 3 * _SWING:
        return "triangle"
    if three > _SWING:
        return None
    return "circle" if four < _SWING else "square" if four > 2 * _SWING else None


def colour_by_hue(rgb: npt.NDArray[np.float64]) -> ColourName | None:
    """Return the name of a colour by hue, saturation and lightness; None if between two names."""
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
        return None  # may be purple in warm light, or dark pink
    for name, low, high in _HUES:
        if low <= hue < high:
            if 14 <= hue < 40 and chroma < 0.42:
                return "brown" if light < 0.36 else None
            if 8 <= hue < 40 and light < 0.42:
                return None  # may be brown, or dark orange
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
