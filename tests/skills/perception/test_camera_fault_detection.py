"""Camera fault detection on synthetic pictures; the door tests use simulated ones."""

from __future__ import annotations

import statistics
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec_skills.perception.camera_fault_detection import (
    CameraWatch,
    _filter_symmetric,
    _median,
    fault_in,
)
from bt_exec_skills.perception.contracts import CameraFault, View


def flat(level: float, height: int = 96, width: int = 128) -> Any:
    return np.full((height, width, 3), level, np.uint8)


def board(square: int = 8, height: int = 96, width: int = 128) -> Any:
    """Return a chessboard: edges everywhere, no noise."""
    rows, columns = np.indices((height, width)) // square
    grey = np.where((rows + columns) % 2, 200, 60).astype(np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)


def noisy(frame: Any, sigma: float) -> Any:
    noise = np.random.default_rng(0).normal(0.0, sigma, frame.shape[:2])[:, :, None]
    return np.clip(frame + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("frame", "fault"),
    [
        (flat(0), "dark"),
        (flat(5), "dark"),
        (flat(6), "occluded"),  # light, but no structure
        (flat(255), "occluded"),
        (board(), None),
        (noisy(board(), 6.0), None),  # as noisy as a good sensor
        (noisy(board(), 14.0), None),
        (noisy(board(), 23.0), "noise"),
        (noisy(flat(90), 60.0), "noise"),
        (flat(90, 64, 64), "occluded"),
        (flat(90, 63, 128), None),  # too small to decide
        (flat(90, 96, 63), None),
        (flat(5, 63, 63), "dark"),  # which is reported for small pictures, too
    ],
)
def test_fault_in_one_picture_is_detected(frame: Any, fault: CameraFault | None) -> None:
    assert fault_in(frame) == fault


@pytest.mark.parametrize("share", [0, 1, 2, 3, 4, 8])
def test_picture_without_edges_is_a_fault(share: int) -> None:
    """A picture with edges in only one of its eight columns of blocks counts as occluded."""
    frame = flat(60)
    wide = max(0, 16 * share - 8)
    frame[:, :wide] = board(4)[:, :wide]
    assert fault_in(frame) == ("occluded" if share < 2 else None)


@pytest.mark.parametrize(
    ("before", "now", "later", "fault"),
    [
        (board(), board(), True, "frozen"),
        (board(), board(), False, None),  # returned again, with its original time
        (board(), board(9), True, None),
        (flat(0), flat(0), True, "dark"),  # a covered lens is not a frozen camera
        (flat(6), flat(6), True, "frozen"),
        (flat(6), flat(6), False, "occluded"),
    ],
)
def test_fault_across_two_pictures_is_detected(
    before: Any, now: Any, later: bool, fault: CameraFault | None
) -> None:
    watch = CameraWatch()
    watch.fault(View(1.0, before))
    assert watch.fault(View(1.5 if later else 1.0, now)) == fault


def test_frozen_picture_stays_faulty_while_time_stands_still() -> None:
    watch = CameraWatch()
    views = [View(t, board()) for t in (1.0, 1.5, 1.5, 2.0)]
    assert [watch.fault(view) for view in views] == [None, "frozen", "frozen", "frozen"]
    assert watch.fault(View(2.0, board(9))) is None


def test_only_the_previous_picture_is_compared() -> None:
    watch = CameraWatch((96, 128))
    views = [View(float(t), frame) for t, frame in enumerate([board(), board(9), board(), board()])]
    assert [watch.fault(view) for view in views] == [None, None, None, "frozen"]


@pytest.mark.parametrize(
    ("size", "fault"), [(None, None), ((96, 128), None), ((128, 96), "wrong_size")]
)
def test_unexpected_size_is_a_fault(size: tuple[int, int] | None, fault: str | None) -> None:
    assert CameraWatch(size).fault(View(0.0, board())) == fault
    assert CameraWatch(size).fault(View(0.0, board()[:, :, 0])) == "wrong_size"
    assert CameraWatch(size).fault(View(0.0, np.zeros((0, 0, 3), np.uint8))) == "missing"


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40))
def test_median_of_grey_levels_is_exact(levels: list[int]) -> None:
    assert _median(np.array(levels)) == statistics.median(levels)


@pytest.mark.parametrize(
    ("weights", "by_cv2"),
    [
        ((1, -2, 1), lambda grey: cv2.filter2D(grey, -1, np.outer([1, -2, 1], [1, -2, 1]))),
        ((1, 4, 6, 4, 1), lambda grey: 256 * cv2.GaussianBlur(grey, (5, 5), 0)),
    ],
)
def test_filtered_picture_matches_the_result_of_opencv(
    weights: tuple[int, ...], by_cv2: Any
) -> None:
    grey = np.random.default_rng(0).integers(0, 256, (64, 70)).astype(np.float32)
    np.testing.assert_array_equal(_filter_symmetric(grey, weights), by_cv2(grey))
