"""N of M at once. py_trees' Parallel knows all or one, and one failure always wins; ours counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

__all__ = ["NofM"]


class NofM(Composite):
    """Ticks every unfinished child, in order, each tick.

    Succeeds when `needed` children have succeeded; fails as soon as that is out of reach; stops
    those still running either way. Finished children are not ticked again.
    """

    first_counts = True  # of several failures the first one is the reason

    def __init__(self, name: str, path: str, needed: int, children: Sequence[Behaviour]) -> None:
        super().__init__(name, list(children))
        self.path = path
        self.needed = needed
        self.failure = None

    def tick(self) -> Iterator[Behaviour]:
        """Tick what is unfinished, then count."""
        if self.status is not Status.RUNNING:
            for child in self.children:
                if child.status is not Status.INVALID:
                    child.stop(Status.INVALID)
            self.initialise()
        for child in self.children:
            if child.status not in (Status.SUCCESS, Status.FAILURE):
                yield from child.tick()
        self.status = self._count()
        if self.status is not Status.RUNNING:
            for child in self.children:
                if child.status is Status.RUNNING:
                    child.stop(Status.INVALID)
            self.stop(self.status)
        yield self

    def _count(self) -> Status:
        succeeded = sum(child.status is Status.SUCCESS for child in self.children)
        failed = sum(child.status is Status.FAILURE for child in self.children)
        if succeeded >= self.needed:
            return Status.SUCCESS
        return Status.FAILURE if len(self.children) - failed < self.needed else Status.RUNNING
