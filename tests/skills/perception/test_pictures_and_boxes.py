"""Boxes in pictures."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bt_exec_skills.perception.pictures_and_boxes import (
    box_around,
    intersection_over_union,
    to_pixel_box,
)


def test_overlap_is_the_intersection_over_union() -> None:
    boxes = np.array([[0, 0, 10, 10], [0, 0, 5, 10], [20, 20, 30, 30]], float)
    assert intersection_over_union(boxes[:1], boxes).tolist() == [[1.0, 0.5, 0.0]]


def test_pixels_are_integers_inside_the_picture() -> None:
    assert to_pixel_box((-3.0, 1.4, 400.0, 9.6), (240, 320)) == (0, 1, 320, 10)
    assert to_pixel_box((5.2, 1.0, 5.3, 9.0), (240, 320)) is None


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9), st.integers(1, 9))
def test_bounding_box_of_a_filled_rectangle_is_the_rectangle(
    x: int, y: int, wide: int, high: int
) -> None:
    mask = np.zeros((20, 20), bool)
    mask[y : y + high, x : x + wide] = True
    assert box_around(mask) == (x, y, x + wide, y + high)
