"""Looks: what is asked for now is seen now."""

from __future__ import annotations

import threading

from bt_exec.clock import Clock
from bt_exec.looking import Eyes, Lookout
from bt_exec.rig import Rig
from bt_exec.site import Rates
from bt_exec.testing import FakeClock, FakeScene, ScriptedRobot
from bt_exec.world import Sight


class Slow:
    """Eyes whose first look takes until somebody lets it end."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.first = threading.Event()

    def capture(self) -> float:
        return self.clock.time

    def interpret(self, taken: float) -> FakeScene:
        if not taken:
            self.first.wait(60)
        return FakeScene(taken, known={"taken": str(taken)})


def test_a_look_that_was_under_way_does_not_stand_for_one_that_is_asked_for_now() -> None:
    simulation = FakeClock()
    slow = Slow(simulation)
    sight = Sight(lambda: simulation.time)
    eyes = {"test": Eyes("test", slow, sight, Rates(), wait=False)}
    rigs = {"test": Rig(ScriptedRobot(), simulation=simulation)}
    clock = Clock([simulation], 0.01, fast=True)
    lookout = Lookout(rigs, eyes, clock, 60.0, lambda event: None, lambda: 0, lambda: False)
    eyes["test"].start(now=True)
    simulation.step(2.0)
    threading.Timer(0.05, slow.first.set).start()
    lookout.look()
    assert lookout.facts() == {"taken": "2.0"}
    eyes["test"].close()
