"""Types of pictures, masks and boxes, and functions on boxes.

A box is ``(x1, y1, x2, y2)`` in integer pixels from the top left corner; x2 and y2 are the first
column and row outside the box.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

__all__ = [
    "Box",
    "Frame",
    "Mask",
    "border_pixels",
    "box_around",
    "intersection_over_union",
    "to_pixel_box",
]

T = TypeVar("T", bound=np.generic)

Frame = npt.NDArray[np.uint8]
"""A picture, RGB, shape (height, width, 3)."""
Mask = npt.NDArray[np.bool_]
"""Whether each pixel of a picture is selected, shape (height, width)."""
Box = tuple[int, int, int, int]


def border_pixels(picture: npt.NDArray[T]) -> npt.NDArray[T]:
    """Return the pixels along the four edges of a picture or mask, concatenated."""
    return np.concatenate((picture[0], picture[-1], picture[:, 0], picture[:, -1]))


def box_around(mask: Mask) -> Box:
    """Return the smallest box around the true pixels of `mask`, which must have at least one."""
    rows = np.flatnonzero(mask.any(axis=1))
    columns = np.flatnonzero(mask.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def to_pixel_box(xyxy: tuple[float, ...], size: tuple[int, int]) -> Box | None:
    """Return a box rounded and clipped to a picture of `size` (height, width); None if empty."""
    height, width = size
    x1, x2 = (int(np.clip(round(x), 0, width)) for x in (xyxy[0], xyxy[2]))
    y1, y2 = (int(np.clip(round(y), 0, height)) for y in (xyxy[1], xyxy[3]))
    return (x1, y1, x2, y2) if x1 < x2 and y1 < y2 else None


def intersection_over_union(ones: npt.ArrayLike, others: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the intersection over union of each pair of boxes, shape (ones, others)."""
    a, b = np.asarray(ones, float), np.asarray(others, float)
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=2)
    areas = [(boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]) for boxes in (a, b)]
    whole = areas[0][:, None] + areas[1][None, :] - shared
    return np.asarray(shared / np.maximum(whole, 1e-9), float)
