"""What every leaf is, and the leaf of what an earlier plan finished."""

from __future__ import annotations

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status

__all__ = ["KeptNode", "Leaf"]


class Leaf(Behaviour):
    """A behaviour without py_trees' debug strings, which cost as much as all the rest of a tick.

    Only a cancel calls `terminate`, with `Status.INVALID`; ending by itself does not.
    """

    def tick(self) -> Iterator[Behaviour]:
        """Start if need be, update, settle."""
        if self.status is not Status.RUNNING:
            self.status = Status.RUNNING  # so that an interrupt in its first tick stops it, too
            self.initialise()
        self.status = self.update()
        yield self


class KeptNode(Leaf):
    """A node that an earlier plan finished: succeeds at once, does nothing."""

    def update(self) -> Status:
        """Succeed."""
        return Status.SUCCESS
