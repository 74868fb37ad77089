"""Confidence that colour regions and objects correspond one to one.

The confidence is low if there are signs of errors in a count by colour: compact objects that hardly
differ from the background, edges or notches in a region, tiny or concave regions, regions as long
as several of their neighbours, and pieces of the same colour on both sides of an occluding object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from bt_exec_skills.image.perception.colour_segmentation import solidity
from bt_exec_skills.image.perception.instances import SUREST, Instance
from bt_exec_skills.perception.pictures_and_boxes import Frame, Mask

__all__ = ["DOUBTFUL", "region_confidence"]

DOUBTFUL = 0.55
"""Maximum confidence of a count if there is a sign of an error."""

_LONGEST = 800  # longer side of the reduced picture [px]
_MOST = 60  # maximum number of regions; more are texture, whose scores are low anyway
_GROUND_PX = 60  # shorter side of the picture in which the background is smoothed [px]
_FAINT, _NOISES = 2.5, 4.0  # least visible contrast [grey levels; multiple of the noise]
_LEAST_PX, _LEAST_SHARE = 64, 0.0003
_MARGIN = 5  # width of the blurred edge around an object [px]
_COMPACT, _THIN = 0.5, 6  # minimum filled share of a faint object's box; minimum side of it [px]
_STEP = 3.0  # minimum gradient of an edge within a region [grey levels per px]
_SEAM = 0.4  # minimum length of such an edge, as a share of the region's shorter side
_CONCAVE = 0.88  # a region that fills less of its convex hull is concave
_NOTCH, _NOTCH_PX = 0.1, 4.0  # minimum depth of a notch [share of the shorter side; px]
_STRAIGHT = 0.95  # minimum share of its rotated box that a straight region fills
_LONG = 1.7  # minimum aspect ratio of a region that may be several objects
_ALIKE = 0.12  # tolerance of the ratio of the sides of equal objects
_NEAR = 0.7  # maximum gap between two pieces of an object, as a share of the longer side
_CHIP = 0.12  # maximum area of a fragment, as a share of the median area of the regions


_Array: TypeAlias = npt.NDArray[np.float32]


class _Region(NamedTuple):
    """Region at reduced size.

    Attributes:
        label: Name of its colour.
        corner: Left and top edge [px].
        own: Mask.
        sides: Shorter and longer side of its rotated box [px].
        filled: Share of the rotated box that the region fills, 0..1.
    """

    label: str
    corner: tuple[int, int]
    own: Mask
    sides: tuple[float, float]
    filled: float


def region_confidence(picture: Frame, instances: Sequence[Instance]) -> float:
    """Return the confidence that each region is one object: `DOUBTFUL` or `SUREST`.

    Args:
        picture: RGB.
        instances: All colour regions in the picture.
    """
    if len(instances) > _MOST or any(one.mask is None for one in instances):
        return SUREST
    factor = min(1.0, _LONGEST / max(picture.shape[:2]))
    size = max(1, round(picture.shape[1] * factor)), max(1, round(picture.shape[0] * factor))
    small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    smooth = np.asarray(cv2.medianBlur(small, 5), np.float32)
    regions = [one for one in (_scale_region(each, factor, size) for each in instances) if one]
    things = np.zeros(small.shape[:2], np.uint8)
    for one in regions:
        high, wide = one.own.shape
        x, y = one.corner
        things[y : y + high, x : x + wide] |= one.own.astype(np.uint8)
    apart = _contrast_map(smooth, things)
    doubtful = (
        _has_faint_object(apart, things)
        or any(_has_seam(one, smooth) for one in regions)
        or any(_may_be_edge_fragment(one, regions) for one in regions)
        or any(_may_be_row_of_objects(one, regions) for one in regions)
        or any(solidity(one.own) < _CONCAVE or _has_outline_notch(one) for one in regions)
        or any(
            _may_be_pieces_of_one_object(one, other, apart)
            for one, other in combinations(regions, 2)
        )
    )
    return DOUBTFUL if doubtful else SUREST


def _scale_region(one: Instance, factor: float, size: tuple[int, int]) -> _Region | None:
    assert one.mask is not None
    x, y = (int(side * factor) for side in one.bbox[:2])
    wide = min(size[0] - x, max(1, round(one.mask.shape[1] * factor)))
    high = min(size[1] - y, max(1, round(one.mask.shape[0] * factor)))
    if wide < 1 or high < 1:
        return None
    own = cv2.resize(one.mask.astype(np.uint8), (wide, high), interpolation=cv2.INTER_NEAREST)
    points = cv2.findNonZero(own)
    if points is None:
        return None
    _, sides, _ = cv2.minAreaRect(points)
    short, long = sorted(side + 1 for side in sides)
    filled = float(own.sum() / max(1.0, short * long))
    return _Region(one.label, (x, y), np.asarray(own, bool), (short, long), filled)


def _contrast_map(smooth: npt.NDArray[np.float32], things: npt.NDArray[np.uint8]) -> _Array:
    """Return how much each pixel differs from the background; 1 is the least visible difference."""
    side = 2 * _MARGIN + 1
    free = 1 - cv2.dilate(things, np.ones((side, side), np.uint8)).astype(np.float32)
    if free.mean() < 0.05:
        return np.zeros(things.shape, np.float32)
    factor = min(1.0, _GROUND_PX / min(things.shape))
    parts = [free, *cv2.split(smooth * free[..., None])]
    tiny = [cv2.resize(one, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
            for one in parts]  # fmt: skip
    sigma = min(tiny[0].shape) / 6
    weight, *light = (cv2.GaussianBlur(one, (0, 0), sigma) for one in tiny)
    local = np.dstack([one / np.maximum(weight, 1e-3) for one in light])
    ground = cv2.resize(local, things.shape[::-1], interpolation=cv2.INTER_LINEAR)
    far = np.abs(smooth - ground).max(axis=2)
    noise = 1.4826 * float(np.median(far[free > 0]))
    return np.asarray(far / max(_FAINT, _NOISES * noise), np.float32)


def _has_faint_object(apart: _Array, things: npt.NDArray[np.uint8]) -> bool:
    """Return True if the background contains a compact faint object."""
    side = 2 * _MARGIN + 1
    near = cv2.dilate(things, np.ones((side, side), np.uint8))
    seen = cv2.morphologyEx(
        ((apart > 1) & (near == 0)).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)
    )
    least = max(_LEAST_PX, _LEAST_SHARE * seen.size)
    _, _, stats, _ = cv2.connectedComponentsWithStats(seen)
    return any(
        bool(area >= least and min(wide, high) >= _THIN and area >= _COMPACT * wide * high)
        for _, _, wide, high, area in stats[1:]
    )


def _has_seam(one: _Region, smooth: npt.NDArray[np.float32]) -> bool:
    """Return True if a long edge in a region indicates that it may be several touching objects."""
    x, y = one.corner
    high, wide = one.own.shape
    rim = max(3, round(0.1 * one.sides[0]))
    kernel = np.ones((2 * rim + 1, 2 * rim + 1), np.uint8)
    padded = np.pad(one.own.astype(np.uint8), 1)
    inside = cv2.erode(padded, kernel, borderValue=0)[1:-1, 1:-1] > 0
    if inside.sum() < _LEAST_PX:
        return False
    steep = np.zeros((high, wide), np.float32)
    for channel in cv2.split(np.ascontiguousarray(smooth[y : y + high, x : x + wide])):
        ways = (cv2.Scharr(channel, cv2.CV_32F, *way) / 32 for way in ((1, 0), (0, 1)))
        steep = np.maximum(steep, np.hypot(*ways))
    usual = float(np.median(steep[inside]))
    edges = ((steep > max(_STEP, 4 * usual)) & inside).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(edges)
    return any(max(w, h) >= _SEAM * one.sides[0] for _, _, w, h, _ in stats[1:])


def _may_be_edge_fragment(one: _Region, regions: Sequence[_Region]) -> bool:
    """Return True if a region is so small that it may be a fragment of an object's edge."""
    usual = float(np.median([other.own.sum() for other in regions]))
    return bool(one.own.sum() < _CHIP * usual)


def _has_outline_notch(one: _Region) -> bool:
    """Return True if the outline of a region has a notch, as where two objects overlap."""
    edge = np.pad(one.own.astype(np.uint8), 1)
    contours, _ = cv2.findContours(edge, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(contours, key=len)
    try:
        defects = cv2.convexityDefects(outline, cv2.convexHull(outline, returnPoints=False))
    except cv2.error:  # self-intersecting outline
        return True
    deepest = 0.0 if defects is None else float(np.reshape(defects, (-1, 4))[:, 3].max()) / 256
    return deepest >= max(_NOTCH_PX, _NOTCH * one.sides[0])


def _may_be_row_of_objects(one: _Region, regions: Sequence[_Region]) -> bool:
    """Return True if a straight region may be a row of squares, or of copies of another region."""
    if one.filled < 0.88:
        return False
    short, long = one.sides
    if one.filled > _STRAIGHT and long / short > _LONG and _is_whole_number(long / short):
        return True
    for other in regions:
        if other is one or other.label != one.label or other.filled < 0.88:
            continue
        side = other.sides[0]
        same = abs(short / side - 1) < _ALIKE
        if same and long / side > _LONG and other.sides[1] < _LONG * side:
            return True
        times = short / side
        if times > _LONG and all(_is_whole_number(each / side) for each in (short, long)):
            return True
    return False


def _is_whole_number(ratio: float) -> bool:
    return abs(ratio - round(ratio)) < _ALIKE


def _may_be_pieces_of_one_object(one: _Region, other: _Region, apart: _Array) -> bool:
    """Return True if two regions may be parts of one object that another object occludes."""
    if one.label != other.label:
        return False
    (ax, ay), (bx, by) = ((r.corner[0], r.corner[1]) for r in (one, other))
    across = max(ax, bx) - min(ax + one.own.shape[1], bx + other.own.shape[1])
    down = max(ay, by) - min(ay + one.own.shape[0], by + other.own.shape[0])
    gap = max(across, down)
    if min(across, down) > 0 or not 2 <= gap <= _NEAR * max(one.sides[1], other.sides[1]):
        return False
    between = list(_line_between(one, other))
    covered = [apart[y, x] > 1 for x, y in between]
    return bool(covered) and float(np.mean(covered)) > 0.6


def _line_between(one: _Region, other: _Region) -> Iterator[tuple[int, int]]:
    """Yield the pixels on the line between the centres of two regions, outside both regions."""
    ends = [np.array(r.corner) + np.array(r.own.shape[::-1]) / 2 for r in (one, other)]
    for share in np.linspace(0, 1, 64):
        x, y = (int(v) for v in ends[0] * (1 - share) + ends[1] * share)
        if not any(_is_in(r, x, y) for r in (one, other)):
            yield x, y


def _is_in(region: _Region, x: int, y: int) -> bool:
    column, row = x - region.corner[0], y - region.corner[1]
    high, wide = region.own.shape
    return 0 <= row < high and 0 <= column < wide and bool(region.own[row, column])
