"""Metrics of a detector: precision, recall and average precision per class; confusion of states.

Average precision is the area under the precision-recall curve, with precision made non-increasing
and sampled at 101 recalls. A detected box is correct if it has the class of a true box, its overlap
(IoU) with that box is at least the threshold, and no better box matches the same true box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bt_exec_skills.perception.pictures_and_boxes import intersection_over_union
from bt_exec_skills.vision.box_decoding import Found
from bt_exec_skills.vision.labelled_picture import Mark

__all__ = ["ClassFigures", "Confusion", "class_figures", "correct_detections"]

Floats = npt.NDArray[np.float64]
_RECALLS = np.linspace(0, 1, 101)
_STRICTER = np.arange(50, 100, 5) / 100


@dataclass(frozen=True)
class ClassFigures:
    """Detection metrics of one class.

    Attributes:
        label: The class.
        count: Number of true boxes.
        precision: Precision at `working_score`; see `class_figures`.
        recall: Recall at `working_score`.
        ap50: Average precision at an overlap of 0.5.
        ap: Mean of the average precisions at overlaps 0.5, 0.55, … 0.95.
        curve: Precision at recalls 0, 0.01, … 1, at an overlap of 0.5.
    """

    label: str
    count: int
    precision: float
    recall: float
    ap50: float
    ap: float
    curve: tuple[float, ...]


def class_figures(
    label: str,
    pictures: Sequence[tuple[Sequence[Mark], Sequence[Found]]],
    working_score: float,
) -> ClassFigures:
    """Return the metrics of one class.

    Args:
        label: The class.
        pictures: True and detected boxes of each picture, of any class.
        working_score: Minimum score for `precision` and `recall`.
    """
    scores: list[float] = []
    hits: list[npt.NDArray[np.bool_]] = []
    count = 0
    for marks, found in pictures:
        true = [mark.bbox for mark in marks if mark.label == label]
        mine = sorted((one for one in found if one.label == label), key=lambda one: -one.score)
        count += len(true)
        scores += [one.score for one in mine]
        hits.append(correct_detections([one.xyxy for one in mine], true))
    order = np.argsort(-np.array(scores), kind="stable")
    right = np.concatenate(hits, axis=0)[order] if scores else np.zeros((0, len(_STRICTER)), bool)
    working = right[np.array(scores)[order] >= working_score, 0] if scores else right[:, 0]
    curves = [_precision_at_recalls(right[:, level], count) for level in range(len(_STRICTER))]
    areas = [float(np.trapezoid(curve, _RECALLS)) for curve in curves]
    return ClassFigures(
        label,
        count,
        float(working.mean()) if working.size else 0.0,
        float(working.sum() / count) if count else 0.0,
        areas[0],
        float(np.mean(areas)),
        tuple(float(value) for value in curves[0]),
    )


def correct_detections(
    found: Sequence[Sequence[float]], true: Sequence[Sequence[float]]
) -> npt.NDArray[np.bool_]:
    """Return whether each detected box (best first) is correct at each overlap threshold.

    The result has the shape (detected boxes, thresholds).
    """
    right = np.zeros((len(found), len(_STRICTER)), bool)
    if not found or not true:
        return right
    shares = intersection_over_union(found, true)
    for level, least in enumerate(_STRICTER):
        free = np.ones(len(true), bool)
        for place in range(len(found)):
            share = np.where(free, shares[place], 0.0)
            best = int(share.argmax())
            if share[best] >= least:
                free[best] = False
                right[place, level] = True
    return right


def _precision_at_recalls(right: npt.NDArray[np.bool_], count: int) -> Floats:
    """Return the precision at each of `_RECALLS`."""
    if not count or not right.size:
        return np.zeros_like(_RECALLS)
    true = right.cumsum()
    recall, precision = true / count, true / np.arange(1, len(right) + 1)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    places = np.searchsorted(recall, _RECALLS - 1e-12)
    return np.append(precision, 0.0)[np.minimum(places, len(precision))]


class Confusion:
    """Confusion matrix of estimated states.

    Args:
        states: Names of the states. The matrix has one more column, for uncertain estimates.
    """

    def __init__(self, states: Sequence[str]) -> None:
        self.states = tuple(states)
        self.counts = np.zeros((len(self.states), len(self.states) + 1), int)

    def add(self, truth: str, estimate: str) -> None:
        """Count one estimate; any text that is not a state counts as uncertain."""
        column = self.states.index(estimate) if estimate in self.states else len(self.states)
        self.counts[self.states.index(truth), column] += 1

    @property
    def estimate_count(self) -> int:
        """Number of estimates."""
        return int(self.counts.sum())

    @property
    def decided_share(self) -> float:
        """Share of the estimates that are not uncertain, 0..1."""
        return 1.0 - float(self.counts[:, -1].sum()) / max(1, self.estimate_count)

    @property
    def accuracy(self) -> float:
        """Share of the estimates that are correct among those that are not uncertain, 0..1."""
        given = int(self.counts[:, :-1].sum())
        return float(np.trace(self.counts[:, :-1])) / max(1, given)
