"""Detection metrics, compared with figures computed by hand."""

from __future__ import annotations

import pytest

from bt_exec_skills.vision.box_decoding import Found
from bt_exec_skills.vision.labelled_picture import Mark
from bt_exec_skills.vision.metrics import Confusion, class_figures

HERE = (10, 10, 30, 30)
THERE = (50, 50, 70, 70)


def found(box: tuple[int, ...], score: float, label: str = "a") -> Found:
    return Found(label, (*map(float, box),), score)  # type: ignore[arg-type]


def test_perfect_detector_scores_one_in_every_figure() -> None:
    pictures = [([Mark("a", HERE), Mark("a", THERE)], [found(HERE, 0.9), found(THERE, 0.8)])]
    one = class_figures("a", pictures, 0.35)
    assert (one.count, one.precision, one.recall) == (2, 1.0, 1.0)
    assert (one.ap50, one.ap) == pytest.approx((1.0, 1.0))


def test_miss_and_false_positive_halve_precision_and_recall() -> None:
    pictures = [
        ([Mark("a", HERE)], [found(HERE, 0.9), found(THERE, 0.8)]),
        ([Mark("a", THERE)], []),
    ]
    one = class_figures("a", pictures, 0.35)
    assert (one.count, one.precision, one.recall) == (2, 0.5, 0.5)
    assert one.ap50 == pytest.approx(0.505, abs=0.01)


def test_true_box_is_matched_once() -> None:
    pictures = [([Mark("a", HERE)], [found(HERE, 0.9), found(HERE, 0.8)])]
    one = class_figures("a", pictures, 0.35)
    assert (one.precision, one.recall) == (0.5, 1.0)
    assert one.ap50 == pytest.approx(1.0)


def test_loose_box_counts_only_at_low_overlaps() -> None:
    loose = (10, 10, 30, 26)  # IoU 0.8
    one = class_figures("a", [([Mark("a", HERE)], [found(loose, 0.9)])], 0.35)
    assert one.ap50 == pytest.approx(1.0)
    assert one.ap == pytest.approx(0.7)


def test_low_scores_affect_the_curve_but_not_the_operating_point() -> None:
    one = class_figures("a", [([Mark("a", HERE)], [found(HERE, 0.1)])], 0.35)
    assert (one.precision, one.recall) == (0.0, 0.0)
    assert one.ap50 == pytest.approx(1.0)


def test_box_of_another_class_does_not_match() -> None:
    one = class_figures("a", [([Mark("b", HERE)], [found(HERE, 0.9, "b")])], 0.35)
    assert (one.count, one.ap50) == (0, 0.0)


def test_confusion_matrix_counts_uncertain_detections_separately() -> None:
    states = Confusion(("closed", "open"))
    for pair in [("closed", "closed")] * 3 + [("open", "closed"), ("open", "uncertain")]:
        states.add(*pair)
    assert states.counts.tolist() == [[3, 0, 0], [1, 0, 1]]
    assert (states.estimate_count, states.decided_share, states.accuracy) == (5, 0.8, 0.75)
