"""Waiting for a new observation from a working camera."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from bt_exec.failure import Failed
from bt_exec.observation import World
from bt_exec.skill import Running, Steps
from bt_exec_skills.perception.contracts import Observed

__all__ = ["PATIENCE_S", "fresh_observation"]

PATIENCE_S = 3.0
"""Timeout of fresh observations [s]."""


S = TypeVar("S", bound=Observed)


def fresh_observation(
    world: World[S], since: float, failure: Callable[[], Failed], progress: float | None = None
) -> Steps[S]:
    """Return the first observation of a working camera; nothing moves while it waits.

    Args:
        world: Observations of the skill.
        since: Earliest time of the observation [s, mission clock].
        failure: Returns the failure after `PATIENCE_S` without an observation.
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
