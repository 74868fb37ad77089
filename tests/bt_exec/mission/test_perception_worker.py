"""Observations on request: a picture taken earlier does not answer a request for a current one."""

from __future__ import annotations

import threading
from collections.abc import Callable

from bt_exec.mission.clock import Clock
from bt_exec.mission.perception_worker import PerceptionLoop, PerceptionWorker
from bt_exec.nodes.runtime import Runtime
from bt_exec.observation import ObservationBuffer
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig
from bt_exec.site.site import Rates
from bt_exec.testing import FakeClock, FakeObservation, ScriptedRobot


class Slow:
    """Camera whose first observation waits for the test."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.first = threading.Event()

    def capture(self) -> float:
        return self.clock.time

    def interpret(self, taken: float) -> FakeObservation:
        if not taken:
            self.first.wait(60)
        return FakeObservation(taken, known={"taken": str(taken)})


def test_pending_observation_does_not_answer_a_request_for_a_current_one() -> None:
    simulation = FakeClock()
    slow = Slow(simulation)
    buffer = ObservationBuffer(lambda: simulation.time)
    perception_workers = {"test": PerceptionWorker("test", slow, buffer, Rates(), wait=False)}
    rigs = {"test": Rig(ScriptedRobot(), simulation=simulation)}
    clock = Clock([simulation], 0.01, fast=True)
    runtime = Runtime(Catalogue([]), rigs, {}, clock.now, lambda event: None)
    perception_loop = PerceptionLoop(runtime, perception_workers, clock, 60.0, lambda: False)
    perception_workers["test"].start(now=True)
    simulation.step(2.0)
    threading.Timer(0.05, slow.first.set).start()
    perception_loop.observe_all()
    assert perception_loop.facts() == {"taken": "2.0"}
    perception_workers["test"].close()


def test_simulated_mission_that_is_being_stopped_receives_no_observation() -> None:
    simulation = FakeClock(1.0)
    camera = Slow(simulation)
    buffer = ObservationBuffer(lambda: simulation.time)
    worker = PerceptionWorker("test", camera, buffer, Rates(), wait=True)
    worker.start(now=True)
    assert worker.collect(60.0, lambda: True) is None
    assert not buffer.observations
    worker.start(now=True)
    assert worker.collect(60.0, lambda: False) is not None
    worker.close()


class OfRealRobot(Slow):
    """Camera that takes its times from the mission's clock."""

    def set_clock(self, now: Callable[[], float]) -> None:
        self.now = now

    def capture(self) -> float:
        return self.now()


def test_camera_with_a_set_clock_method_receives_the_clock_of_the_mission() -> None:
    camera = OfRealRobot(FakeClock())
    buffer = ObservationBuffer(lambda: 3.5)
    worker = PerceptionWorker("test", camera, buffer, Rates(), wait=True)
    worker.start(now=True)
    observation = worker.collect(60.0)
    assert observation is not None
    assert observation.t == 3.5
    worker.close()
