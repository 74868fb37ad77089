"""Evaluating a network on a data set: boxes per class, and states if the source offers them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bt_exec_skills.vision.decode import Found
from bt_exec_skills.vision.metrics import ClassFigures, Confusion, figures_of
from bt_exec_skills.vision.network import Network
from bt_exec_skills.vision.sample import Mark, Picture

__all__ = ["WORKING_SCORE", "Answer", "Report", "evaluate"]

WORKING_SCORE = 0.35
"""Default minimum score of a detection."""
_LEAST = 0.001  # lowest score on the curve

Answer = Callable[[Picture], tuple[str, str] | None]
"""Returns the true and the estimated state of a picture's subject, or None if it has none."""


@dataclass(frozen=True)
class Report:
    """Result of an evaluation.

    Attributes:
        pictures: Number of evaluated pictures.
        classes: Figures by class.
        states: Confusion of states, or None.
        inference_ms: Median time of one inference [ms].
    """

    pictures: int
    classes: tuple[ClassFigures, ...]
    states: Confusion | None
    inference_ms: float

    @property
    def map50(self) -> float:
        """Mean of the average precisions at an overlap of 0.5, over classes that occur."""
        return _mean([one.ap50 for one in self.classes if one.count])

    @property
    def map(self) -> float:
        """Mean of the average precisions at overlaps 0.5 to 0.95."""
        return _mean([one.ap for one in self.classes if one.count])

    def data(self) -> dict[str, Any]:
        """Return plain data, without curves."""
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
                "asked": self.states.asked,
                "answered": round(self.states.answered, 4),
                "right_of_answered": round(self.states.right, 4),
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
    answer: Answer | None = None,
    states: tuple[str, ...] = (),
) -> Report:
    """Evaluate a network on pictures.

    Args:
        network: The network.
        pictures: The pictures.
        tell: Called after each picture with their number so far.
        classes: Marked classes; classes that the network lacks count as not found.
        answer: Estimates states, if the source of the pictures has them.
        states: The states.
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
    figures = [figures_of(label, tried, WORKING_SCORE) for label in labels]
    return Report(
        len(tried), tuple(figures), confusion, float(np.median(spent)) if spent else float("nan")
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
