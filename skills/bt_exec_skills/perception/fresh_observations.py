"""Functions that wait for a fresh observation, and decide by agreement of several pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Running, Steps
from bt_exec_skills.perception.contracts import Observed

__all__ = ["NO", "PATIENCE_S", "YES", "Voter", "fresh_observation", "in_view"]

PATIENCE_S = 3.0
"""Maximum time to wait for a fresh observation [s]."""


S = TypeVar("S", bound=Observed)


def fresh_observation(
    world: World[S], since: float, failure: Callable[[], Failed], progress: float | None = None
) -> Steps[S]:
    """Return the first observation of a working camera; command no motion while waiting.

    Args:
        world: Observations of the skill.
        since: Earliest time of the observation [s, mission clock].
        failure: Function that returns the failure to raise after `PATIENCE_S`.
        progress: Progress of the skill while it waits, 0..1, or None if unknown.

    Raises:
        Failed: The failure that `failure` returns.
    """
    while True:
        newest = world.observation
        if newest is not None and newest.t >= since and newest.fault is None:
            return newest
        if world.now - since >= PATIENCE_S:
            raise failure()
        yield Running(progress, "looking")


YES, NO = 2, 3
"""Number of pictures that must show an object to confirm it, and to rule it out."""


class Voter(Observed, Protocol):
    """An observation that reports whether an object is in view."""

    def confirms(self, label: str) -> bool:
        """Return True if an object with the label is detected without doubt."""


def in_view(observations: Sequence[Voter], label: str) -> bool | None:
    """Return whether an object with `label` is in view; None if undecided.

    True requires two fresh pictures that show the object, False three that do not show it.
    Whichever number is reached first, counted from the newest picture, decides.

    Args:
        observations: Fresh observations, oldest first. Those of a faulty camera do not count.
        label: Label of the object. Doubtful detections (`Detection.doubt`) do not count.
    """
    found = missing = 0
    for observation in reversed(observations):
        if observation.fault is not None:
            continue
        if observation.confirms(label):
            found += 1
        else:
            missing += 1
        if found == YES:
            return True
        if missing == NO:
            return False
    return None
