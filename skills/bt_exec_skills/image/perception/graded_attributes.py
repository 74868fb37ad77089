"""Comparison of objects by degree: bigger, brighter, sharper."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from bt_exec_skills.image.perception.attributes import AttributeName
from bt_exec_skills.image.perception.colours import lab_of
from bt_exec_skills.image.perception.decide import all_hold
from bt_exec_skills.image.perception.instances import Crop, Decision

__all__ = ["DEGREES", "exceeding"]

DEGREES = ("big", "small", "bright", "dark", "sharp", "blurred")
_FALLING = ("small", "dark", "blurred")
_MARGINS = {"big": (1.06, 1.15), "bright": (1.05, 1.15), "sharp": (1.2, 1.6)}
"""Ratios up to which two objects may be equal, and from which one certainly exceeds the other."""


def exceeding(
    crops: Sequence[Crop],
    decisions: Sequence[Decision],
    attribute: AttributeName,
    others: Sequence[Crop],
    *,
    wanted: bool = True,
) -> list[Decision]:
    """Return the decisions after objects were compared with all `others` by an attribute.

    Args:
        crops: Crop of each candidate.
        decisions: Earlier decisions; rejected candidates stay rejected.
        attribute: Attribute to exceed by: ``big``, ``small``, ``bright``, ``dark``, ``sharp`` or
            ``blurred``.
        others: The objects to exceed; a candidate is not compared with itself.
        wanted: False keeps those that do not exceed all of them.
    """
    result = []
    for crop, before in zip(crops, decisions, strict=True):
        rivals = [one for one in others if one.instance.bbox != crop.instance.bbox]
        pairs = [_exceeds(crop, one, attribute) for one in rivals]
        now = all_hold(pairs) if pairs else Decision(len(others) > 0, "", 1.0)
        if not wanted:
            now = now._replace(holds=None if now.holds is None else not now.holds)
        result.append(all_hold([before, now]) if before.holds is not False else before)
    return result


def _exceeds(one: Crop, other: Crop, attribute: AttributeName) -> Decision:
    rising = {"small": "big", "dark": "bright", "blurred": "sharp"}.get(attribute, attribute)
    equal, more = _MARGINS[rising]
    mine, theirs = _measure(one, rising), _measure(other, rising)
    ratio = theirs / mine if attribute in _FALLING else mine / theirs
    if equal < ratio < more:
        return Decision(None, attribute, 0.5)
    found = attribute if ratio >= more else f"not {attribute}"
    return Decision(ratio >= more, found, min(1.0, 0.7 + abs(ratio - equal)))


def _measure(crop: Crop, attribute: str) -> float:
    """Return the side length [px], the lightness or the sharpness of an object, at least 1."""
    if attribute == "big":
        return max(1.0, float(np.sqrt(crop.instance.area)))
    if attribute == "bright":
        return max(1.0, float(lab_of(crop.pixels)[..., 0][crop.own].mean()))
    grey = cv2.cvtColor(crop.pixels, cv2.COLOR_RGB2GRAY)
    return max(1.0, float(cv2.Laplacian(grey, cv2.CV_64F).var()))
