"""Aborts at each line of the tick loop, as sent by a signal handler. None blocks the loop."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.mission_outcome import Outcome
from bt_exec.rig import Rig
from bt_exec.spec.load import load_text
from bt_exec.spec.model import TreeSpec
from bt_exec.testing import FakeClock, ScriptedRobot, scripted_skill
from bt_exec.testing.tree_run import FixedCompiler, scripted_site

WHERE = ("threading.py", "clock.py", "looking.py", "executive.py", "planner.py")


class AtLine:
    """Calls `act` at the Nth line that this thread executes in the files of the loop."""

    def __init__(self, number: int, act: Callable[[], object]) -> None:
        self.number, self.act, self.situation = number, act, 0

    def __call__(self, frame: FrameType, event: str, _: object) -> Any:
        if not frame.f_code.co_filename.endswith(WHERE):
            return None
        if event == "line":
            self.situation += 1
            if self.situation == self.number:
                sys.settrace(None)
                self.act()
        return self


SITE = scripted_site([scripted_skill("a", [("3", "done")])])
TREE = load_text("tree: t\nroot: {do: a}").document


def mission(at: int) -> tuple[Outcome, int]:
    """Run a short mission in real time, abort it at line `at` and return how many lines ran."""
    simulation = FakeClock()
    rigs = {"test": Rig(ScriptedRobot(), simulation=simulation)}
    assert isinstance(TREE, TreeSpec)
    executive = Executive(SITE, rigs, {}, Clock([simulation], 0.001), FixedCompiler(TREE))
    tracer = AtLine(at, executive.abort)
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        return executive.run("go"), tracer.situation
    finally:
        sys.settrace(before)


@pytest.mark.timeout(120)
def test_abort_at_any_line_ends_the_mission() -> None:
    outcome, lines = mission(0)
    assert outcome.status == "satisfied"
    ended = [mission(at)[0].status for at in range(1, lines)]
    assert set(ended) <= {"aborted", "satisfied"}  # an abort at the very end comes too late
    assert ended.count("aborted") > 0.5 * lines
