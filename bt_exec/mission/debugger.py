"""Debugger of a simulated mission: single steps, breakpoints and watched values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Protocol

from bt_exec.events import Event, NodeChanged, Planned
from bt_exec.failure import nearest_names
from bt_exec.spec.node_paths import label_of, nodes_with_paths

__all__ = ["Debugger", "Hold"]


class Hold(Protocol):
    """Callable that blocks the mission until the operator continues it."""

    def __call__(self, t: float, hits: Collection[str], alive: Callable[[], None]) -> bool:
        """Wait for the operator; return True to pause at the next change of a node.

        If the result is False, the mission continues to the next breakpoint.

        Args:
            t: Time on the mission's clock [s].
            hits: Breakpoints that were reached since the last pause.
            alive: Must be called at least every 100 ms; raises if the mission was stopped.
        """


class Debugger:
    """Debugger that pauses a mission between ticks; simulated time stands still meanwhile.

    Args:
        hold: Called at each pause.
        report: Called with time [s], name and value when a watched value has changed.
        step: Pause after each tick in which a node changed.
        breaks: Pause when one of these is reached: the path or name of a node, a skill, a tree, a
            condition, or a failure code.
        watch: Names of facts and saved results to report when they change.
    """

    def __init__(
        self,
        hold: Hold,
        report: Callable[[float, str, Any], None],
        *,
        step: bool = False,
        breaks: Collection[str] = (),
        watch: Collection[str] = (),
    ) -> None:
        self._hold = hold
        self._report = report
        self._stepping = step
        self._breaks = frozenset(breaks)
        self._watched: dict[str, Any] = dict.fromkeys(watch)
        self._names: dict[str, set[str]] = {}
        self._running: set[str] = set()
        self._hits: dict[str, None] = {}
        self._changed = False
        self._seen: set[str] = set()

    def on(self, event: Event) -> None:
        """Record which nodes and codes are reached."""
        if isinstance(event, Planned):
            self._running.clear()
            self._names = {
                path: _breakpoint_names(path, node)
                for path, node in nodes_with_paths(event.spec.root)
            }
        elif isinstance(event, NodeChanged):
            self._changed = True
            reached = {event.failure.code} if event.failure is not None else set()
            if event.path not in self._running:
                reached |= self._names.get(event.path, {event.path})
            if event.state == "running":
                self._running.add(event.path)
            else:
                self._running.discard(event.path)
            self._seen |= reached
            self._hits.update(dict.fromkeys(sorted(reached & self._breaks)))

    def pause_if_needed(
        self,
        t: float,
        facts: Callable[[], Mapping[str, str]],
        saved: Mapping[str, Any],
        alive: Callable[[], None],
    ) -> bool:
        """Report changed watched values, and pause the mission if due; return True if it paused.

        Args:
            t: Time on the mission's clock [s].
            facts: Returns the known facts.
            saved: Saved results by name.
            alive: See `Hold`.
        """
        if self._watched:
            known = {**facts(), **saved}
            for name, before in self._watched.items():
                if (value := known.get(name)) != before:
                    self._report(t, name, value)
                    self._watched[name] = value
            self._seen.update(known)
        if not self._hits and not (self._stepping and self._changed):
            return False
        self._stepping = self._hold(t, tuple(self._hits), alive)
        self._hits.clear()
        self._changed = False
        return True

    def unused_breakpoints(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """Yield the option and name of each unused breakpoint, and similar names that occurred."""
        for option, names in (("--break", sorted(self._breaks)), ("--watch", self._watched)):
            for name in names:
                if name not in self._seen:
                    yield option, name, nearest_names(name, self._seen)


def _breakpoint_names(path: str, node: Any) -> set[str]:
    """Return the names of a node that a breakpoint may use."""
    return {path, label_of(node), node.callee_name or path}
