"""Evaluation of a network on a data set: metrics per class, confusion of states, and plots."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from bt_exec_skills.perception.pictures_and_boxes import Frame
from bt_exec_skills.vision.box_decoding import Found
from bt_exec_skills.vision.labelled_picture import Mark, Picture
from bt_exec_skills.vision.metrics import ClassFigures, Confusion, class_figures
from bt_exec_skills.vision.network_inference import Network
from bt_exec_skills.vision.text_drawing import draw_text

__all__ = ["WORKING_SCORE", "Report", "StateEstimator", "confusion_plot", "curves_plot", "evaluate"]


WORKING_SCORE = 0.35
"""Default minimum score of a detection."""
_LEAST = 0.001  # minimum score of detections on the precision-recall curve

StateEstimator = Callable[[Picture], tuple[str, str] | None]
"""Function that returns the true and the estimated state in a picture, or None without a state."""


@dataclass(frozen=True)
class Report:
    """Result of an evaluation.

    Attributes:
        pictures: Number of evaluated pictures.
        classes: Metrics of each class.
        states: Confusion matrix of states, or None.
        inference_ms: Median time of one inference [ms].
    """

    pictures: int
    classes: tuple[ClassFigures, ...]
    states: Confusion | None
    inference_ms: float

    @property
    def map50(self) -> float:
        """Mean average precision of the classes that occur, at an overlap (IoU) of 0.5."""
        return _mean([one.ap50 for one in self.classes if one.count])

    @property
    def map(self) -> float:
        """Mean average precision of the classes that occur, at overlaps (IoU) of 0.5 to 0.95."""
        return _mean([one.ap for one in self.classes if one.count])

    def data(self) -> dict[str, Any]:
        """Return the report as plain data, without the curves."""
        found: dict[str, Any] = {
            "pictures": self.pictures,
            "map50": round(self.map50, 4),
            "map50_95": round(self.map, 4),
            "inference_ms": round(self.inference_ms, 2),
            "classes": {
                one.label: {
                    "count": one.count,
                    "precision": round(one.precision, 4),
                    "recall": round(one.recall, 4),
                    "ap50": round(one.ap50, 4),
                    "ap50_95": round(one.ap, 4),
                }
                for one in self.classes
            },
        }
        if self.states is not None:
            found["states"] = {
                "asked": self.states.estimate_count,
                "answered": round(self.states.decided_share, 4),
                "right_of_answered": round(self.states.accuracy, 4),
                "told": [*self.states.states, "uncertain"],
                "rows": {
                    state: [int(count) for count in row]
                    for state, row in zip(self.states.states, self.states.counts, strict=True)
                },
            }
        return found


def evaluate(
    network: Network,
    pictures: Iterable[Picture],
    tell: Callable[[int], None],
    classes: Sequence[str],
    *,
    answer: StateEstimator | None = None,
    states: tuple[str, ...] = (),
) -> Report:
    """Evaluate a network on labelled pictures.

    Args:
        network: Network to evaluate.
        pictures: Labelled pictures.
        tell: Function called after each picture with the number of processed pictures.
        classes: Classes of the labels; objects of classes that the network lacks count as missed.
        answer: Function that returns true and estimated states; None without states.
        states: Names of the states.
    """
    tried: list[tuple[tuple[Mark, ...], list[Found]]] = []
    spent: list[float] = []
    confusion = Confusion(states) if answer is not None else None
    for number, picture in enumerate(pictures, 1):
        image = picture.image()
        began = time.perf_counter()
        found = network.find(image, _LEAST)
        spent.append(1000 * (time.perf_counter() - began))
        tried.append((picture.marks, found))
        pair = answer(picture) if answer is not None else None
        if confusion is not None and pair is not None:
            confusion.add(*pair)
        tell(number)
    labels = dict.fromkeys([*classes, *network.names])
    figures = [class_figures(label, tried, WORKING_SCORE) for label in labels]
    return Report(
        len(tried), tuple(figures), confusion, float(np.median(spent)) if spent else float("nan")
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


_INK = (30, 30, 30)
_COLOURS = (
    (31, 119, 180),
    (255, 127, 14),
    (44, 160, 44),
    (214, 39, 40),
    (148, 103, 189),
    (140, 86, 75),
    (227, 119, 194),
    (127, 127, 127),
)


def _draw_label(canvas: Frame, words: str, place: tuple[int, int], size: int = 14) -> None:
    draw_text(canvas, words, place, size, _INK)


def curves_plot(report: Report) -> Frame:
    """Return a plot of precision over recall for each class at an overlap of 0.5."""
    left, top, side = 60, 40, 400
    canvas = np.full((top + side + 50, left + side + 220, 3), 255, np.uint8)
    _draw_label(canvas, f"precision over recall, mAP50 {report.map50:.3f}", (left, 24), 17)
    for share in np.linspace(0, 1, 6):
        x, y = left + round(share * side), top + side - round(share * side)
        cv2.line(canvas, (left, y), (left + side, y), (225, 225, 225), 1)
        cv2.line(canvas, (x, top), (x, top + side), (225, 225, 225), 1)
        _draw_label(canvas, f"{share:.1f}", (left - 36, y + 5))
        _draw_label(canvas, f"{share:.1f}", (x - 10, top + side + 20))
    for number, one in enumerate(report.classes):
        colour = _COLOURS[number % len(_COLOURS)]
        xs = left + np.linspace(0, side, len(one.curve))
        ys = top + side * (1 - np.array(one.curve))
        points = np.stack([xs, ys], axis=1).round().astype(np.int32)
        cv2.polylines(canvas, [points], isClosed=False, color=colour, thickness=2)
        row = top + 20 + 24 * number
        cv2.line(canvas, (left + side + 20, row), (left + side + 44, row), colour, 3)
        _draw_label(canvas, f"{one.label} {one.ap50:.3f}", (left + side + 52, row + 5))
    return canvas


def confusion_plot(states: Confusion) -> Frame:
    """Return a plot of the confusion matrix: true states as rows, estimated states as columns."""
    left, top, cell = 110, 70, 110
    rows, columns = states.counts.shape
    canvas = np.full((top + rows * cell + 40, left + columns * cell + 20, 3), 255, np.uint8)
    title = f"estimated, by truth: {states.decided_share:.3f} answered, "
    title += f"{states.accuracy:.3f} of it right"
    _draw_label(canvas, title, (12, 24), 16)
    for column, name in enumerate((*states.states, "uncertain")):
        _draw_label(canvas, name, (left + column * cell + 8, top - 10))
    for row, name in enumerate(states.states):
        _draw_label(canvas, name, (12, top + row * cell + cell // 2))
        whole = max(1, int(states.counts[row].sum()))
        for column in range(columns):
            count = int(states.counts[row, column])
            shade = 255 - round(170 * count / whole)
            corner = left + column * cell, top + row * cell
            end = corner[0] + cell - 2, corner[1] + cell - 2
            cv2.rectangle(canvas, corner, end, (shade, shade, 255), -1)
            _draw_label(canvas, str(count), (corner[0] + 12, corner[1] + 48), 19)
            _draw_label(canvas, f"{100 * count / whole:.1f} %", (corner[0] + 12, corner[1] + 74))
    return canvas
