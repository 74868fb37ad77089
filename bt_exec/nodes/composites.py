"""Composite nodes: sequence, fallback and parallel.

On entry, a composite resets the status of its children. While it runs, and after it has ended, each
child keeps its last status. py_trees' own fallback resets its failed children when a later one
takes more than a tick, and its Parallel supports only "all" and "one"; these classes replace them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from collections.abc import Sequence as Several
from itertools import compress

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from bt_exec.failure import Failure
from bt_exec.nodes.node import Collector, Node, collect_running, step

__all__ = ["Fallback", "Parallel", "Sequence", "failure_of", "recorded_failures_in", "reset_status"]


def reset_status(node: Behaviour) -> None:
    """Reset the status of all nodes under `node`; running nodes are stopped."""
    for child in node.children:
        if child.status is not Status.INVALID:
            child.stop(Status.INVALID)


def failure_of(node: Behaviour) -> Failure:
    """Return the failure of `node`: its own, or that of the child that failed."""
    own: Failure | None = getattr(node, "failure", None)
    if own is not None:
        return own
    for child in node.children:
        if child.status is Status.FAILURE:
            return failure_of(child)
    message = node.feedback_message or f"{node.name} failed"
    return Failure("BEHAVIOUR_FAILED", message, node.name, "check", node.name)


def recorded_failures_in(node: Behaviour) -> tuple[tuple[str, Failure], ...]:
    """Return the recorded failures under `node`, with the paths of their fallbacks.

    Failures recorded within a failed branch are left out, because another branch replaced that one.
    """
    done = node.status is Status.SUCCESS
    found: list[tuple[str, Failure]] = list(getattr(node, "noted", ())) if done else []
    tried = isinstance(node, Fallback)
    for child in node.children:
        if not (tried and child.status is Status.FAILURE):
            found += recorded_failures_in(child)
    return tuple(found)


class _Composite(Node, Composite):
    """A node with children.

    Attributes:
        failure: Failure of the node; None if the failure of a child is to be used.
    """

    def __init__(self, path: str, children: Iterable[Behaviour]) -> None:
        super().__init__(path, list(children))
        self.path = path
        self.failure: Failure | None = None

    def step(self) -> Status:
        """Enter the node if it is not running, run its children, and update its status."""
        if self.status is not Status.RUNNING:
            reset_status(self)
            self.failure = None
            self.enter()
            self.status = Status.RUNNING  # so that an interrupt in the first tick stops the node
        return self.settle(self.run_children())

    @abstractmethod
    def enter(self) -> None:
        """Prepare the node for its first step; called each time it is entered."""

    @abstractmethod
    def run_children(self) -> Status:
        """Step the children that are due, and return the resulting status of this node."""


class _OneByOne(_Composite):
    """Base of composites that run their children one at a time.

    Attributes:
        continues_on: Status of a child after which the next child is stepped. With any other
            status, or after the last child, the node takes the status of the child.
    """

    continues_on: Status
    _at: int

    def enter(self) -> None:
        """Start from the first child."""
        self._at = 0

    def run_children(self) -> Status:
        """Step the current child, and the next ones as long as each returns `continues_on`."""
        return self._step_children_from_current(step(self.children[self._at]))

    def resume(self, child: Behaviour) -> Status:
        """Step the next child if the status of `child` is `continues_on`."""
        return self.settle(self._step_children_from_current(child.status))

    def _step_children_from_current(self, status: Status) -> Status:
        while True:
            self.handle_child_status(self.children[self._at], status)
            if status is not self.continues_on or self._at + 1 == len(self.children):
                return status
            if self.is_decided():
                return status
            self._at += 1
            status = step(self.children[self._at])

    def handle_child_status(self, child: Behaviour, status: Status) -> None:
        """Handle the status of a child after its step; by default, do nothing."""

    def is_decided(self) -> bool:
        """Return True if no child after the current one will be stepped."""
        return False

    def collect_running(self, frontier: Collector) -> None:
        """Add the running nodes of the current child."""
        collect_running(self.children[self._at], frontier)


class Sequence(_OneByOne):
    """Sequence: runs its children in order until one fails, and fails with that failure."""

    continues_on = Status.SUCCESS


class Fallback(_OneByOne):
    """Fallback: runs its branches in order until one succeeds. Earlier failures become causes.

    Args:
        path: Path of the node.
        children: Branches.
        notes: For each branch, whether it only records the earlier failure.
        choice: Whether the branches exclude each other: if a branch fails after its first child, a
            check, has held, the other branches are not tried.

    Attributes:
        noted: Path of this node with the recorded failure; empty if there is none.
    """

    continues_on = Status.FAILURE

    def __init__(
        self,
        path: str,
        children: Iterable[Behaviour],
        notes: Iterable[bool] = (),
        *,
        choice: bool = False,
    ) -> None:
        super().__init__(path, children)
        self._choice = choice
        self._notes = set(map(id, compress(self.children, notes)))
        self.noted: tuple[tuple[str, Failure], ...] = ()

    def enter(self) -> None:
        """Start from the first branch."""
        super().enter()
        self.noted = ()

    def is_decided(self) -> bool:
        """Return True if the current branch belongs to a choice and its check held."""
        return self._choice and self.children[self._at].children[0].status is Status.SUCCESS

    def handle_child_status(self, child: Behaviour, status: Status) -> None:
        """Store the failure of a branch; if the branch only records it, add it to `noted`."""
        if status is Status.FAILURE:
            self.failure = failure_of(child).with_cause(self.failure)
        elif status is Status.SUCCESS and self.failure and id(child) in self._notes:
            self.noted = ((self.path, self.failure),)


class Parallel(_Composite):
    """Parallel: steps all unfinished children in order, each tick.

    It succeeds when `needed` children have succeeded, and fails with the first failure as soon as
    it can no longer succeed. Running children are then stopped. Finished children are not stepped
    again.
    """

    _unfinished: list[Behaviour]

    def __init__(self, path: str, needed: int, children: Iterable[Behaviour]) -> None:
        super().__init__(path, children)
        self.needed = needed
        self._succeeded = self._failed = 0

    def enter(self) -> None:
        """Start all children."""
        self._unfinished = list(self.children)
        self._succeeded = self._failed = 0

    def run_children(self) -> Status:
        """Step the unfinished children, then evaluate the result."""
        return self._step_each_child([], self._unfinished)

    def resume(self, child: Behaviour) -> Status:
        """Step the children after `child`, which has already been stepped; evaluate the result."""
        at = self._unfinished.index(child)
        before, after = self._unfinished[:at], self._unfinished[at + 1 :]
        if not self._count_if_ended(child, child.status):
            before.append(child)
        return self.settle(self._step_each_child(before, after))

    def _step_each_child(self, stepped: list[Behaviour], rest: Several[Behaviour]) -> Status:
        stepped.extend(child for child in rest if not self._count_if_ended(child, step(child)))
        self._unfinished = stepped
        if self._succeeded >= self.needed:
            status = Status.SUCCESS
        elif len(self.children) - self._failed < self.needed:
            status = Status.FAILURE
        else:
            return Status.RUNNING
        for child in stepped:
            if child.status is Status.RUNNING:
                child.stop(Status.INVALID)
        return status

    def _count_if_ended(self, child: Behaviour, status: Status) -> bool:
        """Count `child` if it has ended; return whether it has."""
        if status is Status.SUCCESS:
            self._succeeded += 1
        elif status is Status.FAILURE:
            self._failed += 1
            self.failure = self.failure or failure_of(child)
        else:
            return False
        return True

    def collect_running(self, frontier: Collector) -> None:
        """Add the running nodes of each unfinished child."""
        for child in self._unfinished:
            collect_running(child, frontier)
