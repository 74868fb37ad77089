"""Division of simulated time into whole control periods."""

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
        """Return the number of periods that end when `seconds` more pass."""
        count = 0
        self._owed_s += seconds
        while self._owed_s > self._period_s / 2:
            self._owed_s -= self._period_s
            count += 1
        return count
