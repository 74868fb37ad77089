"""Instances of a class from a detector, with the confidence that none is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bt_exec_skills.image.perception.instance_decisions import instances_of_kind
from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.perception.contracts import Detection, Detector, View
from bt_exec_skills.perception.pictures_and_boxes import Frame
from bt_exec_skills.things.detector_factory import FAINT, LEAST_SCORE, make_detector

__all__ = ["NOTHING_KNOWN", "Detected", "detect", "detect_with_tiles", "select_label"]

_LIKELY_SCORE = 0.5  # above this score a detection is more likely right than wrong
NOTHING_KNOWN = 0.5
"""Maximum confidence that objects are absent if the detector recognised nothing in the picture."""


_LARGE, _TILE, _OVERLAP = 1600, 1024, 0.25
"""Side of a picture above which tiles are used [px], side of a tile [px], and overlap of
neighbouring tiles as a share of their side."""
_SAME, _WITHIN = 0.4, 0.7  # minimum IoU, or covered share of the smaller box, for the same object
_EDGE = 3  # an object at most this far from the edge of a tile is assumed to be cut off [px]


class Seen(NamedTuple):
    """Detections in a picture.

    Attributes:
        found: The detections.
        tiled: Whether some detections were found only in tiles.
    """

    found: list[Detection]
    tiled: bool


class Detected(NamedTuple):
    """Detections of one class.

    Attributes:
        instances: Possible instances.
        whole: Confidence that the instances are complete and all correct, 0..1.
    """

    instances: list[Instance]
    whole: float


def select_label(
    found: Sequence[Detection],
    label: str = "",
    least_score: float = LEAST_SCORE,
    recall: float = 1.0,
) -> Detected:
    """Return the instances of a label among the detections; all instances if `label` is empty.

    Each score is interpreted as the probability that the detection is correct. The confidence of
    the result is the product of the probabilities that the kept detections are correct and that the
    dropped ones (low score, or doubtful) are wrong. Many medium scores, of any class, indicate a
    picture unlike the training data; the confidence is therefore at most the share of the score sum
    that is in scores of at least 0.5. Finally, one more object is assumed to exist with probability
    1/2 and to be missed with probability ``1 - recall``.
    """
    labels = label.lower().split("|")
    mine = [one for one in found if not label or one.label.lower() in labels]
    whole = 1.0
    for one in mine:
        whole *= one.score if one.score >= _LIKELY_SCORE and not one.doubt else 1 - one.score
    plain = [one.score for one in found if not one.doubt]
    clear = sum(score for score in plain if score >= _LIKELY_SCORE)
    share = clear / sum(plain) if clear else 0.0
    whole = min(whole, max(NOTHING_KNOWN, share))
    whole *= 1 - (1 - recall) / 2
    kept = [
        Instance(one.label, one.bbox, one.score, "detector")
        for one in found
        if one.score >= least_score and not one.doubt
    ]
    return Detected(instances_of_kind(kept, label), whole)


def detect_with_tiles(detector: Detector[View[None], Detection], picture: Frame) -> Seen:
    """Return the detections in a picture and, if it is large, in its tiles.

    A network scales pictures down and misses small objects in large ones. Overlapping tiles add
    these objects.

    Args:
        detector: Detector to run.
        picture: RGB.
    """
    found = [*detector.detect(View(0.0, picture))]
    height, width = picture.shape[:2]
    whole = len(found)
    if max(height, width) > _LARGE:
        for x, y in product(_tile_offsets(width), _tile_offsets(height)):
            part = np.ascontiguousarray(picture[y : y + _TILE, x : x + _TILE])
            for one in detector.detect(View(0.0, part)):
                _add_tile_detection(found, one, (x, y), (width, height))
    return Seen(found, len(found) > whole)


def _tile_offsets(length: int) -> list[int]:
    """Return the offsets of tiles that cover a side of a picture [px]."""
    step = round(_TILE * (1 - _OVERLAP))
    last = max(0, length - _TILE)
    return [*range(0, last, step), last]


def _add_tile_detection(
    found: list[Detection], one: Detection, start: tuple[int, int], size: tuple[int, int]
) -> None:
    """Add a detection in a tile if it is clear, not known yet, and not cut off by the tile."""
    (x, y), (width, height) = start, size
    x1, y1, x2, y2 = one.bbox
    gaps = x1, y1, _TILE - x2, _TILE - y2
    beyond = x, y, width - x - _TILE, height - y - _TILE
    cut = any(gap <= _EDGE and more > 0 for gap, more in zip(gaps, beyond, strict=True))
    if cut or one.doubt or one.score < _LIKELY_SCORE:
        return
    box = x1 + x, y1 + y, x2 + x, y2 + y
    for other in found:
        a, b, c, d = other.bbox
        shared = max(0, min(c, box[2]) - max(a, box[0])) * max(0, min(d, box[3]) - max(b, box[1]))
        areas = (x2 - x1) * (y2 - y1), (c - a) * (d - b)
        same = other.label == one.label and not other.doubt
        if shared > _SAME * (sum(areas) - shared) or (same and shared > _WITHIN * min(areas)):
            return
    found.append(replace(one, bbox=box))


def detect(
    picture: Frame,
    label: str = "",
    weights: str | Path | None = None,
    least_score: float = LEAST_SCORE,
) -> list[Instance]:
    """Return the instances of `label` that a network finds; of every class if `label` is empty.

    Args:
        picture: RGB.
        label: A class of the network.
        weights: File of the network, ``.onnx`` or ``.pt``; None for the shipped network.
        least_score: Minimum score of a detection, 0..1.

    Raises:
        UsageError: If the weights cannot be used.
    """
    detector = make_detector(Path(weights) if weights is not None else None, FAINT)
    return select_label(detect_with_tiles(detector, picture).found, label, least_score).instances
