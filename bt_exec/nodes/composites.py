"""Sequence, fallback and parallel: what they run, when they end, and whose failure is theirs.

Entering one takes back what became of its children; while it runs, and after it ended, each child
keeps the status it reached. py_trees' own composites forget the failed children of a fallback when
a later one takes more than a tick, and its Parallel knows all or one, so these are ours.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable, Iterator
from itertools import compress
from typing import TypeAlias

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from bt_exec.failure import Failure

__all__ = ["Fallback", "Parallel", "Sequence", "failure_of", "forget", "noted_in"]

Work: TypeAlias = Generator[Behaviour, None, Status]

_FINISHED = (Status.SUCCESS, Status.FAILURE)


def forget(node: Behaviour) -> None:
    """Take back what became of everything under `node`; what runs there is stopped."""
    for child in node.children:
        if child.status is not Status.INVALID:
            child.stop(Status.INVALID)


def failure_of(node: Behaviour) -> Failure:
    """Return why `node` failed: its own reason, or that of the child that failed."""
    own: Failure | None = getattr(node, "failure", None)
    if own is not None:
        return own
    return next(failure_of(child) for child in node.children if child.status is Status.FAILURE)


def noted_in(node: Behaviour) -> tuple[tuple[str, Failure], ...]:
    """Return what went without being done under `node`: paths of fallbacks, and what failed there.

    Not what lies in a branch that failed: whoever went on from there did so for another reason.
    """
    done = node.status is Status.SUCCESS
    found: list[tuple[str, Failure]] = list(getattr(node, "noted", ())) if done else []
    tried = isinstance(node, Fallback)
    for child in node.children:
        if not (tried and child.status is Status.FAILURE):
            found += noted_in(child)
    return tuple(found)


class _Composite(Composite):
    """A node with children.

    Attributes:
        failure: Why it failed; None when the failure of its failed child is the reason.
    """

    def __init__(self, path: str, children: Iterable[Behaviour]) -> None:
        super().__init__(path, list(children))
        self.failure: Failure | None = None

    def tick(self) -> Iterator[Behaviour]:
        """Enter if need be, work, settle."""
        if self.status is not Status.RUNNING:
            forget(self)
            self.failure = None
            self.status = Status.RUNNING  # so that an interrupt in its first tick stops it, too
        self.status = yield from self.work()
        yield self

    @abstractmethod
    def work(self) -> Work:
        """Tick children; return what that makes of this node."""


class Sequence(_Composite):
    """One after another; ends at the first failure, which is its own."""

    def work(self) -> Work:
        """Tick on from the first child that has not succeeded."""
        for child in (each for each in self.children if each.status is not Status.SUCCESS):
            yield from child.tick()
            if child.status is not Status.SUCCESS:
                return child.status
        return Status.SUCCESS


class Fallback(_Composite):
    """One after another; ends at the first success. Earlier failures are causes of the last.

    Args:
        path: Of the node.
        children: Its branches.
        notes: Which of them only take note of what failed before.

    Attributes:
        noted: What was taken note of: this path and the failure, or nothing.
    """

    def __init__(
        self, path: str, children: Iterable[Behaviour], notes: Iterable[bool] = ()
    ) -> None:
        super().__init__(path, children)
        self._notes = set(map(id, compress(self.children, notes)))
        self.noted: tuple[tuple[str, Failure], ...] = ()

    def work(self) -> Work:
        """Tick on from the first child that has not failed."""
        self.noted = ()
        for child in (each for each in self.children if each.status is not Status.FAILURE):
            yield from child.tick()
            if child.status is Status.SUCCESS and self.failure and id(child) in self._notes:
                self.noted = ((self.name, self.failure),)
            if child.status is not Status.FAILURE:
                return child.status
            self.failure = failure_of(child).because(self.failure)
        return Status.FAILURE


class Parallel(_Composite):
    """All at once, each tick in order; of several failures the first one is the reason.

    Succeeds when `needed` children have succeeded; fails as soon as that is out of reach; stops
    those still running either way. Finished children are not ticked again.
    """

    def __init__(self, path: str, needed: int, children: Iterable[Behaviour]) -> None:
        super().__init__(path, children)
        self.needed = needed

    def work(self) -> Work:
        """Tick what is unfinished, then count."""
        for child in (each for each in self.children if each.status not in _FINISHED):
            yield from child.tick()
            if child.status is Status.FAILURE:
                self.failure = self.failure or failure_of(child)
        status = self._count()
        if status is not Status.RUNNING:
            for child in self.children:
                if child.status is Status.RUNNING:
                    child.stop(Status.INVALID)
        return status

    def _count(self) -> Status:
        succeeded = sum(child.status is Status.SUCCESS for child in self.children)
        failed = sum(child.status is Status.FAILURE for child in self.children)
        if succeeded >= self.needed:
            return Status.SUCCESS
        return Status.FAILURE if len(self.children) - failed < self.needed else Status.RUNNING
