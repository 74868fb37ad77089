"""Sizes and distances of objects, in pixels or scaled by a known size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.image.perception.relations import measure_pair

__all__ = ["Extent", "measure_extent", "measure_objects"]

Extent = Literal["area", "width", "height", "distance"]


def measure_extent(one: Instance, extent: Extent) -> float | None:
    """Return the area [px²], width or height [px] of an object; None if its box does not suffice.

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
    """Return the distance [px] between the centres of the nearest pair; None without a pair."""
    pairs = [measure_pair(a, b).distance_px for a in ones for b in others if a.bbox != b.bbox]
    return min(pairs, default=None)


def _to_scale(value: float, extent: Extent, per_px: float) -> float:
    """Return a value in pixels to scale, with three significant digits.

    Args:
        value: Length [px] or area [px²].
        extent: Kind of the value.
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
        ones: The objects; the first is measured.
        others: The other objects, for ``distance``.
        extent: Requested measure.
        known: Objects, the first of which has a known size; the kind of that size; its value.
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
