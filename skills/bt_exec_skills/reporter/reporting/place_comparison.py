"""Comparison of observed places by one aspect."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

__all__ = ["Comparison", "Order", "compare_places"]

Order: TypeAlias = Literal["most", "least"]
_NOISE_DB = 1.5  # half of the minimum difference at which one place counts as louder
_LIGHT = 15.0  # half of the minimum difference of luminance at which one place counts as brighter


class Comparison(NamedTuple):
    """Order of places by an aspect.

    Attributes:
        aspect: ``people``, ``light`` or ``noise``.
        order: Whether the place with the ``most`` or the ``least`` of the aspect comes first.
        places: The places that could be compared, in the order of their observation.
        first: Places that may be first; several if they are equal or the order is uncertain.
        sure: Whether `first` is certain. Several first places are uncertain if parts of them were
            hidden.
    """

    aspect: str
    order: Order
    places: tuple[str, ...]
    first: tuple[str, ...]
    sure: bool

    @property
    def outcome(self) -> str:
        """``few`` (less than two places), ``unsure``, ``equal``, or ``first`` (one first place)."""
        if len(self.places) < 2:
            return "few"
        return "unsure" if not self.sure else "equal" if len(self.first) > 1 else "first"


def compare_places(looks: Iterable[Mapping[str, Any]], aspect: str, order: Order) -> Comparison:
    """Return the comparison of the observed places, based on the last observation of each.

    Args:
        looks: Fields of the result of each `observe_scene` and its ``target``, oldest first.
        aspect: The aspect.
        order: Whether the place with the ``most`` or the ``least`` of the aspect comes first.
    """
    known: dict[str, tuple[float, float]] = {}
    for facts in looks:
        place, bounds = str(facts["target"]), _value_bounds(facts, aspect)
        known.pop(place, None)
        if bounds is not None:
            low, high = bounds
            known[place] = (low, high) if order == "most" else (-high, -low)
    least = max((low for low, _ in known.values()), default=0.0)
    first = tuple(place for place, (_, high) in known.items() if high >= least)
    hidden = any(math.isinf(one) for place in first for one in known[place])
    return Comparison(aspect, order, tuple(known), first, len(first) == 1 or not hidden)


def _value_bounds(facts: Mapping[str, Any], aspect: str) -> tuple[float, float] | None:
    """Return the least and the greatest value that an observation allows; None if unknown."""
    if aspect == "people":
        people = int(facts.get("people", -1))
        most = math.inf if facts.get("complete") is False else people
        return None if people < 0 else (people, most)
    value, margin = ("brightness", _LIGHT) if aspect == "light" else ("noise_db", _NOISE_DB)
    level = float(facts.get(value, -1.0))
    return None if level < 0 else (level - margin, level + margin)
