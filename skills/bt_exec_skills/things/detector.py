"""The detector of things on tables: the network that ships, or one that a site names."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from bt_exec_skills.things.weights import SHIPPED
from bt_exec_skills.vision.detector import NetworkDetector
from bt_exec_skills.vision.network import Network, load

__all__ = ["LEAST_SCORE", "make_detector"]

LEAST_SCORE = 0.35
"""What a detection must exceed, if a site does not say."""


def make_detector(weights: Path | None = None, least_score: float = LEAST_SCORE) -> NetworkDetector:
    """Return a detector.

    Args:
        weights: A file, ``.onnx`` or ``.pt``; the shipped network if None.
        least_score: What a detection must exceed.

    Raises:
        UsageError: If the weights cannot be used.
    """
    return NetworkDetector(_loaded(weights or SHIPPED), least_score)


@lru_cache(maxsize=2)
def _loaded(weights: Path) -> Network:
    """Return the network in a file; cached, so that it is loaded once."""
    return load(weights)
