"""Voting over several pictures: one frame may be wrong, several that agree are accepted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bt_exec_skills.perception.contracts import Observed

__all__ = ["NO", "YES", "Voter", "in_view"]

YES, NO = 2, 3
"""Numbers of agreeing pictures that are required."""


class Voter(Observed, Protocol):
    """An observation that reports whether an object is in view."""

    def confirms(self, label: str) -> bool:
        """Return whether an object with that label is detected without doubt."""


def in_view(observations: Sequence[Voter], label: str) -> bool | None:
    """Return whether `label` is in view, or None while that is undecided.

    True requires two fresh pictures with it, False three without it; newer pictures count first.

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
