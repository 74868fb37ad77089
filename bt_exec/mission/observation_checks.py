"""Validation of observations on arrival, so that later code can rely on them."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from bt_exec.rig import texts_by_text
from bt_exec.robot import Observation

__all__ = ["usable"]

_AHEAD_S = 1e-3  # how far a time may be ahead of the clock by rounding [s]
_WANTED = ("t", "frame", "labels", "facts", "describe", "record")


def usable(found: Any, now: float) -> Observation:
    """Return what a perception gave, if it is an observation of now or earlier.

    Args:
        found: What it gave.
        now: The mission's clock [s].

    Raises:
        TypeError: If it is not an observation, or says something else than it should.
        ValueError: If its time is no time, or has not come yet.
    """
    missing = [name for name in _WANTED if not hasattr(found, name)]
    if missing:
        raise TypeError(f"{type(found).__name__} is not an observation: it has no {missing[0]}")
    observation: Observation = found
    t: Any = observation.t
    if not isinstance(t, Real) or not math.isfinite(t):
        raise ValueError(f"the time of an observation is a finite number; found {t!r:.80}")
    if float(t) > now + _AHEAD_S:
        raise ValueError(f"the observation is of {float(t):g} s, but it is {now:g} s")
    labels: Any = observation.labels()
    if isinstance(labels, str) or not all(isinstance(label, str) for label in labels):
        raise TypeError(f"labels are texts; found {labels!r:.80}")
    texts_by_text(observation.facts())
    line: Any = observation.describe("en")
    if not isinstance(line, str):
        raise TypeError(f"describe gives a line of text; found {line!r:.80}")
    if not isinstance(observation.record(), dict):
        raise TypeError("record gives a dict of plain data")
    return observation
