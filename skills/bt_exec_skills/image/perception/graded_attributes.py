"""Comparison of objects by degree: bigger, brighter, sharper, further left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import cv2

from bt_exec_skills.image.perception.attributes import object_side
from bt_exec_skills.image.perception.colours import to_cielab
from bt_exec_skills.image.perception.decide import all_hold
from bt_exec_skills.image.perception.instances import Crop, Decision
from bt_exec_skills.image.perception.relations import SIDES

__all__ = ["DEGREES", "DegreeName", "exceeding"]

GradedName = Literal["big", "small", "tall", "short", "bright", "dark", "sharp", "blurred"]
DegreeName = GradedName | Literal["left_of", "right_of", "above", "below"]
DEGREES: tuple[GradedName, ...] = get_args(GradedName)
_FALLING = ("small", "short", "dark", "blurred")
_MARGINS = {
    "big": (1.06, 1.15), "tall": (1.015, 1.035), "bright": (1.05, 1.15), "sharp": (1.2, 1.6),
}  # fmt: skip
"""Ratios up to which two objects may be equal, and from which one certainly exceeds the other."""


def exceeding(
    crops: Sequence[Crop],
    decisions: Sequence[Decision],
    attribute: DegreeName,
    others: Sequence[Crop],
    *,
    wanted: bool = True,
) -> list[Decision]:
    """Return the decisions after objects were compared with all `others` by an attribute.

    Args:
        crops: Crop of each candidate.
        decisions: Earlier decisions; rejected candidates stay rejected.
        attribute: Attribute to exceed by: ``big``, ``small``, ``tall``, ``short``, ``bright``,
            ``dark``, ``sharp`` or ``blurred``. Or a side: ``left_of``, ``right_of``, ``above`` or
            ``below``.
        others: The objects to exceed; a candidate is not compared with itself.
        wanted: False keeps those that do not exceed all of them.
    """
    result = []
    for crop, before in zip(crops, decisions, strict=True):
        rivals = [one for one in others if one.instance.bbox != crop.instance.bbox]
        ties = len(rivals) == len(others)  # with itself among them, one of two equals may be first
        pairs = [_exceeds(crop, one, attribute, ties) for one in rivals]
        now = all_hold(pairs) if pairs else Decision(len(others) > 0, "", 1.0)
        if not wanted:
            now = now._replace(holds=None if now.holds is None else not now.holds)
        result.append(all_hold([before, now]) if before.holds is not False else before)
    return result


def _exceeds(one: Crop, other: Crop, attribute: DegreeName, ties: bool) -> Decision:
    if attribute in SIDES:
        return _is_further_to_side(one, other, attribute)
    rising = {"small": "big", "short": "tall", "dark": "bright", "blurred": "sharp"}.get(
        attribute, attribute
    )
    equal, more = _MARGINS[rising]
    mine, theirs = _measure(one, rising), _measure(other, rising)
    ratio = theirs / mine if attribute in _FALLING else mine / theirs
    if (equal if ties else 1 / equal) < ratio < more:
        return Decision(None, attribute, 0.5)
    found = attribute if ratio >= more else f"not {attribute}"
    return Decision(ratio >= more, found, min(1.0, 0.7 + abs(ratio - equal)))


_LEVEL, _APART = 0.1, 0.2
"""Shares of the mean side up to which two objects are level, and from which one is further."""


def _is_further_to_side(one: Crop, other: Crop, side: str) -> Decision:
    """Return whether the centre of an object is further to a side than that of another."""
    axis, sign = SIDES[side]
    ahead = sign * (one.instance.middle[axis] - other.instance.middle[axis])
    share = ahead / (
        (object_side(one.instance, False) + object_side(other.instance, False)) / 2 + 1
    )
    if abs(share) < _APART and share > -_LEVEL:
        return Decision(None, side, 0.5)
    return Decision(share > 0, side if share > 0 else f"not {side}", min(1.0, 0.7 + abs(share)))


def _measure(crop: Crop, attribute: str) -> float:
    """Return the side length [px], the lightness or the sharpness of an object, at least 1."""
    if attribute in ("big", "tall"):
        return max(1.0, object_side(crop.instance, attribute == "tall"))
    if attribute == "bright":
        return max(1.0, float(to_cielab(crop.pixels)[..., 0][crop.own].mean()))
    grey = cv2.cvtColor(crop.pixels, cv2.COLOR_RGB2GRAY)
    return max(1.0, float(cv2.Laplacian(grey, cv2.CV_64F).var()))
