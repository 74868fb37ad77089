"""Network as a detector: calibrated scores, one box per object; calibration from pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bt_exec_skills.perception.contracts import View
from bt_exec_skills.vision.box_decoding import Found
from bt_exec_skills.vision.dataset_generation import Recipe, make_dataset, read_pictures
from bt_exec_skills.vision.detector import RIVAL, NetworkDetector
from bt_exec_skills.vision.score_calibration import score_calibration

VIEW: View[Any] = View(0.0, np.zeros((48, 64, 3), np.uint8))


def test_detection_has_integer_pixels_and_the_minimum_score(scripted_network: Any) -> None:
    found = [Found("round", (1.4, 2.6, 9.5, 70.0), 0.6), Found("square", (1, 1, 9, 9), 0.3)]
    (one,) = NetworkDetector(scripted_network(found), 0.35).detect(VIEW)
    assert (one.label, one.bbox, one.score) == ("round", (1, 3, 10, 48), 0.6)


def test_scores_are_converted_to_probabilities(scripted_network: Any) -> None:
    network = scripted_network(
        [Found("round", (1, 1, 9, 9), 0.1), Found("round", (20, 1, 30, 9), 0.03)]
    )
    detector = NetworkDetector(network, 0.5, probability=lambda score: 8 * score)
    assert [one.score for one in detector.detect(VIEW)] == [pytest.approx(0.8)]


def test_second_class_of_an_object_lowers_its_score(scripted_network: Any) -> None:
    found = [
        Found("round", (1, 1, 21, 21), 0.9),
        Found("square", (2, 1, 22, 21), 0.8),
        Found("square", (30, 1, 40, 9), 0.7),
        Found("square", (31, 1, 40, 9), 0.6),
    ]
    all_of_them = NetworkDetector(scripted_network(found), 0.35).detect(VIEW)
    assert [one.label for one in all_of_them] == ["round", "square", "square", "square"]
    once = NetworkDetector(scripted_network(found), 0.35, most_overlap=0.6).detect(VIEW)
    assert [(one.label, one.doubt) for one in once] == [
        ("round", ""),
        ("square", RIVAL),
        ("square", ""),
    ]
    assert NetworkDetector(scripted_network([]), 0.35, most_overlap=0.6).detect(VIEW) == ()


def test_calibration_counts_correct_detections_per_score(
    scripted_network: Any, squares: Any, tmp_path: Path
) -> None:
    make_dataset(squares, Recipe("squares", 0, 30, 1, squares.classes), tmp_path, lambda *_: None)
    found = [Found("square", (4.0, 4.0, 40.0, 40.0), 0.75), Found("round", (4, 4, 40, 40), 0.25)]
    pairs = score_calibration(
        NetworkDetector(scripted_network(found), 0.02), read_pictures(tmp_path, "val")
    )
    assert pairs[0] == (0.0, 0.0)
    assert [score for score, _ in pairs[1:]] == [0.25, 0.75]
    assert 0 < pairs[1][1] <= pairs[2][1] < 0.1  # one box over the whole picture is rarely correct
    for picture in read_pictures(tmp_path, "val"):
        exact = Found("square", tuple(map(float, picture.marks[0].bbox)), 0.95)  # type: ignore[arg-type]
        detector = NetworkDetector(scripted_network([exact, exact]), 0.02)
        (_, (score, share)) = score_calibration(detector, [picture])
        assert (score, share) == (0.95, 0.5)  # the second box of an object is a false detection
