"""Segmentation into regions of one named colour, and separation of touching objects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from bt_exec_skills.image.perception.colours import (
    COLOURS,
    ColourName,
    background_mask,
    name_pixels,
)
from bt_exec_skills.image.perception.instances import EVENED, SUREST, Instance
from bt_exec_skills.image.perception.light_correction import even_light
from bt_exec_skills.perception.pictures_and_boxes import Frame, Mask, border_pixels, box_around

__all__ = ["segment_colour", "separate_touching", "solidity", "without_holes"]

_LEAST_PX, _LEAST_SHARE = 64, 0.0003  # smaller regions are noise
_PLAIN = 0.6  # minimum share of the border that has the colour of a plain background
_UNSURE, _UNEVEN = 0.45, "colour, uneven ground"
_EVENED_SURE = 0.7  # maximum score of regions in a picture whose light was corrected
_FRINGE_PX, _FRINGE_SHARE, _FRINGE_AREA = 8, 0.006, 0.35
"""Width of a fringe [px; share of the longer side], and its maximum area as a share of the area of
the object that it surrounds."""
_BLOCK_PX, _FAINT = 16, 2.0  # reach of compression artefacts [px]; factor on the background's range
_HUGGING = 0.6  # minimum share of a fringe that is near its object
_CONVEX = 0.94  # a region that fills this share of its convex hull is one object
_SADDLE = 0.8  # maximum width between two separate centres, as a share of the width at a centre


def segment_colour(picture: Frame, colour: ColourName | None = None) -> list[Instance]:
    """Return the regions of one named colour, or of every colour, without the background.

    The background consists of pixels with the colour of the picture's border, and of regions that
    touch three of its sides. Regions below 0.03 % of the picture (or 64 px) are dropped as noise.
    Thin or faint regions beside a larger one are dropped as its outline or a compression halo. If
    `even_light` corrects the picture, the corrected picture is used, and no score is above 0.7. If
    the border still has several colours, as in most photographs, a region is not necessarily an
    object, and no score is above 0.45.

    Args:
        picture: RGB.
        colour: Name of the colour; None for every colour.
    """
    evened = even_light(picture)
    picture = picture if evened is None else evened
    names = name_pixels(picture)
    ground = background_mask(picture)
    plain = border_pixels(ground).mean() >= _PLAIN
    names[ground] = len(COLOURS)
    names = np.asarray(cv2.medianBlur(names, 5), np.uint8)
    least = max(_LEAST_PX, round(_LEAST_SHARE * names.size))
    found: list[Instance] = []
    pixels = np.bincount(names.ravel(), minlength=len(COLOURS))
    for number, name in enumerate(COLOURS):
        if colour in (None, name) and pixels[number] >= least:
            mask = cv2.morphologyEx(
                (names == number).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)
            )
            found += _find_regions(mask, name, least)
    found = _without_fringes(found, picture)
    if not plain:
        found = [_with_low_score(one) for one in found]
    elif evened is not None:
        found = [replace(one, score=min(one.score, _EVENED_SURE), source=EVENED) for one in found]
    return sorted(found, key=lambda one: (one.bbox[1], one.bbox[0]))


def _without_fringes(found: list[Instance], picture: Frame) -> list[Instance]:
    """Return the regions, except thin or faint regions beside a larger one."""
    width = max(_FRINGE_PX, round(_FRINGE_SHARE * max(picture.shape)))
    faint = background_mask(picture, _FAINT)
    kept = []
    for one in found:
        x1, y1, x2, y2 = one.bbox
        pale = faint[y1:y2, x1:x2][one.mask].mean() >= _HUGGING
        reach = max(width, _BLOCK_PX) if pale else width if _is_thin(one, width) else 0
        larger = (other for other in found if one.area < _FRINGE_AREA * other.area)
        if not reach or not any(_is_beside(one, other, reach) for other in larger):
            kept.append(one)
    return kept


def _is_thin(one: Instance, width: int) -> bool:
    assert one.mask is not None
    own = np.pad(one.mask.astype(np.uint8), 1)
    return float(cv2.distanceTransform(own, cv2.DIST_L2, 3).max()) <= width / 2 + 0.5


def _is_beside(one: Instance, other: Instance, width: int) -> bool:
    """Return True if most pixels of a region are at most `width` [px] away from another region."""
    assert one.mask is not None
    assert other.mask is not None
    x1, y1, x2, y2 = one.bbox
    a, b, c, d = other.bbox
    if x1 > c + width or a > x2 + width or y1 > d + width or b > y2 + width:
        return False
    left, top = min(x1, a), min(y1, b)
    size = max(y2, d) - top, max(x2, c) - left
    near = np.zeros(size, np.uint8)
    near[b - top : d - top, a - left : c - left] = other.mask
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * width + 1, 2 * width + 1))
    beside = cv2.dilate(near, kernel)[y1 - top : y2 - top, x1 - left : x2 - left]
    return bool(beside[one.mask].mean() >= _HUGGING)


def _with_low_score(instance: Instance) -> Instance:
    return replace(instance, score=min(instance.score, _UNSURE), source=_UNEVEN)


def _find_regions(mask: npt.NDArray[np.uint8], name: str, least: int) -> list[Instance]:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    height, width = mask.shape
    found = []
    for number in range(1, count):
        x, y, wide, high, area = (int(value) for value in stats[number])
        sides = (x == 0) + (y == 0) + (x + wide == width) + (y + high == height)
        if area < least or sides >= 3:
            continue
        own = np.asarray(labels[y : y + high, x : x + wide] == number, bool)
        found.append(_make_instance(name, (x, y), own))
    return found


def _make_instance(label: str, corner: tuple[int, int], own: Mask) -> Instance:
    """Return a region as an instance, whose score depends on its convexity."""
    x, y = corner
    box = x, y, x + own.shape[1], y + own.shape[0]
    score = float(np.clip((solidity(own) - 0.6) / (_CONVEX - 0.6), 0.0, SUREST))
    return Instance(label, box, score, "colour", own)


def without_holes(own: Mask) -> Mask:
    """Return a region with its holes filled."""
    edge = np.pad(own.astype(np.uint8), 1)
    contours, _ = cv2.findContours(edge, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    cv2.drawContours(edge, contours, -1, 1, cv2.FILLED)
    return np.asarray(edge[1:-1, 1:-1], bool)


def solidity(own: Mask) -> float:
    """Return the share of its convex hull that a region with filled holes covers, 0..1."""
    own = without_holes(own)
    corners = np.argwhere(own)[:, ::-1].astype(np.int32)
    hull = np.zeros(own.shape, np.uint8)
    cv2.fillConvexPoly(hull, cv2.convexHull(corners), 1)
    return float(own.sum() / max(1, int(hull.sum())))


def separate_touching(instances: Iterable[Instance]) -> list[Instance]:
    """Return the instances; regions with several centres are cut at narrow places.

    Centres are maxima of the distance transform with a prominence of a fifth. The cut is the
    watershed between the centres: each pixel belongs to the centre at the end of its steepest
    ascent. A convex region is one object and is not cut.
    """
    return [part for one in instances for part in _split_region(one)]


def _split_region(instance: Instance) -> list[Instance]:
    if instance.mask is None or solidity(instance.mask) >= _CONVEX:
        return [instance]
    own = np.pad(instance.mask.astype(np.uint8), 1)
    distance = cv2.GaussianBlur(cv2.distanceTransform(own, cv2.DIST_L2, 5), (5, 5), 0) * own
    markers = _find_centres(distance)
    if markers.max() < 2:
        return [instance]
    water = _assign_to_centres(distance, markers)
    parts = []
    for number in range(1, int(markers.max()) + 1):
        part = np.asarray((water == number)[1:-1, 1:-1], bool)
        if part.sum() < _LEAST_PX:
            continue
        x1, y1, x2, y2 = box_around(part)
        corner = instance.bbox[0] + x1, instance.bbox[1] + y1
        made = _make_instance(instance.label, corner, part[y1:y2, x1:x2])
        parts.append(
            replace(made, score=min(made.score, instance.score), source=instance.source)
            if instance.source != "colour"
            else made
        )
    return parts or [instance]


def _assign_to_centres(
    distance: npt.NDArray[np.float32], markers: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """Return the number of the centre to which each pixel belongs; 0 outside the region.

    From each pixel, a path of steepest ascent leads to a maximum. The pixel belongs to the centre
    at which the path ends. If the path ends at a maximum that is not a centre, the pixel
    belongs to the nearest centre, measured from the edge of the centre's disc. ``cv2.watershed`` is
    not suitable, because it orders pixels by differences between neighbours.
    """
    high, wide = distance.shape
    padded = np.pad(distance, 1)
    around = [padded[y : y + high, x : x + wide] for y in range(3) for x in range(3)]
    best = np.argmax(np.stack([around[4], *around[:4], *around[5:]]), axis=0)
    steps = np.array([0, *(y * wide + x for y in (-1, 0, 1) for x in (-1, 0, 1) if y or x)])
    points = (np.arange(high * wide).reshape(high, wide) + steps[best]).ravel()
    while not np.array_equal(points, points[points]):
        points = points[points]
    water = np.where(distance > 0, markers.ravel()[points].reshape(high, wide), 0)
    rest = np.argwhere((distance > 0) & (water == 0))
    if rest.size:
        numbers = range(1, int(markers.max()) + 1)
        middles = np.array([np.argwhere(markers == number).mean(axis=0) for number in numbers])
        radii = np.array([distance[markers == number].max() for number in numbers])
        far = np.linalg.norm(rest[:, None] - middles[None], axis=2) - radii
        water[rest[:, 0], rest[:, 1]] = 1 + far.argmin(axis=1)
    return np.asarray(water, np.int32)


def _find_centres(distance: npt.NDArray[np.float32]) -> npt.NDArray[np.int32]:
    """Return numbered centres: maxima that no path above `_SADDLE` connects to a higher maximum."""
    flooded = np.asarray(distance * _SADDLE, np.float32)
    kernel = np.ones((3, 3), np.uint8)
    for _ in range(sum(distance.shape)):
        grown = np.minimum(cv2.dilate(flooded, kernel), distance)
        if np.array_equal(grown, flooded):
            break
        flooded = grown
    domes = ((distance - flooded) > 0.02 * distance.max()).astype(np.uint8)
    count, labels = cv2.connectedComponents(domes)
    middles = np.zeros(distance.shape, np.int32)
    kept = 0
    for number in range(1, count):
        own = labels == number
        if (distance - flooded)[own].max() >= 0.97 * (1 - _SADDLE) * distance[own].max():
            kept += 1
            middles[own] = kept
    return middles
