"""Detector that runs a network and marks conflicting classes as doubtful."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bt_exec_skills.perception.contracts import Detection, View
from bt_exec_skills.perception.pictures_and_boxes import intersection_over_union, to_pixel_box
from bt_exec_skills.vision.box_decoding import Found, suppress_overlaps
from bt_exec_skills.vision.network_inference import Network

__all__ = ["RIVAL", "NetworkDetector"]

RIVAL = "rival"
"""Reason for doubt about a box if a better box gives the same object another class."""

_LEAST_RAW = 0.02  # minimum raw score that is calibrated


class NetworkDetector:
    """Detector that runs a network; implements `bt_exec_skills.perception.contracts.Detector`.

    Args:
        network: Network to run.
        least_score: Minimum score of a detection (after calibration), 0..1.
        weights: Weights file; None for the shipped network.
        probability: Function that calibrates a score to a probability; None for no calibration.
        most_overlap: Overlap (IoU) above which two boxes, of any classes, show the same object. The
            box with the higher score is kept; the other box is dropped if it has the same class,
            and marked with the doubt `RIVAL` otherwise. 1 keeps all boxes without doubt.
        recalls: Recall of each class, 0..1, where it is known.

    Attributes:
        names: Classes that the network can detect.
        weights: Weights file; None for the shipped network.
        recalls: Recall of each class, 0..1, where it is known.
    """

    def __init__(
        self,
        network: Network,
        least_score: float,
        weights: Path | None = None,
        probability: Callable[[float], float] | None = None,
        most_overlap: float = 1.0,
        recalls: Mapping[str, float] | None = None,
    ) -> None:
        self.names = network.names
        self.weights = weights
        self._network = network
        self._least = least_score
        self._probability = probability
        self._most_overlap = most_overlap
        self.recalls = dict(recalls or {})

    def detect(self, view: View[Any]) -> tuple[Detection, ...]:
        """Return the detections, best first."""
        size = view.frame.shape[0], view.frame.shape[1]
        least = self._least if self._probability is None else _LEAST_RAW
        found = []
        for one, doubt in self._with_doubts(self._network.find(view.frame, least)):
            score = one.score if self._probability is None else self._probability(one.score)
            box = to_pixel_box(one.xyxy, size)
            if box is not None and score >= self._least:
                found.append(Detection(one.label, box, score, doubt=doubt))
        return tuple(found)

    def _with_doubts(self, found: list[Found]) -> list[tuple[Found, str]]:
        """Return the detections without duplicates, each with its reason for doubt or ""."""
        if self._most_overlap >= 1 or not found:
            return [(one, "") for one in found]
        boxes = np.array([one.xyxy for one in found], np.float32)
        kept = suppress_overlaps(boxes, None, self._most_overlap)
        winners = intersection_over_union(boxes, boxes[kept]).argmax(axis=1)
        return [
            (one, "" if place in kept else RIVAL)
            for place, one in enumerate(found)
            if place in kept or one.label != found[kept[winners[place]]].label
        ]
