"""Nodes of a plan: py_trees behaviours that are stepped by direct calls.

`Node.step` runs one tick of a node and of what is under it, and returns its status. It uses no
generators, which cost py_trees most of its time. `Node.tick` is the generator that py_trees
expects, so that its composites, decorators and visitors work with these nodes. Other behaviours of
py_trees may be children; `step` ticks them.

Between two ticks a plan changes only where something happens, so `bt_exec.nodes.frontier` steps the
running part alone. For that, a node has three further methods: `Node.advance`, `Node.resume` and
`Node.collect`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, Protocol

from py_trees.behaviour import Behaviour
from py_trees.common import Status

__all__ = ["SLOW_S", "Collector", "KeptNode", "Leaf", "Node", "collect", "step"]

SLOW_S = 2.0
"""A step that takes longer is logged: meanwhile no guard is asked and no stop acts [s]."""

_visited: ContextVar[list[Behaviour] | None] = ContextVar("_visited", default=None)
"""Nodes stepped so far, children first, while `Node.tick` steps for py_trees."""


class Collector(Protocol):
    """Running part of a plan: `bt_exec.nodes.frontier.Frontier`."""

    def add(self, node: Node) -> None:
        """Add a node that is to be advanced in each tick."""

    def add_foreign(self, node: Behaviour) -> None:
        """Add a behaviour of another kind, which is ticked as a whole."""

    def wake_at(self, time_s: float) -> None:
        """Step everything once `time_s` is reached [s, mission clock]."""


class Node(Behaviour):
    """A behaviour that is stepped by direct calls.

    Attributes:
        path: Path of the node in the plan.
        part: Name of the pack code that `advance` calls, for the watchdog; empty if there is none.
        report: Called with the node when its status is a new one; None if it is not reported.
        reported: The status that was reported last; None after a running node was stopped.
    """

    path: str
    part = ""
    report: Callable[[Any], None] | None = None
    reported: Status | None = None

    @abstractmethod
    def step(self) -> Status:
        """Enter the node unless it runs, run one tick of it, and return its status."""

    @abstractmethod
    def collect(self, frontier: Collector) -> None:
        """Add what runs in and under this running node, in the order in which it is stepped."""

    def advance(self) -> Status | None:
        """Run one tick of a node in the frontier; return None if it runs on unchanged.

        A status means that the frontier changes: the node has ended with it, or something else runs
        in it. It is to be settled.
        """
        return self.step()

    def took(self, seconds: float) -> None:
        """Take note of how long a call of pack code in `advance` took; called if it was long."""

    def resume(self, child: Behaviour) -> Status:
        """Continue the tick of this running node after `child`, which ran, has ended."""
        raise NotImplementedError

    def settle(self, status: Status) -> Status:
        """Set the status at the end of a step, and report a new one."""
        self.status = status
        visited = _visited.get()
        if visited is not None:
            visited.append(self)
        if status is not self.reported and self.report is not None:
            self.reported = status
            self.report(self)
        return status

    def stop(self, new_status: Status = Status.INVALID) -> None:
        """Stop everything under the node that was reached, then the node."""
        for child in self.children:
            if child.status is not Status.INVALID:
                child.stop(Status.INVALID)
        self.terminate(new_status)
        self.status = new_status
        if self.reported is Status.RUNNING:
            self.reported = None

    def tick(self) -> Iterator[Behaviour]:
        """Step, then yield every node that was stepped, children first."""
        visited: list[Behaviour] = []
        token = _visited.set(visited)
        try:
            self.step()
        finally:
            _visited.reset(token)
        yield from visited


class Leaf(Node):
    """A node without children; `advance` runs one tick of it, also its first.

    `terminate` is called only when the leaf is stopped, with `Status.INVALID`.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def step(self) -> Status:
        """Start if need be, update, settle."""
        if self.status is not Status.RUNNING:
            self.status = Status.RUNNING  # so that an interrupt in its first tick stops it, too
            self.initialise()
        return self.settle(self.update())

    def update(self) -> Status:
        """Return the status after one tick."""
        return self.advance() or Status.RUNNING

    def collect(self, frontier: Collector) -> None:
        """Add the leaf."""
        frontier.add(self)


class KeptNode(Leaf):
    """A node that an earlier plan finished: succeeds at once, does nothing."""

    def advance(self) -> Status:
        """Succeed."""
        return Status.SUCCESS


def step(node: Behaviour) -> Status:
    """Run one tick of any behaviour and return its status."""
    if isinstance(node, Node):
        return node.step()
    visited = _visited.get()
    for each in node.tick():
        if visited is not None:
            visited.append(each)
    return node.status


def collect(node: Behaviour, frontier: Collector) -> None:
    """Add what runs in and under any running behaviour."""
    if isinstance(node, Node):
        node.collect(frontier)
    else:
        frontier.add_foreign(node)
