"""Validation of observations on arrival, so that later code can rely on them."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from bt_exec.rig import texts_by_text
from bt_exec.robot import Observation

__all__ = ["usable"]

_AHEAD_S = 1e-3  # tolerance for times ahead of the clock, due to rounding [s]
_WANTED = ("t", "frame", "labels", "facts", "describe", "record")


def usable(found: Any, now: float) -> Observation:
    """Return an observation after validating its type, fields and time.

    Args:
        found: Result of a perception.
        now: Time on the mission's clock [s].

    Raises:
        TypeError: If it is not an observation, or one of its methods returns another type.
        ValueError: If its time is not finite, or is in the future.
    """
    missing = [name for name in _WANTED if not hasattr(found, name)]
    if missing:
        raise TypeError(f"{type(found).__name__} is not an observation: it has no {missing[0]}")
    observation: Observation = found
    t: Any = observation.t
    if not isinstance(t, Real) or not math.isfinite(t):
        raise ValueError(f"the time of an observation must be a finite number; found {t!r:.80}")
    if float(t) > now + _AHEAD_S:
        raise ValueError(f"the observation has time {float(t):g} s, but the clock shows {now:g} s")
    labels: Any = observation.labels()
    if isinstance(labels, str) or not all(isinstance(label, str) for label in labels):
        raise TypeError(f"labels must be texts; found {labels!r:.80}")
    texts_by_text(observation.facts())
    line: Any = observation.describe("en")
    if not isinstance(line, str):
        raise TypeError(f"describe must return a line of text; found {line!r:.80}")
    if not isinstance(observation.record(), dict):
        raise TypeError("record must return a dict of plain data")
    return observation
