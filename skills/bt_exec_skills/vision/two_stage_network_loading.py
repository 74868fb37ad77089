"""Loading of a network that a site file names: a detector, or a detector with a crop classifier.

A detector ``NAME.onnx`` may have a classifier ``NAME.names.onnx`` in the same folder. Then the
detector locates objects, and the classifier determines their classes (`TwoStageNetwork`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bt_exec.failure import UnknownName, UsageError
from bt_exec_skills.perception.pictures_and_boxes import Frame
from bt_exec_skills.vision.box_decoding import Found, suppress_overlaps
from bt_exec_skills.vision.crop_classifier import CropClassifier, cut_crops, proposed_boxes
from bt_exec_skills.vision.network_inference import (
    LEAST_SCORE,
    Network,
    OnnxNetwork,
    UltralyticsNetwork,
)

__all__ = [
    "TwoStageNetwork",
    "classifier_path",
    "load_cached",
    "load_detector",
    "load_network",
    "weights_and_least_score",
]


def classifier_path(weights: Path) -> Path:
    """Return the path at which the classifier of a detector is expected."""
    return weights.with_suffix(".names.onnx")


@lru_cache(maxsize=4)
def load_cached(weights: Path) -> Network:
    """Return `load_network(weights)`; recent results are cached."""
    return load_network(weights)


def load_network(weights: Path) -> Network:
    """Return the network in a file, with its classifier if that exists in the same folder.

    Raises:
        UsageError: If a file is missing, has another format, or cannot be read.
    """
    network, names = load_detector(weights), classifier_path(weights)
    if not names.is_file():
        return network
    return TwoStageNetwork(network, CropClassifier(names))


def load_detector(weights: Path) -> Network:
    """Return the detector in a file, without a classifier.

    Raises:
        UsageError: If the file is missing, has another format, or cannot be read.
    """
    if not weights.is_file():
        where = "" if weights.is_absolute() else f" in {Path.cwd()}"
        raise UsageError(
            f"weights {weights} not found{where}; the file name must end in .onnx or .pt"
        )
    if weights.suffix == ".onnx":
        return OnnxNetwork(weights)
    if weights.suffix == ".pt":
        return UltralyticsNetwork(weights)
    raise UsageError(
        f"{weights}: the file name must end in .onnx (onnxruntime) or .pt (ultralytics)"
    )


Floats = npt.NDArray[np.floating[Any]]
_NAMED = 0.7  # weight of the classifier in a score; the remainder is the detector's
_SAME = 0.37  # overlap (IoU) above which boxes belong to one object


class TwoStageNetwork:
    """Detector and classifier combined; implements `network_inference.Network`.

    A box may be returned several times, each time with another class.

    Args:
        boxes: Detector that locates the boxes; its classes are not used.
        namer: Classifier of the boxes.
    """

    def __init__(self, boxes: Network, namer: CropClassifier) -> None:
        self.names = namer.names
        self._boxes = boxes
        self._namer = namer

    def find(self, frame: Frame, least_score: float = LEAST_SCORE) -> list[Found]:
        """Implement `Network.find`; a score is a weighted geometric mean of both scores."""
        places = proposed_boxes(self._boxes, frame)
        if not places:
            return []
        shares = self._namer.class_probabilities(cut_crops(frame, [one.xyxy for one in places]))
        scores = shares**_NAMED * np.array([[one.score] for one in places]) ** (1 - _NAMED)
        kept = self._best_box_of_each_object(
            np.array([one.xyxy for one in places], np.float32), scores.max(axis=1)
        )
        found = [
            Found(name, places[place].xyxy, float(score))
            for place in kept
            for name, score in zip(self.names, scores[place], strict=True)
            if score > least_score
        ]
        return sorted(found, key=lambda one: -one.score)

    @staticmethod
    def _best_box_of_each_object(boxes: Floats, scores: Floats) -> list[int]:
        """Return the index of the best box of each object."""
        order = np.argsort(-scores, kind="stable")
        kept = suppress_overlaps(boxes[order], None, _SAME)
        return [int(place) for place in order[kept]]


def weights_and_least_score(
    settings: Mapping[str, Any], usual: float, *, also: tuple[str, ...] = ()
) -> tuple[str | None, float]:
    """Return the weights file (None for the shipped weights) and the minimum score of a setting.

    Args:
        settings: The site's setting ``detector`` as a mapping.
        usual: Default of the minimum score, 0..1.
        also: Names of further settings that the caller reads.

    Raises:
        UnknownName: If a setting is unknown.
        UsageError: If a value is invalid.
    """
    known = ("weights", *also, "least_score")
    for key in settings:
        if key not in known:
            raise UnknownName("setting", key, known, owner="the detector")
    least, weights = settings.get("least_score", usual), settings.get("weights")
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0.05 <= least < 1:
        raise UsageError(f"detector: least_score={least!r}: allowed: 0.05 to 1")
    if weights is not None and not isinstance(weights, str):
        raise UsageError(f"detector: weights={weights!r}: a file is needed, .onnx or .pt")
    return weights, float(least)
