"""Detector settings of a site file: ``{weights: FILE, least_score: 0.35}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.failure import UnknownName, UsageError

__all__ = ["weights_and_score"]


def weights_and_score(
    settings: Mapping[str, Any], usual: float, *, also: tuple[str, ...] = ()
) -> tuple[str | None, float]:
    """Return the weights file, or None for the shipped weights, and the minimum score.

    Args:
        settings: Settings of the site.
        usual: Default of the minimum score, 0..1.
        also: Further settings, which the caller reads.

    Raises:
        UnknownName: If a setting is unknown.
        UsageError: If a value is wrong.
    """
    known = ("weights", *also, "least_score")
    for key in settings:
        if key not in known:
            raise UnknownName("setting of detector", key, known)
    least, weights = settings.get("least_score", usual), settings.get("weights")
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0.05 <= least < 1:
        raise UsageError(f"detector: least_score={least!r}: allowed are 0.05 to 1")
    if weights is not None and not isinstance(weights, str):
        raise UsageError(f"detector: weights={weights!r}: a file is needed, .onnx or .pt")
    return weights, float(least)
