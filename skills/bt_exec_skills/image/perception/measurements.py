"""Sizes and distances of objects, in pixels or in the unit of an object of known size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.image.perception.relations import measure_pair

__all__ = ["Extent", "measure_extent", "measure_objects"]

Extent = Literal["area", "width", "height", "distance"]


def measure_extent(one: Instance, extent: Extent) -> float | None:
    """Return the area [px²], width or height [px] of an object; None for an area without a mask.

    Args:
        one: The object; its area requires a mask.
        extent: ``area``, ``width`` or ``height``.
    """
    x1, y1, x2, y2 = one.bbox
    if extent == "width":
        return float(x2 - x1)
    if extent == "height":
        return float(y2 - y1)
    return None if one.mask is None else float(np.count_nonzero(one.mask))


def _nearest_distance(ones: Sequence[Instance], others: Sequence[Instance]) -> float | None:
    """Return the smallest distance between two centres [px]; None without a pair of objects."""
    pairs = [measure_pair(a, b).distance_px for a in ones for b in others if a.bbox != b.bbox]
    return min(pairs, default=None)


def _to_scale(value: float, extent: Extent, per_px: float) -> float:
    """Convert a value in pixels to the requested unit, with three significant digits.

    Args:
        value: Length [px] or area [px²].
        extent: Kind of measure.
        per_px: Length of one pixel in the requested unit.
    """
    found = value * per_px * (per_px if extent == "area" else 1.0)
    return float(f"{found:.3g}")


def measure_objects(
    ones: Sequence[Instance],
    others: Sequence[Instance],
    extent: Extent,
    known: tuple[Sequence[Instance], Extent, float] | None = None,
) -> float | None:
    """Return a measure in px or px², or in the unit of a known size; None if it is undefined.

    Args:
        ones: Objects; the first one is measured, or all of them for ``distance``.
        others: Objects to which the distance is measured.
        extent: Requested measure.
        known: Scale of the picture as a tuple: objects, of which the first one has a known size;
            the kind of that size; its value.
    """
    if not ones:
        return None
    distance = _nearest_distance(ones, others) if extent == "distance" else None
    value = distance if extent == "distance" else measure_extent(ones[0], extent)
    if value is None or known is None:
        return None if value is None else round(value, 1)
    things, which, length = known
    base = measure_extent(things[0], which) if things else None
    return _to_scale(value, extent, length / base) if base else None
