"""Comparison of objects by degree, such as bigger, brighter or further left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import cv2

from bt_exec_skills.image.perception.attributes import object_height_or_side
from bt_exec_skills.image.perception.colours import to_cielab
from bt_exec_skills.image.perception.instance_decisions import all_hold
from bt_exec_skills.image.perception.instances import Crop, Decision, Instance
from bt_exec_skills.image.perception.relations import SIDES

__all__ = ["DEGREES", "DegreeName", "compare_with_others", "sorted_places"]

GradedName = Literal[
    "big", "small", "tall", "short", "long", "brief", "bright", "dark", "sharp", "blurred"
]  # fmt: skip
DegreeName = GradedName | Literal["left_of", "right_of", "above", "below", "middle"]
DEGREES: tuple[GradedName, ...] = get_args(GradedName)
_RISING = {
    "small": "big", "short": "tall", "brief": "long", "dark": "bright", "blurred": "sharp",
}  # fmt: skip
_MARGINS = {
    "big": (1.03, 1.06), "tall": (1.015, 1.035), "long": (1.03, 1.08), "bright": (1.05, 1.15),
    "sharp": (1.2, 1.6),
}  # fmt: skip
"""Ratio up to which two objects may be equal, and ratio from which one certainly exceeds the other,
by attribute."""


def compare_with_others(
    crops: Sequence[Crop],
    decisions: Sequence[Decision],
    attribute: DegreeName,
    others: Sequence[Crop],
    *,
    wanted: bool = True,
    rank: int | None = None,
) -> list[Decision]:
    """Return the decisions after candidates were compared with all `others` by an attribute.

    Args:
        crops: Crop of each candidate.
        decisions: Earlier decisions; rejected candidates stay rejected.
        attribute: Attribute by which candidates must exceed `others`: ``big``, ``small``, ``tall``,
            ``short``, ``long``, ``brief`` (in length), ``bright``, ``dark``, ``sharp`` or
            ``blurred``; or a side: ``left_of``, ``right_of``, ``above`` or ``below``. ``middle``
            (in the middle of a row) requires a rank.
        others: The objects to exceed.
        wanted: Whether to keep the candidates that exceed all `others`; False keeps the rest.
        rank: Required place in the order of the candidates, such as 1 for the biggest one;
            `others` must then contain the same objects. None if `others` is a different set;
            candidates that are in `others` are then rejected.
    """
    if rank is not None and attribute == "middle":
        attribute, rank = _rank_of_middle([one.instance for one in others])
    result = []
    for crop, before in zip(crops, decisions, strict=True):
        rivals = [one for one in others if one.instance.bbox != crop.instance.bbox]
        pairs = [_exceeds(crop, one, attribute, rank is None) for one in rivals]
        if rank is not None:
            now = _is_at_rank(pairs, rank, attribute) if others else Decision(False, "", 1.0)
        elif len(rivals) < len(others):
            now = Decision(False, f"not {attribute}", 0.9)
        else:
            now = all_hold(pairs) if pairs else Decision(False, "", 1.0)
        if not wanted:
            now = now._replace(holds=None if now.holds is None else not now.holds)
        result.append(all_hold([before, now]) if before.holds is not False else before)
    return result


def sorted_places(crops: Sequence[Crop], attribute: DegreeName) -> list[int]:
    """Return the indices of objects sorted by an attribute, such as "big": the biggest first."""

    def sort_key(place: int) -> float:
        crop = crops[place]
        if attribute in SIDES:
            axis, sign = SIDES[attribute]
            return -sign * crop.instance.middle[axis]
        rising = _RISING.get(attribute, attribute)
        return _measure(crop, rising) * (1 if attribute in _RISING else -1)

    return sorted(range(len(crops)), key=sort_key)


def _is_at_rank(pairs: Sequence[Decision], rank: int, attribute: str) -> Decision:
    """Decide whether an object has a rank, from its comparison with each other object."""
    if rank == 1:
        return all_hold(pairs)
    ahead = sum(one.holds is False for one in pairs)
    open_ones = sum(one.holds is None for one in pairs)
    clear = min((one.confidence for one in pairs), default=1.0)
    if ahead > rank - 1 or ahead + open_ones < rank - 1:
        return Decision(False, f"not {attribute}", clear)
    return Decision(None if open_ones else True, attribute, clear)


def _rank_of_middle(row: Sequence[Instance]) -> tuple[DegreeName, int]:
    """Return the side from which a row is counted, and the rank of its middle object.

    A row with an even number of objects has no middle object; then no object has the returned rank.
    """
    spreads = [
        max(places) - min(places) for places in zip(*(one.middle for one in row), strict=True)
    ]
    side: DegreeName = "above" if spreads and spreads[1] > spreads[0] else "left_of"
    return side, (len(row) + 1) // 2 if len(row) % 2 else len(row) + 1


def _exceeds(one: Crop, other: Crop, attribute: DegreeName, strictly: bool) -> Decision:
    if attribute in SIDES:
        return _is_further_to_side(one, other, attribute)
    rising = _RISING.get(attribute, attribute)
    equal, more = _MARGINS[rising]
    mine, theirs = _measure(one, rising), _measure(other, rising)
    ratio = theirs / mine if attribute in _RISING else mine / theirs
    if (equal if strictly else 1 / equal) < ratio < more:
        return Decision(None, attribute, 0.5)
    found = attribute if ratio >= more else f"not {attribute}"
    return Decision(ratio >= more, found, min(1.0, 0.7 + abs(ratio - equal)))


_LEVEL, _APART = 0.1, 0.2
"""Distance up to which two objects are level, and distance from which one is further to a side, as
shares of their mean side."""


def _is_further_to_side(one: Crop, other: Crop, side: str) -> Decision:
    """Decide whether the centre of `one` is further to a side than the centre of `other`."""
    axis, sign = SIDES[side]
    ahead = sign * (one.instance.middle[axis] - other.instance.middle[axis])
    share = ahead / (
        (object_height_or_side(one.instance, False) + object_height_or_side(other.instance, False))
        / 2
        + 1
    )
    if abs(share) < _APART and share > -_LEVEL:
        return Decision(None, side, 0.5)
    return Decision(share > 0, side if share > 0 else f"not {side}", min(1.0, 0.7 + abs(share)))


def _measure(crop: Crop, attribute: str) -> float:
    """Return the size [px], the lightness or the sharpness of an object, at least 1."""
    if attribute in ("big", "tall"):
        return max(1.0, object_height_or_side(crop.instance, attribute == "tall"))
    if attribute == "long":
        x1, y1, x2, y2 = crop.instance.bbox
        return float(max(1, x2 - x1, y2 - y1))
    if attribute == "bright":
        return max(1.0, float(to_cielab(crop.pixels)[..., 0][crop.own].mean()))
    grey = cv2.cvtColor(crop.pixels, cv2.COLOR_RGB2GRAY)
    return max(1.0, float(cv2.Laplacian(grey, cv2.CV_64F).var()))
