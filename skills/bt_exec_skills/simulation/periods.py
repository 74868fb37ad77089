"""Control periods: simulated time advances in whole ones, whatever the requested steps."""

from __future__ import annotations

__all__ = ["Periods"]


class Periods:
    """Cuts time into whole control periods; the remainder is carried over to the next step.

    Args:
        period_s: One period [s].
    """

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._owed_s = 0.0

    def take(self, seconds: float) -> int:
        """Return how many periods are over when `seconds` more have passed."""
        count = 0
        self._owed_s += seconds
        while self._owed_s > self._period_s / 2:
            self._owed_s -= self._period_s
            count += 1
        return count
