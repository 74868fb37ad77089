"""Decoding of raw network output to boxes inside the picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec_skills.vision.box_decoding import Letterbox, decode, letterbox, suppress_overlaps
from tests.cases import examples

NAMES = ("a", "b")


def raw(*rows: tuple[float, ...]) -> np.ndarray:
    return np.array(rows, np.float32).T


@pytest.mark.parametrize(
    ("size", "fit"),
    [
        ((240, 320), Letterbox(1.0, 0, 8)),
        ((120, 160), Letterbox(2.0, 0, 8)),
        ((480, 640), Letterbox(0.5, 0, 8)),
        ((256, 256), Letterbox(1.0, 32, 0)),
        ((100, 320), Letterbox(1.0, 0, 78)),
    ],
)
def test_picture_is_centred_in_the_input(size: tuple[int, int], fit: Letterbox) -> None:
    planes, found = letterbox(np.full((*size, 3), 255, np.uint8), 256, 320)
    assert found == fit
    assert planes.shape == (1, 3, 256, 320)
    assert planes[0, 0, 128, 160] == 1.0
    if fit.top:
        assert planes[0, 0, fit.top - 1, 160] == pytest.approx(114 / 255)
        assert planes[0, 0, fit.top, 160] == 1.0


def test_best_class_of_an_anchor_is_used() -> None:
    output = raw((50, 58, 20, 20, 0.3, 0.9), (200, 100, 10, 10, 0.5, 0.2), (9, 9, 4, 4, 0.1, 0.1))
    found = decode(
        output, NAMES, Letterbox(1.0, 0, 8), (240, 320), least_score=0.25, most_overlap=0.7
    )
    assert [(one.label, one.xyxy) for one in found] == [
        ("b", (40.0, 40.0, 60.0, 60.0)),
        ("a", (195.0, 87.0, 205.0, 97.0)),
    ]
    assert [one.score for one in found] == pytest.approx([0.9, 0.5])


def test_best_of_two_boxes_of_a_class_is_kept() -> None:
    output = raw((50, 50, 20, 20, 0.6, 0), (51, 50, 20, 20, 0.9, 0), (50, 50, 20, 20, 0, 0.5))
    found = decode(
        output, NAMES, Letterbox(1.0, 0, 0), (240, 320), least_score=0.25, most_overlap=0.7
    )
    assert [one.label for one in found] == ["a", "b"]
    assert found[0].xyxy == (41.0, 40.0, 61.0, 60.0)


def test_no_detection_is_an_empty_list() -> None:
    output = raw((50, 50, 20, 20, 0.01, 0.02))
    assert (
        decode(output, NAMES, Letterbox(1, 0, 0), (9, 9), least_score=0.25, most_overlap=0.7) == []
    )


@settings(max_examples=examples(60))
@given(st.integers(0, 2**32 - 1))
def test_boxes_stay_in_the_picture_and_are_sorted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    boxes = rng.uniform(-50, 400, (30, 2)), rng.uniform(0, 300, (30, 2))
    output = np.concatenate([*boxes, rng.random((30, 2))], axis=1).T.astype(np.float32)
    found = decode(
        output, NAMES, Letterbox(1.0, 0, 8), (240, 320), least_score=0.2, most_overlap=0.7
    )
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    for one in found:
        x1, y1, x2, y2 = one.xyxy
        assert 0 <= x1 <= x2 <= 320
        assert 0 <= y1 <= y2 <= 240


@settings(max_examples=examples(60))
@given(st.integers(0, 2**32 - 1))
def test_suppression_leaves_no_overlapping_boxes_of_a_class(seed: int) -> None:
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, 40, (25, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(5, 30, (25, 2))], axis=1)
    kinds = rng.integers(0, 2, 25)
    kept = suppress_overlaps(boxes.astype(np.float32), kinds, 0.5)
    assert kept[0] == 0
    from bt_exec_skills.perception.pictures_and_boxes import intersection_over_union

    shares = intersection_over_union(boxes[kept], boxes[kept])
    same = kinds[kept][:, None] == kinds[kept][None, :]
    np.fill_diagonal(shares, 0.0)
    assert (shares[same] <= 0.5 + 1e-6).all()
