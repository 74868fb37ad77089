"""Voting over several pictures: one frame may be wrong, several that agree are accepted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bt_exec_skills.perception.contracts import Observed

__all__ = ["NO", "YES", "Voter", "in_view"]

YES, NO = 2, 3
"""So many pictures that agree are accepted."""


class Voter(Observed, Protocol):
    """An observation that reports whether an object is in view."""

    def confirms(self, label: str) -> bool:
        """Return whether something of that label is detected without doubt."""


def in_view(observations: Sequence[Voter], label: str) -> bool | None:
    """Return whether `label` is in view, or None while that is undecided.

    True needs two fresh pictures with it, False three without it; newer pictures count first.

    Args:
        observations: Fresh ones, oldest first. Those of a faulty camera do not count.
        label: Of the thing. What is doubted (`Detection.doubt`) does not count as found.
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
