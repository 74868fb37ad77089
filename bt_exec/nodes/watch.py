"""Ticking a plan, and telling what becomes of its nodes."""

from __future__ import annotations

from typing import Literal

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_exec.events import NodeChanged
from bt_exec.nodes.build import Built
from bt_exec.nodes.composites import failure_of
from bt_exec.nodes.leaf import KeptNode
from bt_exec.nodes.runtime import Runtime

__all__ = ["Watch"]

_STATES: dict[Status, Literal["running", "done", "failed"]] = {
    Status.RUNNING: "running",
    Status.SUCCESS: "done",
    Status.FAILURE: "failed",
}


class Watch:
    """Tells of every node that reaches a new state in a tick, children first.

    A node that was stopped and runs again is told of again; a node that ends as it did before is
    not.
    """

    def __init__(self, built: Built, runtime: Runtime) -> None:
        self._root = built.root
        self._runtime = runtime
        self._paths = {id(node): path for path, node in built.by_path.items()}
        self._told: dict[int, Status] = {}
        self._running: dict[int, Behaviour] = {}  # told of as running

    def tick(self) -> Status:
        """Tick the plan once; return its status."""
        for node in self._root.tick():
            key = id(node)
            if key in self._paths and self._told.get(key) is not node.status:
                self._told[key] = node.status
                self._tell(node)
        for key, node in list(self._running.items()):
            if node.status is not Status.RUNNING:
                del self._running[key]
                if node.status is Status.INVALID:
                    del self._told[key]
        return self._root.status

    def _tell(self, node: Behaviour) -> None:
        key, status = id(node), node.status
        if status is Status.RUNNING:
            self._running[key] = node
        else:  # it ended; if it is begun anew in this very tick, it was not stopped
            self._running.pop(key, None)
        if isinstance(node, KeptNode):
            return
        now, tick, path = self._runtime.now(), self._runtime.tick, self._paths[key]
        skipped = getattr(node, "skipped", "")
        if skipped and status is Status.SUCCESS:
            self._runtime.emit(NodeChanged(now, tick, path, "skipped", skipped))
        elif status is Status.FAILURE:
            failure = failure_of(node)
            self._runtime.emit(NodeChanged(now, tick, path, "failed", failure.message, failure))
        else:
            self._runtime.emit(NodeChanged(now, tick, path, _STATES[status]))
