"""Detector of objects on tables, which runs the shipped network or another one."""

from __future__ import annotations

from pathlib import Path

from bt_exec_skills.things.weights import SHIPPED, shipped_probability, shipped_recalls
from bt_exec_skills.vision.detector import NetworkDetector
from bt_exec_skills.vision.two_stage_network_loading import load_cached

__all__ = ["FAINT", "LEAST_SCORE", "MOST_OVERLAP", "make_detector"]

LEAST_SCORE = 0.35
"""Default minimum score of a detection, 0..1."""
MOST_OVERLAP = 0.6
"""Overlap (IoU) above which two boxes, of any classes, show the same object."""
FAINT = 0.05
"""Minimum score for callers that also use improbable detections, 0..1."""


def make_detector(weights: Path | None = None, least_score: float = LEAST_SCORE) -> NetworkDetector:
    """Return a detector; the scores of the shipped network are calibrated probabilities.

    Args:
        weights: Weights file, ``.onnx`` or ``.pt``; None for the shipped network.
        least_score: Minimum score of a detection.

    Raises:
        UsageError: If the weights cannot be used.
    """
    if weights is not None:
        return NetworkDetector(load_cached(weights), least_score, weights)
    probability = shipped_probability
    return NetworkDetector(
        load_cached(SHIPPED), least_score, None, probability, MOST_OVERLAP, shipped_recalls()
    )
