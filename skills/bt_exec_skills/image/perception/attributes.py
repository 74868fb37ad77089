"""Attributes of an object in a crop: colour, shape, brightness, sharpness and size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, get_args

import cv2
import numpy as np

from bt_exec_skills.image.perception.colour_segmentation import without_holes
from bt_exec_skills.image.perception.colours import COLOURS, ColourName, colour_shares, to_cielab
from bt_exec_skills.image.perception.instances import LYING, Crop, Decision, Instance

__all__ = [
    "ATTRIBUTES", "AttributeName", "Grouping", "count_by", "least_frequent", "most_frequent",
    "name_by", "name_colour", "name_shape", "name_thing", "verify_attribute",
]  # fmt: skip

ShapeName = Literal["circle", "square", "rectangle", "triangle"]
OtherName = Literal[
    "big", "small", "tall", "short", "bright", "dark", "sharp", "blurred", "filled", "hollow"
]  # fmt: skip
Grouping = Literal["colour", "shape", "size", "kind"]
AttributeName = ColourName | ShapeName | OtherName
SHAPES: tuple[ShapeName, ...] = get_args(ShapeName)
ATTRIBUTES: tuple[str, ...] = (*COLOURS, *SHAPES, *get_args(OtherName))

_FILLS = {"circle": 0.955, "rectangle": 0.96, "triangle": 0.935}
"""Ratio of the area of each shape to its smallest enclosing shape of that kind, as measured on
drawn shapes with rough edges."""
_CLEAR_FIT, _LEAST_FIT = 0.07, 0.88
_UNCLEAR = 0.5  # clarity below which a name is undecided
_TRACE = 0.05  # a colour with a smaller share certainly is not the colour of the object
_SQUARE = 1.25  # maximum ratio of the sides of a square
_RATIO = 1.35  # minimum ratio between the sides of big and small objects
_BRIGHT, _DARK, _BAND = 65.0, 35.0, 6.0  # lightness, CIE L
_SHARP, _BLURRED = 60.0, 20.0  # variance of the Laplacian of grey levels
_FILLED, _HOLLOW = 0.93, 0.8  # share of the enclosed area: minimum if filled, maximum if hollow


def verify_attribute(crop: Crop, attribute: AttributeName, among: Sequence[Crop] = ()) -> Decision:
    """Decide on the crop of an object whether it has an attribute.

    An object has a colour if that is the most frequent colour with a margin over the next. It has a
    shape if it fills the smallest enclosing shape of that kind better than those of other kinds. It
    is hollow if its outline encloses pixels that are not part of the object. Size is relative to
    `among`.

    Args:
        crop: Crop of the object.
        attribute: Attribute; see `ATTRIBUTES`.
        among: All candidates, for ``big``, ``small``, ``tall`` and ``short``.
    """
    if attribute in COLOURS:
        found, clear = name_colour(crop)
        if clear < _UNCLEAR and found != attribute and _colour_share(crop, attribute) < _TRACE:
            return Decision(False, found, _UNCLEAR)
        return _decide_attribute(found, attribute, clear)
    if attribute in SHAPES:
        shape, clear = name_shape(crop)
        if attribute == "rectangle" and shape == "square":  # every square is a rectangle
            return Decision(True, shape, clear)
        return _decide_attribute(shape, attribute, clear)
    if attribute in ("big", "small", "tall", "short"):
        return _decide_size(crop, attribute, among)
    if attribute in ("bright", "dark"):
        level = float(to_cielab(crop.pixels)[..., 0][crop.own].mean())
        word = "bright" if level >= _BRIGHT else "dark" if level <= _DARK else "medium"
        edge = min(abs(level - _BRIGHT), abs(level - _DARK))
        return _decide_attribute(word, attribute, min(1.0, 0.5 + edge / _BAND / 2))
    if attribute in ("filled", "hollow"):
        return _decide_filled(crop, attribute)
    grey = cv2.cvtColor(crop.pixels, cv2.COLOR_RGB2GRAY)
    spread = float(cv2.Laplacian(grey, cv2.CV_64F).var())
    if _BLURRED < spread < _SHARP:
        return Decision(None, "between sharp and blurred", 0.5)
    return _decide_attribute("sharp" if spread >= _SHARP else "blurred", attribute, 0.8)


def _decide_attribute(found: str, wanted: str, clear: float) -> Decision:
    if clear < _UNCLEAR:
        return Decision(None, found, clear)
    return Decision(found == wanted, found, clear)


def name_colour(crop: Crop) -> tuple[str, float]:
    """Return the most frequent colour of an object and its clarity, 0..1; undecided below 0.5."""
    shares = list(colour_shares(crop.pixels, crop.own).items())
    if not shares:
        return "", 0.0
    second = shares[1][1] if len(shares) > 1 else 0.0
    margin = (shares[0][1] - second) / (shares[0][1] + second)
    return shares[0][0], float(min(1.0, 0.25 + margin))


def _colour_share(crop: Crop, colour: str) -> float:
    shares = colour_shares(crop.pixels, crop.own)
    return sum(share for name, share in shares.items() if name == colour)


def name_shape(crop: Crop) -> tuple[str, float]:
    """Return the shape of an object and its clarity, 0..1; undecided below 0.5.

    The shape of an object without a mask is unknown.
    """
    if crop.instance.mask is None:
        return "", 0.0
    edge = np.pad(crop.own.astype(np.uint8), 1)
    contours, _ = cv2.findContours(edge, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    points = max(contours, key=len)
    area = float(without_holes(crop.own).sum())  # so that a ring counts as a circle
    (_, _), radius = cv2.minEnclosingCircle(points)
    (_, _), sides, _ = cv2.minAreaRect(points)
    triangle, _ = cv2.minEnclosingTriangle(points)
    wide, high = (side + 1 for side in sides)
    around = {
        "circle": np.pi * (radius + 0.5) ** 2,
        "rectangle": wide * high,
        "triangle": triangle + cv2.arcLength(points, True) / 2,  # `points` are pixel centres
    }
    fits = sorted(((area / around[name] / _FILLS[name], name) for name in _FILLS), reverse=True)
    best, name = fits[0]
    if name == "rectangle" and max(wide, high) < _SQUARE * min(wide, high):
        name = "square"
    margin = best - fits[1][0]
    if best < _LEAST_FIT:
        return name, 0.4
    return name, float(min(1.0, 0.5 * margin / _CLEAR_FIT))


def name_by(crop: Crop, by: Grouping) -> tuple[str, float]:
    """Return the colour, shape or class of an object, and its clarity, 0..1.

    A region found by colour has no class; its shape is returned instead.
    """
    if by == "kind" and "colour" not in crop.instance.source:
        return crop.instance.label, 1.0
    return name_colour(crop) if by == "colour" else name_shape(crop)


def name_thing(crop: Crop) -> tuple[str, float]:
    """Return the class of an object, or else its colour and shape, and the clarity, 0..1."""
    kind, clear = name_by(crop, "kind")
    if "colour" not in crop.instance.source:
        return kind, clear
    colour, distinct = name_colour(crop)
    return f"{colour} {kind}", min(clear, distinct)


def count_by(crops: Sequence[Crop], by: Grouping, listed: Sequence[str] = ()) -> dict[str, int]:
    """Return the number of objects of each colour, shape or class, the most frequent group first.

    The groups in `listed` are included even if they are empty.
    """
    counts = Counter(name_by(one, by)[0] for one in crops)
    counts.update(dict.fromkeys(listed, 0))
    return dict(counts.most_common())


def most_frequent(groups: Mapping[str, int]) -> list[str]:
    """Return the name of the largest group; several names if groups are equally large."""
    return [name for name, number in groups.items() if number == max(groups.values())]


def least_frequent(groups: Mapping[str, int]) -> list[str]:
    """Return the name of the smallest group; several names if groups are equally small."""
    return [name for name, number in groups.items() if number == min(groups.values())]


def _decide_filled(crop: Crop, attribute: str) -> Decision:
    """Decide whether an object is filled or hollow; undecided without a mask.

    The decision compares the area of the object with the area inside its outline.
    """
    if crop.instance.mask is None:
        return Decision(None, "", 0.0)
    share = float(crop.own.sum() / max(1, int(without_holes(crop.own).sum())))
    if _HOLLOW < share < _FILLED:
        return Decision(None, "between filled and hollow", 0.5)
    return _decide_attribute("filled" if share >= _FILLED else "hollow", attribute, 0.9)


def object_height_or_side(instance: Instance, upright: bool) -> float:
    """Return the height of an object if `upright`, otherwise the square root of its area [px].

    The length of a horizontal bar of a chart counts as its height.
    """
    if upright and instance.source == LYING:
        return float(instance.bbox[2] - instance.bbox[0])
    return float(instance.bbox[3] - instance.bbox[1]) if upright else float(np.sqrt(instance.area))


def _decide_size(crop: Crop, attribute: str, among: Sequence[Crop]) -> Decision:
    """Decide whether an object is big or small, or tall or short, compared with all candidates.

    The largest ratio between successive sizes separates the two groups.
    """
    upright = attribute in ("tall", "short")
    sides = sorted(object_height_or_side(one.instance, upright) for one in among)
    ratios = [after / before for before, after in pairwise(sides)]
    if not ratios or max(ratios) < _RATIO:
        return Decision(None, "of the size of the others", 0.4)
    border = sides[int(np.argmax(ratios))]
    more, less = ("tall", "short") if upright else ("big", "small")
    found = more if object_height_or_side(crop.instance, upright) > border else less
    return _decide_attribute(found, attribute, float(min(1.0, 0.5 + (max(ratios) - _RATIO))))
