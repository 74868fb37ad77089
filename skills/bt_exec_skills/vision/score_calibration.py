"""Calibration of detection scores to probabilities, measured on labelled pictures."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bt_exec_skills.perception.contracts import Detection, Detector, View
from bt_exec_skills.perception.pictures_and_boxes import intersection_over_union
from bt_exec_skills.vision.labelled_picture import Picture
from bt_exec_skills.vision.metrics import correct_detections

__all__ = ["recall_by_class", "score_calibration"]

Floats = npt.NDArray[np.float64]
_EDGES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0001)
_RIGHT = 0.5
_PRIOR = 2.0  # pseudo-count of detections per bin, half of them correct


def score_calibration(
    detector: Detector[View[Any], Detection], pictures: Iterable[Picture]
) -> list[tuple[float, float]]:
    """Return pairs of score and share of correct detections, both increasing.

    A detection is correct if it has the class of a marked box, its overlap (IoU) with that box is
    at least 0.5, and no detection with a higher score matches the same box. Doubtful detections are
    ignored.

    Args:
        detector: Detector that returns raw scores of 0.02 or more.
        pictures: Labelled pictures.
    """
    scores: list[float] = []
    right: list[bool] = []
    for picture in pictures:
        seen = detector.detect(View(0.0, picture.image()))
        found = [one for one in seen if not one.doubt]
        for label in dict.fromkeys(one.label for one in found):
            mine = [one for one in found if one.label == label]
            true = [mark.bbox for mark in picture.marks if mark.label == label]
            scores += [one.score for one in mine]
            right += correct_detections([one.bbox for one in mine], true)[:, 0].tolist()
    return _calibration_points(np.array(scores), np.array(right, float))


def recall_by_class(
    detector: Detector[View[Any], Detection], pictures: Iterable[Picture], least_score: float
) -> dict[str, float]:
    """Return the recall of each class at a minimum score."""
    there: dict[str, int] = {}
    found: dict[str, int] = {}
    for picture in pictures:
        seen = detector.detect(View(0.0, picture.image()))
        for mark in picture.marks:
            mine = [
                one.bbox
                for one in seen
                if not one.doubt and one.label == mark.label and one.score >= least_score
            ]
            there[mark.label] = there.get(mark.label, 0) + 1
            hit = bool(mine) and intersection_over_union([mark.bbox], mine).max() >= _RIGHT
            found[mark.label] = found.get(mark.label, 0) + int(hit)
    return {label: round(found[label] / count, 3) for label, count in sorted(there.items())}


def _calibration_points(scores: Floats, right: Floats) -> list[tuple[float, float]]:
    pairs = [(0.0, 0.0)]
    for low, high in pairwise(_EDGES):
        inside = (scores >= low) & (scores < high)
        count = int(inside.sum())
        if count:
            share = (right[inside].sum() + _PRIOR / 2) / (count + _PRIOR)
            rising = max(pairs[-1][1], float(share))
            pairs.append((round(float(scores[inside].mean()), 4), round(rising, 4)))
    return pairs
