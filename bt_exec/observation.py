"""Observations for skills and conditions: the latest one, its age, and earlier ones.

A `World` is a view for one node while it runs. It stores when the node began (`since`). An
observation is "fresh" if it was not captured before that time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from bt_exec.robot import Observation

__all__ = ["ObservationBuffer", "Situation", "World"]

S = TypeVar("S", bound=Observation)

_KEPT_SCENES = 32  # enough for votes over several fresh observations; takes a few MB


class ObservationBuffer(Generic[S]):
    """The last observations of one rig, newest last; the executive adds them between ticks.

    Attributes:
        asked: Whether a node has requested an observation since the last one arrived. Perception
            runs on request, at most once per tick and at most at the site's rate.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.observations: deque[S] = deque(maxlen=_KEPT_SCENES)
        self.asked = True
        self._clock = clock

    def now(self) -> float:
        """Return the time on the mission's clock [s]."""
        return self._clock()

    def add(self, observation: S) -> None:
        """Store `observation` as the newest and clear the request."""
        self.observations.append(observation)
        self.asked = False


class World(Generic[S]):
    """A view of the observations for one running node.

    Args:
        buffer: The observations of the rig.
        since: Start of the node [s, mission clock].
    """

    __slots__ = ("_buffer", "since")

    def __init__(self, buffer: ObservationBuffer[S], since: float) -> None:
        self._buffer = buffer
        self.since = since

    @property
    def now(self) -> float:
        """Time on the mission's clock [s]: simulated time in a simulation."""
        return self._buffer.now()

    @property
    def observation(self) -> S | None:
        """Newest observation, or None before the first. Reading it requests a newer one."""
        self._buffer.asked = True
        return self._buffer.observations[-1] if self._buffer.observations else None

    @property
    def fresh(self) -> tuple[S, ...]:
        """Observations captured since this node began, oldest first. Reading them requests more."""
        self._buffer.asked = True
        return tuple(
            observation for observation in self._buffer.observations if observation.t >= self.since
        )

    @property
    def age_s(self) -> float:
        """Age of the newest observation [s]; infinite before the first."""
        observations = self._buffer.observations
        return self.now - observations[-1].t if observations else float("inf")


@dataclass(frozen=True)
class Situation:
    """Observed situation when a plan is requested.

    Attributes:
        labels: Labels of the detected objects.
        facts: Facts from observations and the robot: ``{"door": "open", "hand.left": "empty"}``.
        text: Summary in one line, for display and prompts.
        frame: The picture, for compilers that use it, or None.
        labels_by: Labels by pack or robot.
    """

    labels: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    frame: Any = None
    labels_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
