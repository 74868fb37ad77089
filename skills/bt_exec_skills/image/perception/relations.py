"""Positions of objects in the picture and relative to each other, in pixels from the top left."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from bt_exec_skills.image.perception.instances import Instance

__all__ = [
    "SIDES",
    "Column",
    "Measured",
    "RelationName",
    "Row",
    "has_relation",
    "has_relation_partly",
    "is_between",
    "is_in_part",
    "measure_pair",
    "place_in",
]  # fmt: skip

RelationName = Literal[
    "left_of", "right_of", "above", "below", "inside", "overlapping", "around", "on", "between",
    "nearest", "farthest", "carrying", "changed", "missing",
    "beside",
]  # fmt: skip
Row = Literal["top", "middle", "bottom", ""]
Column = Literal["left", "centre", "right", ""]

SIDES = {"left_of": (0, -1), "right_of": (0, 1), "above": (1, -1), "below": (1, 1)}
"""Axis (0 for x, 1 for y) and sign of each relation to a side."""


class Measured(NamedTuple):
    """Comparison of the boxes of two objects.

    Attributes:
        distance_px: Distance between the centres [px].
        gap_px: Distance between the edges [px]; 0 if the boxes touch or overlap.
        overlap: Intersection over union.
        covered: Share of the first box that is inside the second, 0..1.
    """

    distance_px: float
    gap_px: float
    overlap: float
    covered: float


def measure_pair(one: Instance, other: Instance) -> Measured:
    """Return the comparison of the boxes of two objects."""
    a, b = np.asarray(one.bbox, float), np.asarray(other.bbox, float)
    distance = float(np.hypot(*np.subtract(one.middle, other.middle)))
    apart = np.maximum(0.0, np.maximum(a[:2] - b[2:], b[:2] - a[2:]))
    shared = np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None).prod()
    areas = [float((box[2:] - box[:2]).prod()) for box in (a, b)]
    return Measured(
        distance,
        float(np.hypot(*apart)),
        float(shared / (sum(areas) - shared)),
        float(shared / areas[0]),
    )


_GROUND = 0.5  # minimum share of a text's box in which the sign behind the letters is visible


_OUTSIDE = 0.1  # maximum overlapping share of a box that still counts as outside
_BESIDE, _NEARBY = 0.5, 1.0
"""Maximum gap of objects that are beside each other, and of those that may be so, in units of the
mean side of both boxes."""
_MISSING = 0.3  # minimum share of a box that is missing in another picture
_CHANGED = 0.05  # minimum share of a box that differs in another picture


def has_relation(one: Instance, relation: RelationName, other: Instance) -> bool:
    """Return True if `one` has the relation to `other`.

    ``left_of``, ``right_of``, ``above`` and ``below``: The centres differ more along this axis than
    along the other axis. ``inside``: At least nine tenths of the box of `one` are in the other box.
    ``overlapping``: More than one tenth of the box is. ``around``: The pixels of `one` fill at
    least half of the other box, like a sign behind its text. ``on``: The lower edge of `one` is in
    the other box, or slightly above it. ``carrying``: `other` is on `one`. ``changed``: `other` is
    a region in which another picture differs; it fills at least a twentieth of the box of `one`.
    """
    across, down = (float(value) for value in np.subtract(one.middle, other.middle))
    sideways = abs(across) >= abs(down)
    if relation == "left_of":
        return across < 0 and sideways
    if relation == "right_of":
        return across > 0 and sideways
    if relation == "above":
        return down < 0 and not sideways
    if relation == "below":
        return down > 0 and not sideways
    if relation == "inside":
        return measure_pair(one, other).covered >= 0.9
    if relation == "overlapping":
        return measure_pair(one, other).covered > _OUTSIDE
    if relation == "carrying":
        return has_relation(other, "on", one)
    if relation == "changed":
        return _share_of_box(other, one) >= _CHANGED
    if relation == "beside":
        return _gap_in_mean_sides(one, other) <= _BESIDE
    if relation == "missing":
        return bool(other.label) and _share_of_box(other, one) >= _MISSING
    if relation == "around":
        return _share_of_box(one, other) >= _GROUND
    x, foot = one.middle[0], one.bbox[3]
    left, top, right, bottom = other.bbox
    slack = 0.1 * (one.bbox[3] - one.bbox[1])
    return left <= x <= right and top - slack <= foot <= bottom


def _gap_in_mean_sides(one: Instance, other: Instance) -> float:
    """Return the gap between two boxes, in units of their mean side.

    The gap is infinite if at least half of a box is covered by the other.
    """
    pair = measure_pair(one, other)
    if pair.covered >= _GROUND or measure_pair(other, one).covered >= _GROUND:
        return float("inf")
    boxes = np.asarray([one.bbox, other.bbox], float)
    return pair.gap_px / float((boxes[:, 2:] - boxes[:, :2]).mean())


def _share_of_box(one: Instance, other: Instance) -> float:
    """Return the share of the box of `other` that the pixels of `one` fill."""
    if one.mask is None:
        return measure_pair(other, one).covered
    x, y = one.bbox[:2]
    x1, y1, x2, y2 = other.bbox
    part = one.mask[max(0, y1 - y) : max(0, y2 - y), max(0, x1 - x) : max(0, x2 - x)]
    return float(part.sum() / max(1, (x2 - x1) * (y2 - y1)))


def has_relation_partly(one: Instance, relation: RelationName, other: Instance) -> bool:
    """Return True if `one` is completely on a side of `other`, but `has_relation` is False.

    Such an object is further away along the other axis. An object above and to the left may be
    described with either relation. A difference that fills less than a twentieth of a box may be a
    change, too, and a change may hide that the object is missing. An object whose gap is at most
    the mean side of both boxes may be beside the other one.
    """
    if relation == "beside":
        return _BESIDE < _gap_in_mean_sides(one, other) <= _NEARBY
    if relation == "missing":
        return _share_of_box(other, one) >= _MISSING and not has_relation(one, relation, other)
    if relation == "changed":
        return 0 < _share_of_box(other, one) < _CHANGED
    if relation not in SIDES or has_relation(one, relation, other):
        return False
    axis, sign = SIDES[relation]
    first, second = (one.bbox, other.bbox) if sign < 0 else (other.bbox, one.bbox)
    return first[axis + 2] <= second[axis]


_MOST_BESIDE, _LEAST_BESIDE = 0.5, 0.25
"""Maximum width of the strip around the line between two objects, as a share of its length, in
which an object may be between them, and in which it certainly is."""


def is_between(one: Instance, first: Instance, second: Instance) -> bool | None:
    """Return whether an object is between two others; None if it is only near their line.

    An object is between two others if its centre is in the gap between their boxes, or beside the
    line between their centres and not further from the line than half the object's size or an
    eighth of the line's length. Up to a quarter of the length, or near an end of the line, the
    result is None.
    """
    start, end, here = (np.asarray(each.middle) for each in (first, second, one))
    line = end - start
    length = float(np.hypot(*line))
    if length == 0:
        return False
    along = float((here - start) @ line) / length**2
    aside = abs(float(line[0] * (here - start)[1] - line[1] * (here - start)[0])) / length
    if _is_in_gap(one, first, second):
        return True
    half = float(np.subtract(one.bbox[2:], one.bbox[:2]).mean()) / 2
    if not 0 < along < 1 or aside > max(half, _MOST_BESIDE * length / 2):
        return False
    clear = aside <= max(half, _LEAST_BESIDE * length / 2) and 0.1 < along < 0.9
    return True if clear else None


def _is_in_gap(one: Instance, first: Instance, second: Instance) -> bool:
    """Return True if a box is between two boxes that face each other at its centre."""
    for along, across in ((0, 1), (1, 0)):
        near, far = sorted((first, second), key=lambda each: each.bbox[along])
        inside = near.bbox[along + 2] <= one.bbox[along] + _TOUCH and (
            one.bbox[along + 2] <= far.bbox[along] + _TOUCH
        )
        facing = all(
            each.bbox[across] <= one.middle[across] <= each.bbox[across + 2]
            for each in (first, second)
        )
        if inside and facing:
            return True
    return False


_TOUCH = 3  # maximum overlap of boxes that only touch [px]
_CLEARLY = 0.1
"""Width of the strip along the border between two parts of the picture in which the part of an
object is unclear, as a share of the picture."""


def is_in_part(
    instance: Instance, size: tuple[int, int], row: Row, column: Column
) -> tuple[bool, bool]:
    """Return whether an object is in a part of a picture, and whether that is clear.

    Top, bottom, left and right are halves of the picture; middle and centre are middle thirds. If
    both a row and a column are required, an object in a middle third is not clearly in a corner.

    Args:
        instance: The object.
        size: Height and width of the picture [px].
        row: Required row; empty for any row.
        column: Required column; empty for any column.
    """
    x, y = instance.middle
    inside, clear = True, True
    for share, name in ((y / size[0], row), (x / size[1], column)):
        if not name:
            continue
        ahead = {"top": 0.5 - share, "left": 0.5 - share, "bottom": share - 0.5,
                 "right": share - 0.5}.get(name, 1 / 6 - abs(share - 0.5))  # fmt: skip
        central = bool(row and column) and name not in ("middle", "centre") and 0 < ahead < 1 / 6
        inside, clear = inside and ahead > 0, clear and abs(ahead) >= _CLEARLY / 2 and not central
    return inside, clear


def place_in(instance: Instance, size: tuple[int, int]) -> tuple[str, str]:
    """Return the row and the column of an object's centre, in thirds of the picture."""
    x, y = instance.middle
    row = ("top", "middle", "bottom")[min(2, int(3 * y / size[0]))]
    column = ("left", "centre", "right")[min(2, int(3 * x / size[1]))]
    return row, column
