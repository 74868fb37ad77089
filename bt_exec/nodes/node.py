"""Nodes of a plan: py_trees behaviours that are stepped by direct calls.

`Node.step` runs one tick of a node and of its subtree, and returns its status. It uses no
generators, on which py_trees spends most of its time. `Node.tick` is the generator that py_trees
expects, so that its composites, decorators and visitors work with these nodes. Other behaviours of
py_trees may be children; `step` ticks them.

Most nodes do not change between two ticks, so `bt_exec.nodes.frontier` steps only the running part.
For that, a node has three further methods: `Node.advance`, `Node.resume` and
`Node.collect_running`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, Final, Protocol

from py_trees.behaviour import Behaviour
from py_trees.common import Status

__all__ = ["RUNNING", "SLOW_S", "Collector", "KeptNode", "Leaf", "Node", "collect_running", "step"]

RUNNING: Final = Status.RUNNING
"""`Status.RUNNING`, stored because looking it up takes as long as one step of a skill."""

SLOW_S = 2.0
"""Duration above which a step is logged, because it delays guards and stops [s]."""

_visited: ContextVar[list[Behaviour] | None] = ContextVar("_visited", default=None)
"""Nodes stepped so far, children first, while `Node.tick` steps for py_trees."""


class Collector(Protocol):
    """Collector of the running part of a plan; implemented by `bt_exec.nodes.frontier.Frontier`."""

    def add(self, node: Node) -> None:
        """Add a node to advance in each tick."""

    def add_foreign(self, node: Behaviour) -> None:
        """Add a behaviour that is not a `Node`; it is ticked as a whole."""

    def wake_at(self, time_s: float) -> None:
        """Schedule a step from the root for the tick that reaches `time_s` [s, mission clock]."""


class Node(Behaviour):
    """A behaviour that is stepped by direct calls.

    Attributes:
        path: Path of the node in the plan.
        part: Name of the pack code that `advance` calls, for the watchdog; empty if there is none.
        report: Called with the node when its status changes; None to disable reports.
        reported: The last reported status; None after the node was stopped while it ran.
    """

    path: str
    part = ""
    report: Callable[[Any], None] | None = None
    reported: Status | None = None

    @abstractmethod
    def step(self) -> Status:
        """Enter the node unless it is running, run one tick, and return its status."""

    @abstractmethod
    def collect_running(self, frontier: Collector) -> None:
        """Add the running nodes at and under this node, in the order in which they are stepped."""

    def advance(self) -> Status | None:
        """Run one tick of a node in the frontier; return None if it keeps running unchanged.

        A returned status means that the frontier changes: the node has ended, or other nodes run
        under it. The caller must `settle` it.
        """
        return self.step()

    def handle_long_call(self, seconds: float) -> None:
        """Handle a long call of pack code in `advance`; `seconds` is its duration [s]."""

    def resume(self, child: Behaviour) -> Status:
        """Continue the tick of this running node after its running `child` has ended."""
        raise NotImplementedError

    def settle(self, status: Status) -> Status:
        """Set the status at the end of a step and report it if it changed; return it."""
        self.status = status
        visited = _visited.get()
        if visited is not None:
            visited.append(self)
        if status is not self.reported and self.report is not None:
            self.reported = status
            self.report(self)
        return status

    def stop(self, new_status: Status = Status.INVALID) -> None:
        """Stop all nodes under this node that were entered, then the node."""
        for child in self.children:
            if child.status is not Status.INVALID:
                child.stop(Status.INVALID)
        self.terminate(new_status)
        self.status = new_status
        if self.reported is Status.RUNNING:
            self.reported = None

    def tick(self) -> Iterator[Behaviour]:
        """Run one tick, then yield every node that was stepped, children first."""
        visited: list[Behaviour] = []
        token = _visited.set(visited)
        try:
            self.step()
        finally:
            _visited.reset(token)
        yield from visited


class Leaf(Node):
    """A node without children, whose `advance` runs each of its ticks, including the first.

    `terminate` is called only when the leaf is stopped, with `Status.INVALID`.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def step(self) -> Status:
        """Start the leaf if it is not running, run one tick, and set the status."""
        if self.status is not Status.RUNNING:
            self.status = Status.RUNNING  # so that an interrupt in the first tick stops the leaf
            self.initialise()
        return self.settle(self.update())

    def update(self) -> Status:
        """Return the status after one tick."""
        return self.advance() or Status.RUNNING

    def collect_running(self, frontier: Collector) -> None:
        """Add the leaf to the running nodes."""
        frontier.add(self)


class KeptNode(Leaf):
    """A node that an earlier plan has finished; it succeeds without running."""

    def advance(self) -> Status:
        """Return SUCCESS."""
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


def collect_running(node: Behaviour, frontier: Collector) -> None:
    """Add the running nodes of any running behaviour and its subtree."""
    if isinstance(node, Node):
        node.collect_running(frontier)
    else:
        frontier.add_foreign(node)
