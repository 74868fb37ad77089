"""Rates, waits and failures of the perception loop."""

from __future__ import annotations

import threading
from concurrent.futures import TimeoutError as FutureTimeout
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.events import PerceptionFailed
from bt_exec.failure import PartBroken
from bt_exec.mission import perception_worker
from bt_exec.mission.clock import Clock
from bt_exec.mission.perception_worker import PerceptionLoop, PerceptionWorker
from bt_exec.nodes.runtime import Runtime, known_facts
from bt_exec.observation import ObservationBuffer
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig
from bt_exec.site.site import Rates
from bt_exec.testing import FakeClock, FakeObservation, ScriptedRobot
from tests.bt_exec.mission.misbehaving_ground import raise_as_watchdog


class Camera:
    """Camera whose pictures are interpreted when `ready` allows it."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.ready = threading.Event()
        self.ready.set()
        self.captures: list[float] = []
        self.error: Exception | None = None
        self.blind: Exception | None = None

    def capture(self) -> float:
        if self.blind is not None:
            raise self.blind
        self.captures.append(self.clock.time)
        return self.clock.time

    def interpret(self, taken: float) -> FakeObservation:
        assert self.ready.wait(60)
        if self.error is not None:
            raise self.error
        return FakeObservation(taken, ("thing",), {"taken": f"{taken:g}"})


class Looks:
    """Perception loop of one rig, with the events that it emitted."""

    def __init__(
        self, rates: Rates | None = None, *, wait: bool = False, limit_s: float = 60.0
    ) -> None:
        self.simulation = FakeClock(1.0)
        self.camera = Camera(self.simulation)
        self.buffer: ObservationBuffer[Any] = ObservationBuffer(lambda: self.simulation.time)
        rates = rates or Rates(look_hz=5, idle_look_hz=1)
        self.worker = PerceptionWorker("test", self.camera, self.buffer, rates, wait=wait)
        self.events: list[Any] = []
        self.ended = False
        rig = Rig(ScriptedRobot(), facts=lambda: {"hand": "empty", "taken": "no"})
        clock = Clock([self.simulation], 0.01, fast=True)
        runtime = Runtime(Catalogue([]), {"test": rig}, {}, clock.now, self.events.append)
        runtime.tick = 4
        self.perception_worker = PerceptionLoop(
            runtime, {"test": self.worker}, clock, limit_s, lambda: self.ended
        )

    def settle(self) -> None:
        """Let the worker finish the pending observation."""
        self.worker._pool.submit(lambda: None).result(60)


@pytest.fixture
def looks():
    made = []

    def looks(*args: Any, **kwargs: Any) -> Looks:
        made.append(Looks(*args, **kwargs))
        return made[-1]

    yield looks
    for each in made:
        each.camera.ready.set()
        each.worker.close()


def run(on: Looks, seconds: float, asking: bool) -> list[float]:
    """Advance time in ticks of 0.05 s, with a request at every tick or none.

    Returns:
        Times of the captures [s].
    """
    while on.simulation.time < seconds:
        on.buffer.asked = asking
        on.perception_worker.start()
        on.settle()
        on.perception_worker.collect()
        on.simulation.step(0.05)
    return on.camera.captures


@pytest.mark.parametrize(
    ("rates", "asking", "expected"),
    [
        (Rates(look_hz=5, idle_look_hz=1), True, [1.0, 1.2, 1.4, 1.6, 1.8]),
        (Rates(look_hz=5, idle_look_hz=2), False, [1.0, 1.5]),
        (Rates(look_hz=100, idle_look_hz=0), False, []),
        (Rates(look_hz=5, idle_look_hz=1), False, [1.0]),
        (Rates(look_hz=4, idle_look_hz=0), True, [1.0, 1.25, 1.5, 1.75]),
        (Rates(look_hz=1, idle_look_hz=5), True, [1.0, 1.2, 1.4, 1.6, 1.8]),
        (Rates(look_hz=0.5, idle_look_hz=0.5), True, [1.0]),
    ],
)
def test_observation_rate_follows_requests_and_limits(looks, rates, asking, expected):
    assert run(looks(rates), 1.999, asking) == expected


@pytest.mark.parametrize(
    ("latency_s", "expected"),
    [
        (0.0, [(1.0, 1.0), (1.2, 1.2), (1.4, 1.4)]),
        (0.05, [(1.0, 1.05), (1.2, 1.25), (1.4, 1.45)]),
        (0.15, [(1.0, 1.15), (1.2, 1.35)]),
        (0.2, [(1.0, 1.2), (1.25, 1.45)]),
        (0.3, [(1.0, 1.3)]),
    ],
)
def test_simulated_observation_arrives_after_the_latency(looks, latency_s, expected):
    """It arrives no earlier, although its interpretation is done at once."""
    on = looks(Rates(look_hz=5, idle_look_hz=0, latency_s=latency_s), wait=True)
    run(on, 1.49, asking=True)
    taken = [observation.t for observation in on.buffer.observations]
    assert list(zip(taken, [event.t for event in on.events], strict=True)) == [
        pytest.approx(each) for each in expected
    ]


def test_latency_delays_no_observation_at_rest(looks):
    """Before a mission and after it, nothing moves and time does not advance."""
    on = looks(Rates(latency_s=1.0), wait=True)
    on.perception_worker.observe_all()
    assert [observation.t for observation in on.buffer.observations] == [1.0]


def test_latency_of_the_simulation_delays_no_real_robot(looks):
    on = looks(Rates(look_hz=5, idle_look_hz=0, latency_s=0.3))
    run(on, 1.1, asking=True)
    assert [event.t for event in on.events] == [1.0]


def test_slow_camera_is_not_restarted_before_its_picture_arrives(looks):
    """Each picture takes 6 ticks: 24 ticks yield 4 observations, not none."""
    on = looks(Rates(look_hz=100, idle_look_hz=0))
    observations = []
    for tick in range(24):
        on.buffer.asked = True
        if tick % 6 == 0:
            on.camera.ready.clear()
        on.perception_worker.start()
        if tick % 6 == 5:
            on.camera.ready.set()
            on.settle()
        on.perception_worker.collect()
        on.simulation.step(0.05)
        observations = [observation.t for observation in on.buffer.observations]
    assert observations == on.camera.captures == [1.0, 1.3, 1.6, 1.9]
    assert [(event.t, event.tick, event.pack) for event in on.events] == [
        (1.25, 4, "test"),
        (1.55, 4, "test"),
        (1.85, 4, "test"),
        (2.15, 4, "test"),
    ]


def test_real_camera_is_not_awaited(looks):
    on = looks()
    on.camera.ready.clear()
    on.perception_worker.start()
    assert on.worker.collect(60.0) is None
    on.camera.ready.set()
    on.settle()
    assert on.worker.collect(60.0) == FakeObservation(1.0, ("thing",), {"taken": "1"})
    assert on.worker.collect(60.0) is None  # an observation is returned once


def test_arriving_observation_clears_the_request(looks):
    on = looks()
    assert on.buffer.asked
    on.perception_worker.start()
    on.settle()
    on.perception_worker.collect()
    assert not on.buffer.asked


def test_simulated_camera_is_awaited_before_the_next_tick(looks):
    on = looks(wait=True)
    on.camera.ready.clear()
    on.perception_worker.start()
    threading.Timer(0.2, on.camera.ready.set).start()
    on.perception_worker.collect()
    assert [observation.t for observation in on.buffer.observations] == [1.0]


@pytest.mark.parametrize("wait", [True, False])
def test_observation_requested_now_is_awaited(looks, wait):
    on = looks(wait=wait)
    on.camera.ready.clear()
    threading.Timer(0.2, on.camera.ready.set).start()
    on.perception_worker.observe_all()
    assert [observation.t for observation in on.buffer.observations] == [1.0]
    assert len(on.events) == 1


def test_observation_requested_now_ignores_the_rate(looks):
    on = looks(Rates(look_hz=0.1, idle_look_hz=0))
    for _ in range(3):
        on.perception_worker.observe_all()
    assert on.camera.captures == [1.0, 1.0, 1.0]
    on.perception_worker.start()
    assert len(on.camera.captures) == 3  # the next one is due ten seconds after the last


def test_late_simulated_camera_is_reported_and_used_again(looks, lines):
    on = looks(wait=True, limit_s=0.1)
    on.camera.ready.clear()
    on.perception_worker.observe_all()
    assert lines(on.events) == [
        "1 4 PerceptionFailed test TimeoutError: no observation after 0.1 s"
    ]
    on.camera.ready.set()
    on.settle()
    on.perception_worker.observe_all()
    assert [observation.t for observation in on.buffer.observations] == [1.0]


def test_late_real_camera_delivers_its_observation_later(looks, monkeypatch):
    def sleep(seconds: float) -> None:
        wall.now += seconds

    wall = SimpleNamespace(monotonic=lambda: wall.now, now=100.0, sleep=sleep)
    monkeypatch.setattr(perception_worker, "time", wall)
    on = looks(limit_s=0.05)
    on.camera.ready.clear()
    on.perception_worker.observe_all()
    assert (on.events, list(on.buffer.observations)) == ([], [])
    on.camera.ready.set()
    on.settle()
    on.perception_worker.collect()
    assert [observation.t for observation in on.buffer.observations] == [1.0]


def test_silent_real_camera_is_reported_once_and_its_picture_still_accepted(
    looks, lines, monkeypatch
):
    wall = SimpleNamespace(monotonic=lambda: wall.now, now=100.0)
    monkeypatch.setattr(perception_worker, "time", wall)
    on = looks(limit_s=2.0)
    on.camera.ready.clear()
    on.perception_worker.start()
    for wall.now, told in ((103.9, 0), (104.0, 1), (104.1, 1), (999.0, 1)):
        on.perception_worker.start()
        on.perception_worker.collect()
        assert len(on.events) == told, wall.now
    late = "1 4 PerceptionFailed test TimeoutError: no observation after 4 s"
    assert lines(on.events) == [late]
    assert on.camera.captures == [1.0]
    on.camera.ready.set()
    on.settle()
    on.perception_worker.collect()
    assert [observation.t for observation in on.buffer.observations] == [1.0]
    on.camera.ready.clear()
    on.simulation.step(1.0)
    on.perception_worker.start()
    wall.now += 4.0
    on.perception_worker.collect()
    assert [line[4:] for line in lines(on.events) if "Failed" in line] == [late[4:]] * 2


def test_no_picture_is_taken_while_the_detector_processes_an_abandoned_one(looks, lines):
    on = looks(wait=True, limit_s=0.1)
    on.camera.ready.clear()
    on.perception_worker.observe_all()
    for _ in range(3):
        on.simulation.step(5.0)
        on.buffer.asked = True
        on.perception_worker.start()
        on.perception_worker.collect()
    assert on.camera.captures == [1.0]
    on.perception_worker.observe_all()
    assert [line.partition("test ")[2] for line in lines(on.events)] == [
        "TimeoutError: no observation after 0.1 s",
        "TimeoutError: an earlier capture is still being interpreted",
    ]
    assert (on.camera.captures, list(on.buffer.observations)) == ([1.0], [])
    on.camera.ready.set()
    on.settle()
    on.perception_worker.start()
    on.perception_worker.collect()
    assert [observation.t for observation in on.buffer.observations] == [16.0]


@pytest.mark.parametrize("wait", [True, False])
def test_pending_observation_is_not_awaited_when_the_mission_ends(looks, wait):
    on = looks(wait=wait)
    on.camera.ready.clear()
    on.ended = True
    on.perception_worker.observe_all()
    assert (on.events, list(on.buffer.observations)) == ([], [])
    assert not on.camera.ready.is_set()


@pytest.mark.parametrize(
    ("where", "wait"), [("blind", True), ("blind", False), ("error", True), ("error", False)]
)
def test_perception_failure_is_reported_and_recovers(looks, lines, where, wait):
    on = looks(wait=wait)
    setattr(on.camera, where, OSError("no picture"))
    on.perception_worker.observe_all()
    assert lines(on.events) == ["1 4 PerceptionFailed test OSError: no picture"]
    setattr(on.camera, where, None)
    on.perception_worker.observe_all()
    assert lines(on.events)[1:] == ["1 4 Observed test {'taken': '1'}"]


def test_failing_camera_does_not_affect_the_others(looks):
    on, other = looks(), looks()
    on.camera.blind = OSError("no picture")
    on.perception_worker.perception_workers = {"test": on.worker, "other": other.worker}
    on.perception_worker.observe_all()
    on.simulation.step(5.0)
    other.simulation.step(5.0)
    on.perception_worker.start()
    other.settle()
    on.perception_worker.collect()
    assert other.camera.captures == [1.0, 6.0]
    assert [type(event) is PerceptionFailed for event in on.events] == [True, False, True, False]


def test_situation_of_a_compiler_summarises_all_observations(looks):
    on, other = looks(), looks()
    on.perception_worker.observe_all()
    other.buffer.add(FakeObservation(2.0, ("cup", "thing"), {"taken": "2"}, frame="old"))
    other.buffer.add(FakeObservation(3.0, ("cup", "thing"), {"taken": "3"}, frame="new"))
    blind = looks()
    on.perception_worker.perception_workers = {
        "blind": blind.worker,
        "test": on.worker,
        "other": other.worker,
    }
    situation = on.perception_worker.situation()
    assert situation.labels == ("thing", "cup")  # each label once
    # a newer observation overrides the facts of the robot
    assert situation.facts == {"hand": "empty", "taken": "3"}
    assert situation.text == "thing · cup, thing"
    assert situation.frame == "new"


def test_situation_without_observations_contains_only_facts_of_the_robot(looks):
    on = looks()
    situation = on.perception_worker.situation()
    assert (situation.labels, situation.facts, situation.text) == (
        (),
        {"hand": "empty", "taken": "no"},
        "",
    )
    assert situation.frame is None
    assert known_facts(Catalogue([]), {}, {}) == {}


def test_closing_a_worker_does_not_wait_for_its_observation(looks):
    on = looks()
    on.camera.ready.clear()
    on.perception_worker.start()
    on.worker.close()
    assert not on.camera.ready.is_set()
    with pytest.raises(RuntimeError):
        on.worker.start(now=True)


@pytest.mark.parametrize(
    ("where", "wait"), [("blind", True), ("blind", False), ("error", True), ("error", False)]
)
def test_detector_that_raises_system_exit_is_a_perception_failure(looks, lines, where, wait):
    on = looks(wait=wait)
    setattr(on.camera, where, SystemExit(141))
    on.perception_worker.observe_all()
    assert lines(on.events) == ["1 4 PerceptionFailed test SystemExit: 141"]


def test_simulated_camera_is_awaited_for_its_whole_limit(looks):
    """The limit is counted in short waits: an observation within the limit does not time out."""
    on = looks(wait=True, limit_s=0.9)
    on.camera.ready.clear()
    threading.Timer(0.12, on.camera.ready.set).start()
    on.perception_worker.observe_all()
    assert [observation.t for observation in on.buffer.observations] == [1.0]


def test_pending_observation_is_collected_when_no_stop_check_is_given(looks):
    on = looks(wait=True)
    on.camera.ready.clear()
    on.worker.start(now=True)
    threading.Timer(0.12, on.camera.ready.set).start()
    assert on.worker.collect(60.0) is not None


@pytest.mark.parametrize(
    ("acted", "now", "old"),
    [(0.0, 4.0, {}), (2.0, 4.0, {"taken": 1.0}), (0.0, 7.0, {"taken": 1.0}), (1.0, 6.0, {})],
)
def test_facts_are_old_if_observed_before_the_last_action_or_long_ago(looks, acted, now, old):
    on = looks()
    on.perception_worker.observe_all()
    on.simulation.step(now - on.simulation.time)
    on.perception_worker._runtime.acted = acted
    assert on.perception_worker.old_facts(5.0) == old


def test_picture_queued_behind_a_stuck_one_times_out(looks, lines):
    on = looks(wait=True, limit_s=0.1)
    on.camera.ready.clear()
    on.worker.start(now=True)  # the detector processes this picture
    on.perception_worker.observe_all()  # and this one is queued behind it
    for _ in range(2):
        on.perception_worker.observe_all()
    assert [line.partition("test ")[2] for line in lines(on.events)] == [
        "TimeoutError: no observation after 0.1 s",
        *["TimeoutError: an earlier capture is still being interpreted"] * 2,
    ]
    assert on.camera.captures == [1.0, 1.0]


def test_queued_picture_is_not_interpreted_after_closing(looks):
    on = looks()
    on.camera.ready.clear()
    on.worker.start(now=True)
    begun = on.worker._pending
    on.worker.start(now=True)
    waits = on.worker._pending
    on.worker.close()
    assert (begun.cancelled(), waits.cancelled()) == (False, True)


def test_abandoned_picture_is_not_interpreted(looks):
    on = looks()
    on.camera.ready.clear()
    for _ in range(2):
        on.worker.start(now=True)
    waits = on.worker._pending
    on.worker.start(now=True)
    assert waits.cancelled()
    on.camera.ready.set()
    assert on.worker._pending.result(60) is not None


def test_pending_observation_is_kept_unless_one_is_requested_now(looks):
    on = looks(Rates(look_hz=100, idle_look_hz=100))
    on.camera.ready.clear()
    on.worker.start(now=True)
    begun = on.worker._pending
    on.simulation.step(1.0)
    on.buffer.asked = True
    on.worker.start()
    assert on.worker._pending is begun
    assert on.camera.captures == [1.0]


def test_only_old_facts_of_several_cameras_are_returned_with_their_time(looks):
    on, other, blind = looks(), looks(), looks()
    other.buffer.add(FakeObservation(0.5, known={"cup": "red", "taken": "x"}))
    other.buffer.add(FakeObservation(1.5, known={"cup": "blue"}))
    other.simulation.step(3.0)
    on.perception_worker.observe_all()
    on.perception_worker.perception_workers = {
        "blind": blind.worker,
        "test": on.worker,
        "other": other.worker,
    }
    on.simulation.step(5.5)
    assert on.perception_worker.old_facts(5.0) == {"taken": 1.0}
    assert on.perception_worker.old_facts(4.0) == {"taken": 1.0, "cup": 1.5}
    assert on.perception_worker.old_facts(6.0) == {}
    assert on.perception_worker.facts() == {"hand": "empty", "taken": "1", "cup": "blue"}


def test_compiler_gets_the_first_frame_of_a_rig_without_a_camera(looks):
    on = looks()
    rigs = on.perception_worker._runtime.rigs
    rigs["none"] = Rig(ScriptedRobot())
    rigs["first"] = Rig(ScriptedRobot(), frame=lambda: "first")
    rigs["second"] = Rig(ScriptedRobot(), frame=lambda: pytest.fail("one picture is enough"))
    assert on.perception_worker.situation().frame == "first"


def test_source_of_facts_or_frame_that_raises_is_reported_by_name(looks):
    on = looks()
    on.perception_worker.observe_all()
    rigs = on.perception_worker._runtime.rigs
    rigs["arm"] = Rig(ScriptedRobot(), facts=lambda: {}["hand"])
    with pytest.raises(PartBroken, match="the facts of arm raised KeyError"):
        on.perception_worker.facts()
    rigs["arm"] = Rig(ScriptedRobot(), frame=lambda: {}["frame"])
    with pytest.raises(PartBroken, match="the picture raised KeyError"):
        on.perception_worker.situation()
    on.buffer.observations[-1].known["late"] = 7
    with pytest.raises(PartBroken, match="the observation of test raised TypeError"):
        on.perception_worker.facts()


def test_keyboard_interrupt_raised_by_a_detector_is_a_perception_failure(looks, lines):
    on = looks()
    on.camera.error = KeyboardInterrupt()
    on.perception_worker.observe_all()
    assert lines(on.events) == ["1 4 PerceptionFailed test RuntimeError: raised KeyboardInterrupt"]


def test_keyboard_interrupt_during_a_capture_is_raised(looks):
    on = looks()
    on.camera.blind = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        on.perception_worker.observe_all()
    assert on.events == []


class Slow:
    """Picture that never arrives."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def done(self) -> bool:
        return False

    def exception(self, timeout: float) -> None:
        self.waits.append(timeout)
        raise FutureTimeout


def test_picture_is_awaited_in_short_steps_until_the_limit(looks):
    on, asked = looks(wait=True), []
    slow = on.worker._pending = Slow()
    with pytest.raises(TimeoutError, match=r"^no observation after 0\.18 s$"):
        on.worker.collect(0.18, lambda: bool(asked.append(None)))
    assert (slow.waits, len(asked)) == ([0.05] * 4, 4)


def test_real_camera_is_polled_five_times_a_tick_until_the_limit(looks, monkeypatch):
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(round(seconds, 6))
        wall.now += 0.25

    wall = SimpleNamespace(monotonic=lambda: wall.now, now=100.0, sleep=sleep)
    monkeypatch.setattr(perception_worker, "time", wall)
    on = looks(limit_s=1.0)
    on.camera.ready.clear()
    on.perception_worker.observe_all()
    assert slept == [0.002] * 4


def test_perception_thread_has_the_name_of_its_pack(looks):
    on, names = looks(), []
    on.camera.interpret = lambda taken: (
        names.append(threading.current_thread().name),
        FakeObservation(taken),
    )[1]
    on.perception_worker.observe_all()
    assert names == ["perception-test_0"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), PartBroken("the driver", "hangs")])
def test_interruption_of_perception_is_not_a_perception_failure(looks, error):
    on = looks()

    def broken(*given: Any, **more: Any) -> Any:
        raise_as_watchdog(error)

    on.worker.collect = broken
    with pytest.raises(type(error)) as told:
        on.perception_worker.observe_all()
    assert told.value is error
    on.worker.start = broken
    with pytest.raises(type(error)) as told:
        on.perception_worker.start()
    assert told.value is error
    on.perception_worker._runtime.rigs["arm"] = Rig(ScriptedRobot(), facts=broken)
    with pytest.raises(type(error)) as told:
        on.perception_worker.facts()
    assert told.value is error
    assert on.events == []
