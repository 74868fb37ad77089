"""Shipped network for objects on tables; see `MODEL_CARD.md`.

``table.json`` contains metrics of the network, its calibration (pairs of score and probability) and
the recall of each class, measured on held-out scenes.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["SHIPPED", "shipped_probability", "shipped_recalls"]

SHIPPED = Path(__file__).with_name("table.onnx")
"""Weights file of the shipped network."""


@lru_cache(maxsize=1)
def _metadata() -> dict[str, Any]:
    papers: dict[str, Any] = json.loads(SHIPPED.with_suffix(".json").read_text(encoding="utf-8"))
    return papers


def shipped_recalls() -> dict[str, float]:
    """Return the recall of each class of the shipped network, 0..1."""
    return dict(_metadata()["recalls"])


def shipped_probability(score: float) -> float:
    """Return the probability that a detection of the shipped network with this score is correct."""
    scores, shares = zip(*_metadata()["calibration"], strict=True)
    return float(np.interp(score, scores, shares))
