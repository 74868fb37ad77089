"""Frontier of a plan: the running leaves and guards that a tick steps, in tree order.

A tick advances only the frontier. When one of its nodes ends, the tick continues with its parents,
up to the first one that is still running. The running nodes under that parent then replace the old
entries. Timeouts are not in the frontier. Only the earliest possible one is stored, and the tick
that reaches it steps the whole tree from the root. The result equals that of stepping from the root
in every tick.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import length_hint
from typing import TypeAlias

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_exec.nodes.node import RUNNING, SLOW_S, Node, collect_running, step
from bt_exec.nodes.runtime import Runtime

__all__ = ["Frontier"]

_SLACK_S = 1e-6
"""Margin for waking early, so that rounding never delays a timeout [s]."""


class _Foreign:
    """Frontier entry for a behaviour that is not a `Node`; it is ticked with all nodes under it."""

    def __init__(self, node: Behaviour) -> None:
        self.node = node
        self.part = f"behaviour {node.name}"

    def advance(self) -> Status | None:
        """Tick the behaviour."""
        status = step(self.node)
        return None if status is RUNNING else status

    def settle(self, _: Status) -> None:
        """Do nothing: py_trees has set the status."""

    def handle_long_call(self, seconds: float) -> None:
        """Do nothing: py_trees behaviours have no watchdog."""


_Entry: TypeAlias = Node | _Foreign


class Frontier:
    """Frontier of a tree; it ticks the tree, whose structure must not change.

    Args:
        root: Root of the tree.
        runtime: Shared state of its nodes.
    """

    def __init__(self, root: Behaviour, runtime: Runtime) -> None:
        self._root = root
        self._runtime = runtime
        self._present = runtime.watch.present
        self._alarm_s = min(self._present.limit_s, SLOW_S)
        self._entries: list[_Entry] = []
        self._valid = False  # whether the entries are up to date
        self._wake = math.inf

    # -- collector -----------------------------------------------------------------------

    def add(self, node: Node) -> None:
        """Add a node to advance in each tick."""
        self._entries.append(node)

    def add_foreign(self, node: Behaviour) -> None:
        """Add a behaviour that is not a `Node`; it is ticked as a whole."""
        self._entries.append(_Foreign(node))

    def wake_at(self, time_s: float) -> None:
        """Schedule a step from the root for the tick that reaches `time_s` [s, mission clock]."""
        self._wake = min(self._wake, time_s - _SLACK_S)

    # -- a tick ------------------------------------------------------------------------------

    def tick(self) -> Status:
        """Tick the tree once; return its status."""
        runtime = self._runtime
        valid, self._valid = self._valid, False  # an exception invalidates the frontier
        runtime.moment += 1
        runtime.in_tick = True
        try:
            if valid and self._root.status is RUNNING and runtime.now() < self._wake:
                status = self._advance_all()
            else:
                status = self._step_all()
        finally:
            runtime.in_tick = False
            self._present.reset()
        self._valid = status is RUNNING
        return status

    def _step_all(self) -> Status:
        status = step(self._root)
        self._entries, self._wake = [], math.inf
        if status is RUNNING:
            collect_running(self._root, self)
        return status

    def _advance_all(self) -> Status:
        present, alarm_s = self._present, self._alarm_s
        clock, entries = present.clock, self._entries
        rest = iter(entries)
        now = clock()
        for entry in rest:
            present.began = now
            present.part = entry.part
            status = entry.advance()
            now = clock()
            if now - present.began > alarm_s:
                entry.handle_long_call(present.end())
            if status is not None:
                entry.handle_long_call(present.end())
                self._entries = entries[: len(entries) - length_hint(rest) - 1]
                return self._continue_from(entry, status, rest)
        return RUNNING

    def _continue_from(self, entry: _Entry, status: Status, rest: Iterator[_Entry]) -> Status:
        """Continue the tick with the parents of `entry`, then with the `rest` of the frontier.

        Returns:
            The status of the tree.
        """
        present = self._present
        while True:
            changed = self._innermost_running(entry, status)
            if changed is None:
                return self._root.status
            while self._entries and _is_under(self._entries[-1], changed):
                self._entries.pop()
            collect_running(changed, self)
            following = next((each for each in rest if not _is_under(each, changed)), None)
            while following is not None:
                present.begin(following.part)
                found = following.advance()
                following.handle_long_call(present.end())
                if found is not None:
                    break
                self._entries.append(following)
                following = next(rest, None)
            else:
                return RUNNING
            entry, status = following, found

    def _innermost_running(self, entry: _Entry, status: Status) -> Behaviour | None:
        """Return the innermost node that still runs after `entry` changed; None if none does."""
        entry.settle(status)
        node: Behaviour = entry.node if isinstance(entry, _Foreign) else entry
        while status is not RUNNING:
            if node is self._root:
                return None
            parent = node.parent
            assert isinstance(parent, Node)
            status = parent.resume(node)
            node = parent
        return node


def _is_under(entry: _Entry, node: Behaviour) -> bool:
    """Return True if `entry` is `node` or under it."""
    each: Behaviour | None = entry.node if isinstance(entry, _Foreign) else entry
    while each is not None:
        if each is node:
            return True
        each = each.parent
    return False
