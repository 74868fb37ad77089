"""Motion of simulated people: they stand, or walk up and down, and let a robot pass."""

from __future__ import annotations

import math
from collections.abc import Callable

from bt_exec_skills.reporter.sim.layout import Someone

__all__ = ["Walker"]

_GIVE_WAY_M = 0.85  # distance from an obstacle at which people stop
_PATIENCE_S = 3.0  # waiting time after which they turn round
_EASE = 0.35  # fraction of the speed difference per step


class Walker:
    """Person who stands, or walks back and forth between waypoints.

    Args:
        someone: Description of the person.

    Attributes:
        x: East [m].
        y: North [m].
    """

    def __init__(self, someone: Someone) -> None:
        self.someone = someone
        self.x, self.y = someone.way[0]
        self._next = 1
        self._step = 1
        self._wait = someone.pause
        self._speed = 0.0
        self._held = 0.0

    def advance(self, seconds: float, free: Callable[[float, float], bool]) -> bool:
        """Advance the person; return True if they moved.

        Args:
            seconds: Time step [s].
            free: Returns True if the next point is free.
        """
        way = self.someone.way
        if len(way) < 2:
            return False
        if self._wait > 0:
            self._wait -= seconds
            return False
        goal_x, goal_y = way[self._next]
        left = math.hypot(goal_x - self.x, goal_y - self.y)
        if left < 0.05:
            self._turn_round()
            return False
        to_x, to_y = (goal_x - self.x) / left, (goal_y - self.y) / left
        ahead = free(self.x + to_x * _GIVE_WAY_M / 2, self.y + to_y * _GIVE_WAY_M / 2)
        self._held = 0.0 if ahead else self._held + seconds
        if self._held > _PATIENCE_S:
            self._turn_round()
            return False
        self._speed = self._speed + _EASE * (self.someone.speed - self._speed) if ahead else 0.0
        way_m = min(left, self._speed * seconds)
        self.x += to_x * way_m
        self.y += to_y * way_m
        return way_m > 0

    def _turn_round(self) -> None:
        """Select the next waypoint, in reverse order at the end."""
        if not 0 <= self._next + self._step < len(self.someone.way):
            self._step = -self._step
        self._next += self._step
        self._wait = self.someone.pause
        self._speed = self._held = 0.0
