"""Crops for classification: squares around boxes, and their class labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bt_exec_skills.perception.pictures_and_boxes import intersection_over_union
from bt_exec_skills.vision.box_decoding import Found
from bt_exec_skills.vision.crop_classifier import (
    MARGIN,
    NOTHING,
    SIDE,
    cut_crops,
    labelled_crops_of,
    proposed_boxes,
)
from bt_exec_skills.vision.dataset_generation import Recipe, make_dataset, read_pictures


@pytest.mark.parametrize("box", [(20, 30, 60, 50), (20.4, 30.1, 39.8, 69.7)])
def test_crop_is_centred_on_its_box(box: tuple[float, ...]) -> None:
    frame = np.zeros((120, 160, 3), np.uint8)
    x1, y1, x2, y2 = (round(side) for side in box)
    frame[y1:y2, x1:x2] = 200
    (one,) = cut_crops(frame, [box])
    assert one.shape == (SIDE, SIDE, 3)
    rows, columns = (np.flatnonzero((one[..., 0] > 100).any(axis=axis)) for axis in (1, 0))
    scale = SIDE / (MARGIN * max(x2 - x1, y2 - y1))
    assert len(columns) == pytest.approx((x2 - x1) * scale, abs=2)
    assert len(rows) == pytest.approx((y2 - y1) * scale, abs=2)
    assert rows.mean() == pytest.approx((SIDE - 1) / 2, abs=2)
    assert columns.mean() == pytest.approx((SIDE - 1) / 2, abs=2)


def test_area_outside_the_picture_is_grey_and_crops_have_a_minimum_size() -> None:
    frame = np.full((40, 40, 3), 255, np.uint8)
    corner, speck = cut_crops(frame, [(0, 0, 20, 20), (39.9, 39.9, 40, 40)])
    assert corner[0, 0].tolist() == [114, 114, 114]
    assert corner[-1, -1].tolist() == [255, 255, 255]
    assert speck.shape == corner.shape
    assert cut_crops(frame, []).shape == (0, SIDE, SIDE, 3)


def test_boxes_of_one_object_are_one_proposal_for_all_classes(
    scripted_network: Any,
) -> None:
    found = [
        Found("round", (10, 10, 30, 30), 0.6),
        Found("square", (11, 10, 30, 31), 0.4),
        Found("square", (40, 10, 60, 30), 0.1),
    ]
    kept = proposed_boxes(scripted_network(found), np.zeros((48, 64, 3), np.uint8))
    assert kept == [found[0], found[2]]


def test_detected_box_gets_the_class_of_the_label_that_it_overlaps(
    squares: Any, scripted_network: Any, tmp_path: Path
) -> None:
    recipe = Recipe("squares", 3, 1, 1, squares.classes)
    make_dataset(squares, recipe, tmp_path, lambda *_: None)
    pictures = [*read_pictures(tmp_path)]
    (mark,) = pictures[0].marks
    x1, y1, x2, y2 = mark.bbox
    near, far, half = (x1 + 1, y1, x2 + 1, y2), (0, 44, 3, 47), (x1, y1 + 4, x2, y2 + 4)
    assert 0.4 < intersection_over_union([half], [mark.bbox])[0, 0] < 0.5
    network = scripted_network(
        [Found("round", near, 0.5), Found("round", far, 0.4), Found("round", half, 0.3)]
    )
    told: list[int] = []
    found = labelled_crops_of(network, pictures[:1], squares.classes, told.append)
    assert found.classes == ("round", "square", NOTHING)
    assert found.names.tolist() == [1, 1, 2]  # labelled, near a label, background
    assert found.pixels.shape == (3, 80, 80, 3)
    assert told == [1]
    alone = labelled_crops_of(network, pictures[:1], squares.classes, told.append, marked=False)
    assert alone.names.tolist() == [1, 2]
