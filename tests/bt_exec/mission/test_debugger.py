"""Debugger: pauses, breakpoints and watched values."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.events import NodeChanged, Planned
from bt_exec.mission.debugger import Debugger
from bt_exec.spec.model import MissionSpec

SPEC = MissionSpec.model_validate(
    {
        "mission": {"command": "x"},
        "root": {
            "name": "all",
            "sequence": [
                {"do": "grasp"},
                {"name": "second try", "do": "grasp"},
                {"check": "holding", "else": "EMPTY"},
            ],
        },
    }
)


class Holds:
    """Records pauses and watched values."""

    def __init__(self, **options: Any) -> None:
        self.hits: list[tuple[str, ...]] = []
        self.watched: list[tuple[str, Any]] = []
        self.again = True
        self.debugger = Debugger(
            self, lambda t, name, value: self.watched.append((name, value)), **options
        )
        self.debugger.on(Planned(0.0, 0, SPEC, 1))

    def __call__(self, t: float, hits: Any, alive: Any) -> bool:
        self.hits.append(hits)
        return self.again

    def tick(self, *changes: tuple[str, str], code: str = "", **known: Any) -> bool:
        """Return True if the debugger paused the mission after a tick with these changes."""
        for path, state in changes:
            failure: Any = SimpleNamespace(code=code) if code else None
            self.debugger.on(NodeChanged(0.0, 1, path, state, "", failure))  # type: ignore[arg-type]
        facts = {name: value for name, value in known.items() if isinstance(value, str)}
        saved = {name: value for name, value in known.items() if name not in facts}
        return self.debugger.pause_if_needed(1.0, lambda: facts, saved, lambda: None)


def test_step_pauses_only_at_changes() -> None:
    holds = Holds(step=True)
    assert holds.tick(("all/grasp", "running"))
    assert not holds.tick()
    assert holds.tick(("all/grasp", "done"), ("all/second try", "running"))
    holds.again = False
    assert holds.tick(("all/second try", "done"))
    assert not holds.tick(("all/holding", "done"))


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("grasp", [True, False, True, False]),
        ("all/grasp", [True, False, False, False]),
        ("second try", [False, False, True, False]),
        ("SLIPPED", [False, True, False, False]),
        ("holding", [False, False, False, True]),
        ("gras", [False] * 4),
    ],
)
def test_breakpoint_is_reached_once_per_entry(name: str, held: list[bool]) -> None:
    holds = Holds(breaks=[name])
    holds.again = False
    assert held == [
        holds.tick(("all/grasp", "running")),
        holds.tick(("all/grasp", "failed"), code="SLIPPED"),
        holds.tick(("all/second try", "running")),
        holds.tick(("all/second try", "done"), ("all/holding", "done")),
    ]
    assert holds.hits == [(name,)] * sum(held)
    near = [("--break", "gras", ("grasp", "all/grasp"))]
    assert list(holds.debugger.unused_breakpoints()) == ([] if any(held) else near)


def test_watched_values_are_reported_when_they_change() -> None:
    holds = Holds(watch=["door", "count", "dor"])
    for known in ({"door": "open"}, {"door": "open", "count": 2}, {"count": 2}):
        assert not holds.tick(**known)
    assert holds.watched == [("door", "open"), ("count", 2), ("door", None)]
    assert list(holds.debugger.unused_breakpoints()) == [("--watch", "dor", ("door",))]
