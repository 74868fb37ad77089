"""Instances by name from a detector, with the confidence that none is missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bt_exec_skills.image.perception.decide import of_kind
from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.perception.contracts import Detection, View
from bt_exec_skills.perception.picture import Frame
from bt_exec_skills.things.detector import FAINT, LEAST_SCORE, make_detector

__all__ = ["NOTHING_KNOWN", "Detected", "detect", "detected"]

_MEANT = 0.5  # from here on a detection is more likely right than wrong
NOTHING_KNOWN = 0.5
"""How sure an absence is at most where the detector recognised nothing at all in the picture."""


class Detected(NamedTuple):
    """Result of a detector for one kind.

    Attributes:
        instances: Those that may count.
        whole: How sure it is that they are all, and all of them are, 0..1.
    """

    instances: list[Instance]
    whole: float


def detected(
    found: Sequence[Detection],
    label: str = "",
    least_score: float = LEAST_SCORE,
    recall: float = 1.0,
) -> Detected:
    """Return the instances of a label among what was detected; all if it is empty.

    A score is taken for the probability that a detection is right. That all are right, and what is
    fainter than `least_score`, or better explained by another thing, rightly passed over, is as
    sure as their product. And where much in
    the picture, of whatever kind, looks only half like something, the detector is in a place that
    it does not know: it is as sure as the share of the scores that are clear, where nothing is 0.5.
    Last, with a chance of one half there is one more to be missed, which it misses as often as its
    `recall` of that class says.
    """
    mine = [one for one in found if not label or one.label.lower() == label.lower()]
    whole = 1.0
    for one in mine:
        whole *= one.score if one.score >= _MEANT and not one.doubt else 1 - one.score
    plain = [one.score for one in found if not one.doubt]
    clear = sum(score for score in plain if score >= _MEANT)
    share = clear / sum(plain) if clear else 0.0
    whole = min(whole, max(NOTHING_KNOWN, share))
    whole *= 1 - (1 - recall) / 2
    kept = [
        Instance(one.label, one.bbox, one.score, "detector")
        for one in found
        if one.score >= least_score and not one.doubt
    ]
    return Detected(of_kind(kept, label), whole)


def detect(
    picture: Frame,
    label: str = "",
    weights: str | Path | None = None,
    least_score: float = LEAST_SCORE,
) -> list[Instance]:
    """Return the instances of `label` that a network finds; everything that it knows if empty.

    Args:
        picture: The picture.
        label: A class of the network.
        weights: Its file, ``.onnx`` or ``.pt``; the network that ships if None.
        least_score: What a detection must reach, 0..1.

    Raises:
        UsageError: If the weights cannot be used.
    """
    detector = make_detector(Path(weights) if weights is not None else None, FAINT)
    return detected(detector.detect(View(0.0, picture)), label, least_score).instances
