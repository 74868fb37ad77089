"""When eyes look, what is waited for, and what becomes of a look that goes wrong."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.events import PerceptionFailed
from bt_exec.failure import PartBroken
from bt_exec.mission import perception_loop
from bt_exec.mission.clock import Clock
from bt_exec.mission.perception_loop import PerceptionLoop, PerceptionWorker, known_facts
from bt_exec.nodes.runtime import Runtime
from bt_exec.observation import ObservationBuffer
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig
from bt_exec.site.site import Rates
from bt_exec.testing import FakeClock, FakeObservation, ScriptedRobot


class Camera:
    """A camera whose pictures are interpreted when `ready` allows it."""

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
    """A perception loop of one rig and what it emitted."""

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
        self.perception_loop = PerceptionLoop(
            runtime, {"test": self.worker}, clock, limit_s, lambda: self.ended
        )

    def settle(self) -> None:
        """Let the worker finish what it has begun."""
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
    """Let time pass in ticks of 0.05 s, asking at every one or never; return when it captured."""
    while on.simulation.time < seconds:
        on.buffer.asked = asking
        on.perception_loop.start()
        on.settle()
        on.perception_loop.collect()
        on.simulation.step(0.05)
    return on.camera.captures


@pytest.mark.parametrize(
    ("rates", "asking", "expected"),
    [
        (Rates(look_hz=5, idle_look_hz=1), True, [1.0, 1.2, 1.4, 1.6, 1.8]),
        (Rates(look_hz=5, idle_look_hz=2), False, [1.0, 1.5]),
        (Rates(look_hz=100, idle_look_hz=0), False, []),
        (Rates(look_hz=4, idle_look_hz=0), True, [1.0, 1.25, 1.5, 1.75]),
        (Rates(look_hz=1, idle_look_hz=5), True, [1.0, 1.2, 1.4, 1.6, 1.8]),
        (Rates(look_hz=0.5, idle_look_hz=0.5), True, [1.0]),
    ],
)
def test_eyes_look_as_often_as_somebody_asks_and_the_rates_allow(looks, rates, asking, expected):
    assert run(looks(rates), 1.999, asking) == expected


def test_a_slow_camera_is_waited_for_and_not_started_again(looks):
    """Each picture takes 6 ticks: 24 ticks bring 4 scenes, not none."""
    on = looks(Rates(look_hz=100, idle_look_hz=0))
    observations = []
    for tick in range(24):
        on.buffer.asked = True
        if tick % 6 == 0:
            on.camera.ready.clear()
        on.perception_loop.start()
        if tick % 6 == 5:
            on.camera.ready.set()
            on.settle()
        on.perception_loop.collect()
        on.simulation.step(0.05)
        observations = [observation.t for observation in on.buffer.observations]
    assert observations == on.camera.captures == [1.0, 1.3, 1.6, 1.9]
    assert [(event.t, event.tick, event.pack) for event in on.events] == [
        (1.25, 4, "test"),
        (1.55, 4, "test"),
        (1.85, 4, "test"),
        (2.15, 4, "test"),
    ]


def test_a_real_camera_is_never_waited_for(looks):
    on = looks()
    on.camera.ready.clear()
    on.perception_loop.start()
    assert on.worker.collect(60.0) is None
    on.camera.ready.set()
    on.settle()
    assert on.worker.collect(60.0) == FakeObservation(1.0, ("thing",), {"taken": "1"})
    assert on.worker.collect(60.0) is None  # a scene is there once


def test_a_scene_that_arrives_answers_the_question(looks):
    on = looks()
    assert on.buffer.asked
    on.perception_loop.start()
    on.settle()
    on.perception_loop.collect()
    assert not on.buffer.asked


def test_a_simulation_is_waited_for_before_the_next_tick(looks):
    on = looks(wait=True)
    on.camera.ready.clear()
    on.perception_loop.start()
    threading.Timer(0.2, on.camera.ready.set).start()
    on.perception_loop.collect()
    assert [observation.t for observation in on.buffer.observations] == [1.0]


@pytest.mark.parametrize("wait", [True, False])
def test_a_look_that_is_asked_for_now_is_waited_for(looks, wait):
    on = looks(wait=wait)
    on.camera.ready.clear()
    threading.Timer(0.2, on.camera.ready.set).start()
    on.perception_loop.look()
    assert [observation.t for observation in on.buffer.observations] == [1.0]
    assert len(on.events) == 1


def test_a_look_that_is_asked_for_now_needs_no_due_time(looks):
    on = looks(Rates(look_hz=0.1, idle_look_hz=0))
    for _ in range(3):
        on.perception_loop.look()
    assert on.camera.captures == [1.0, 1.0, 1.0]
    on.perception_loop.start()
    assert len(on.camera.captures) == 3  # the next one is due ten seconds after the last


def test_a_simulation_that_takes_too_long_is_told_and_looked_at_again(looks, lines):
    on = looks(wait=True, limit_s=0.1)
    on.camera.ready.clear()
    on.perception_loop.look()
    assert lines(on.events) == [
        "1 4 PerceptionFailed test TimeoutError: no observation after 0.1 s"
    ]
    on.camera.ready.set()
    on.settle()
    on.perception_loop.look()
    assert [observation.t for observation in on.buffer.observations] == [1.0]


def test_a_real_camera_that_takes_too_long_is_left_to_itself(looks):
    on = looks(limit_s=0.05)
    on.camera.ready.clear()
    on.perception_loop.look()
    assert (on.events, list(on.buffer.observations)) == ([], [])
    on.camera.ready.set()
    on.settle()
    on.perception_loop.collect()
    assert [observation.t for observation in on.buffer.observations] == [1.0]


def test_a_real_camera_that_does_not_answer_is_told_once_and_its_picture_still_taken(
    looks, lines, monkeypatch
):
    wall = SimpleNamespace(monotonic=lambda: wall.now, now=100.0)
    monkeypatch.setattr(perception_loop, "time", wall)
    on = looks(limit_s=2.0)
    on.camera.ready.clear()
    on.perception_loop.start()
    for wall.now, told in ((103.9, 0), (104.0, 1), (104.1, 1), (999.0, 1)):
        on.perception_loop.start()
        on.perception_loop.collect()
        assert len(on.events) == told, wall.now
    late = "1 4 PerceptionFailed test TimeoutError: no observation after 4 s"
    assert lines(on.events) == [late]
    assert on.camera.captures == [1.0]
    on.camera.ready.set()
    on.settle()
    on.perception_loop.collect()
    assert [observation.t for observation in on.buffer.observations] == [1.0]
    on.camera.ready.clear()
    on.simulation.step(1.0)
    on.perception_loop.start()
    wall.now += 4.0
    on.perception_loop.collect()
    assert [line[4:] for line in lines(on.events) if "Failed" in line] == [late[4:]] * 2


def test_nothing_is_asked_of_a_detector_that_still_works_at_a_picture_that_was_given_up(
    looks, lines
):
    on = looks(wait=True, limit_s=0.1)
    on.camera.ready.clear()
    on.perception_loop.look()
    for _ in range(3):
        on.simulation.step(5.0)
        on.buffer.asked = True
        on.perception_loop.start()
        on.perception_loop.collect()
    assert on.camera.captures == [1.0]
    on.perception_loop.look()
    assert [line.partition("test ")[2] for line in lines(on.events)] == [
        "TimeoutError: no observation after 0.1 s",
        "TimeoutError: an earlier picture is still interpreted",
    ]
    assert (on.camera.captures, list(on.buffer.observations)) == ([1.0], [])
    on.camera.ready.set()
    on.settle()
    on.perception_loop.start()
    on.perception_loop.collect()
    assert [observation.t for observation in on.buffer.observations] == [16.0]


@pytest.mark.parametrize("wait", [True, False])
def test_nothing_is_waited_for_when_the_mission_is_to_end(looks, wait):
    on = looks(wait=wait)
    on.camera.ready.clear()
    on.ended = True
    on.perception_loop.look()
    assert (on.events, list(on.buffer.observations)) == ([], [])
    assert not on.camera.ready.is_set()


@pytest.mark.parametrize(
    ("where", "wait"), [("blind", True), ("blind", False), ("error", True), ("error", False)]
)
def test_blindness_is_told_and_passes(looks, lines, where, wait):
    on = looks(wait=wait)
    setattr(on.camera, where, OSError("no picture"))
    on.perception_loop.look()
    assert lines(on.events) == ["1 4 PerceptionFailed test OSError: no picture"]
    setattr(on.camera, where, None)
    on.perception_loop.look()
    assert lines(on.events)[1:] == ["1 4 Observed test {'taken': '1'}"]


def test_a_pair_of_eyes_that_fails_does_not_keep_the_others_from_looking(looks):
    on, other = looks(), looks()
    on.camera.blind = OSError("no picture")
    on.perception_loop.perception_workers = {"test": on.worker, "other": other.worker}
    on.perception_loop.look()
    on.simulation.step(5.0)
    other.simulation.step(5.0)
    on.perception_loop.start()
    other.settle()
    on.perception_loop.collect()
    assert other.camera.captures == [1.0, 6.0]
    assert [type(event) is PerceptionFailed for event in on.events] == [True, False, True, False]


def test_what_is_seen_is_summed_up_for_a_compiler(looks):
    on, other = looks(), looks()
    on.perception_loop.look()
    other.buffer.add(FakeObservation(2.0, ("cup", "thing"), {"taken": "2"}, frame="old"))
    other.buffer.add(FakeObservation(3.0, ("cup", "thing"), {"taken": "3"}, frame="new"))
    blind = looks()
    on.perception_loop.perception_workers = {
        "blind": blind.worker,
        "test": on.worker,
        "other": other.worker,
    }
    situation = on.perception_loop.situation()
    assert situation.labels == ("thing", "cup")  # each once
    assert situation.facts == {"hand": "empty", "taken": "3"}  # a newer view over what a robot says
    assert situation.text == "thing · cup, thing"
    assert situation.frame == "new"


def test_nothing_seen_is_nothing_known(looks):
    on = looks()
    situation = on.perception_loop.situation()
    assert (situation.labels, situation.facts, situation.text) == (
        (),
        {"hand": "empty", "taken": "no"},
        "",
    )
    assert situation.frame is None
    assert known_facts({}, {}) == {}


def test_eyes_that_are_closed_wait_for_nobody(looks):
    on = looks()
    on.camera.ready.clear()
    on.perception_loop.start()
    on.worker.close()
    assert not on.camera.ready.is_set()
    with pytest.raises(RuntimeError):
        on.worker.start(now=True)


@pytest.mark.parametrize(
    ("where", "wait"), [("blind", True), ("blind", False), ("error", True), ("error", False)]
)
def test_a_detector_that_calls_for_the_end_of_the_process_is_blind(looks, lines, where, wait):
    on = looks(wait=wait)
    setattr(on.camera, where, SystemExit(141))
    on.perception_loop.look()
    assert lines(on.events) == ["1 4 PerceptionFailed test SystemExit: 141"]


def test_a_simulation_has_all_of_its_time(looks):
    """The limit is counted in short waits: a scene that needs a part of it is no timeout."""
    on = looks(wait=True, limit_s=0.9)
    on.camera.ready.clear()
    threading.Timer(0.12, on.camera.ready.set).start()
    on.perception_loop.look()
    assert [observation.t for observation in on.buffer.observations] == [1.0]


def test_nobody_ends_a_look_that_is_collected_by_itself(looks):
    on = looks(wait=True)
    on.camera.ready.clear()
    on.worker.start(now=True)
    threading.Timer(0.12, on.camera.ready.set).start()
    assert on.worker.collect(60.0) is not None


@pytest.mark.parametrize(
    ("acted", "now", "old"),
    [(0.0, 4.0, {}), (2.0, 4.0, {"taken": 1.0}), (0.0, 7.0, {"taken": 1.0}), (1.0, 6.0, {})],
)
def test_what_was_seen_before_an_action_ended_or_long_ago_is_old(looks, acted, now, old):
    on = looks()
    on.perception_loop.look()
    on.simulation.step(now - on.simulation.time)
    on.perception_loop._runtime.acted = acted
    assert on.perception_loop.old_facts(5.0) == old


def test_a_picture_that_waits_behind_one_that_is_stuck_is_not_taken_for_done(looks, lines):
    on = looks(wait=True, limit_s=0.1)
    on.camera.ready.clear()
    on.worker.start(now=True)  # the detector is at work on this one
    on.perception_loop.look()  # and this one waits for it
    for _ in range(2):
        on.perception_loop.look()
    assert [line.partition("test ")[2] for line in lines(on.events)] == [
        "TimeoutError: no observation after 0.1 s",
        *["TimeoutError: an earlier picture is still interpreted"] * 2,
    ]
    assert on.camera.captures == [1.0, 1.0]


def test_a_picture_that_waits_when_eyes_are_closed_is_not_interpreted(looks):
    on = looks()
    on.camera.ready.clear()
    on.worker.start(now=True)
    begun = on.worker._pending
    on.worker.start(now=True)
    waits = on.worker._pending
    on.worker.close()
    assert (begun.cancelled(), waits.cancelled()) == (False, True)


def test_a_look_that_is_no_longer_wanted_is_not_interpreted_if_it_waits(looks):
    on = looks()
    on.camera.ready.clear()
    for _ in range(2):
        on.worker.start(now=True)
    waits = on.worker._pending
    on.worker.start(now=True)
    assert waits.cancelled()
    on.camera.ready.set()
    assert on.worker._pending.result(60) is not None


def test_a_look_under_way_stays_unless_one_is_asked_for_now(looks):
    on = looks(Rates(look_hz=100, idle_look_hz=100))
    on.camera.ready.clear()
    on.worker.start(now=True)
    begun = on.worker._pending
    on.simulation.step(1.0)
    on.buffer.asked = True
    on.worker.start()
    assert on.worker._pending is begun
    assert on.camera.captures == [1.0]


def test_of_several_eyes_only_what_is_old_is_told_with_its_moment(looks):
    on, other, blind = looks(), looks(), looks()
    other.buffer.add(FakeObservation(0.5, known={"cup": "red", "taken": "x"}))
    other.buffer.add(FakeObservation(1.5, known={"cup": "blue"}))
    other.simulation.step(3.0)
    on.perception_loop.look()
    on.perception_loop.perception_workers = {
        "blind": blind.worker,
        "test": on.worker,
        "other": other.worker,
    }
    on.simulation.step(5.5)
    assert on.perception_loop.old_facts(5.0) == {"taken": 1.0}
    assert on.perception_loop.old_facts(4.0) == {"taken": 1.0, "cup": 1.5}
    assert on.perception_loop.old_facts(6.0) == {}
    assert on.perception_loop.facts() == {"hand": "empty", "taken": "1", "cup": "blue"}


def test_without_eyes_a_picture_of_a_rig_is_shown_to_a_compiler(looks):
    on = looks()
    rigs = on.perception_loop._runtime.rigs
    rigs["none"] = Rig(ScriptedRobot())
    rigs["first"] = Rig(ScriptedRobot(), frame=lambda: "first")
    rigs["second"] = Rig(ScriptedRobot(), frame=lambda: pytest.fail("one picture is enough"))
    assert on.perception_loop.situation().frame == "first"


def test_whose_words_broke_down_is_named(looks):
    on = looks()
    on.perception_loop.look()
    rigs = on.perception_loop._runtime.rigs
    rigs["arm"] = Rig(ScriptedRobot(), facts=lambda: {}["hand"])
    with pytest.raises(PartBroken, match="the facts of arm raised KeyError"):
        on.perception_loop.facts()
    rigs["arm"] = Rig(ScriptedRobot(), frame=lambda: {}["frame"])
    with pytest.raises(PartBroken, match="the picture raised KeyError"):
        on.perception_loop.situation()
    on.buffer.observations[-1].known["late"] = 7
    with pytest.raises(PartBroken, match="the observation of test raised TypeError"):
        on.perception_loop.facts()


def test_a_detector_that_interrupts_itself_is_blind_and_nobody_else_is_interrupted(looks, lines):
    on = looks()
    on.camera.error = KeyboardInterrupt()
    on.perception_loop.look()
    assert lines(on.events) == ["1 4 PerceptionFailed test RuntimeError: raised KeyboardInterrupt"]


def test_an_operator_interrupts_a_capture(looks):
    on = looks()
    on.camera.blind = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        on.perception_loop.look()
    assert on.events == []
