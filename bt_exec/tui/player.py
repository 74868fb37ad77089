"""Player of a recorded mission at any speed, forwards and backwards.

Each event is passed to a `ViewModel` when the player's clock reaches its time. To go back, a new
model is built up to the earlier event. No robot, perception or compiler is used.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bt_exec.events import Asked, Event, FactsKnown, Listener, NodeChanged, Observed, Progress, Turn
from bt_exec.journal import MissionRecord
from bt_exec.tui.view_model import ViewModel

__all__ = ["SPEEDS", "Player"]

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0)
"""Available speeds, relative to the mission clock."""

_QUIET = (FactsKnown, Observed, Progress, Turn)
"""Kinds of events that a step skips, because they do not change the tree."""


class Player:
    """Player of a mission's events.

    Args:
        record: The mission.
        make: Returns an empty model that uses a given clock.
        speed: Speed, in seconds of mission time per second of wall-clock time.
        paused: Whether to start paused.
        wall: The wall clock [s].

    Attributes:
        model: State of the mission at the current time.
        speed: Current speed.
        paused: Whether the player is paused.
        index: Number of played events.
        t: Current time [s, mission clock].
    """

    def __init__(
        self,
        record: MissionRecord,
        make: Callable[[Callable[[], float]], ViewModel],
        *,
        speed: float = 1.0,
        paused: bool = False,
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        self.events: tuple[Event, ...] = record.events
        self.speed = speed
        self.paused = paused
        self.index = 0
        self._make = make
        self._wall = wall
        self._before = wall()
        self.start = self.events[0].t if self.events else 0.0
        self.end = max((event.t for event in self.events), default=0.0)
        self.t = self.start
        self.model = make(lambda: self.t)

    @property
    def is_over(self) -> bool:
        """Whether every event has been played."""
        return self.index >= len(self.events)

    def play(self, listener: Listener | None = None) -> None:
        """Advance by the elapsed wall-clock time, and play the events that are due."""
        now = self._wall()
        passed, self._before = now - self._before, now
        if self.paused:
            return
        until = self.t + passed * self.speed
        while not self.is_over and self.events[self.index].t <= until:
            self._feed(listener)
        self.t = max(self.t, min(until, self.end))

    def step(self, events: int = 1) -> None:
        """Pause, and play the next visible change, or undo the last one if `events` is negative."""
        self.paused = True
        visible = [n for n, event in enumerate(self.events, start=1) if _is_visible(event)]
        if events > 0:
            self.seek(next((n for n in visible if n > self.index), len(self.events)))
        else:
            self.seek(next((n for n in reversed(visible) if n < self.index), 0))

    def seek(self, index: int) -> None:
        """Go to the moment after the first `index` events."""
        if index < self.index:
            self.index, self.t = 0, self.start
            self.model = self._make(lambda: self.t)
        while self.index < min(index, len(self.events)):
            self._feed(None)

    def jump(self, seconds: float) -> None:
        """Jump by `seconds`, forwards or backwards [s, mission clock]."""
        t = min(max(self.t + seconds, self.start), self.end)
        self.seek(sum(event.t <= t for event in self.events) if t > self.start else 0)
        self.t = t

    def change_speed(self, steps: int = 1) -> None:
        """Change the speed by `steps` entries of `SPEEDS`."""
        nearest = min(range(len(SPEEDS)), key=lambda n: abs(SPEEDS[n] - self.speed))
        self.speed = SPEEDS[min(max(nearest + steps, 0), len(SPEEDS) - 1)]

    def _feed(self, listener: Listener | None) -> None:
        event = self.events[self.index]
        self.index += 1
        self.t = max(self.t, event.t)
        if listener is None:
            self.model.on(event)
        else:
            listener.on(event)


def _is_visible(event: Event) -> bool:
    if isinstance(event, Asked):
        return event.role == "check" or event.verdict.holds is False
    return not isinstance(event, _QUIET) and not (
        isinstance(event, NodeChanged) and event.state == "kept"
    )
