"""A skill at work: what is on record, who is stopped, and what an interrupt leaves behind."""

import logging
from dataclasses import dataclass
from typing import NamedTuple

import pytest
from py_trees.common import Status

from bt_exec.events import NodeChanged, Progress, SkillEnded, SkillStarting
from bt_exec.nodes import skill_node
from bt_exec.nodes.build import build
from bt_exec.nodes.runtime import Runtime
from bt_exec.nodes.watch import Watch
from bt_exec.observation import ObservationBuffer
from bt_exec.pack import Catalogue, Pack
from bt_exec.rig import Rig
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.testing import FakeClock, FakeObservation, ScriptedRobot, scripted_skill
from bt_exec.testing.missions import unverified


class Stage:
    """A built tree over two packs, ``own`` and ``other``, whose events and robots are at hand."""

    def __init__(self, root, parts, *, strangers=(), buffers=None, kept=(), **settings):
        packs = [_pack("own", parts), _pack("other", strangers)]
        self.own, self.other = ScriptedRobot(), ScriptedRobot()
        self.clock = FakeClock()
        self.events = []
        rigs = {"own": Rig(self.own), "other": Rig(self.other)}
        self.runtime = Runtime(
            Catalogue(packs),
            rigs,
            buffers or {},
            lambda: self.clock.time,
            self.events.append,
            **settings,
        )
        tree = load_text(f"tree: t\nroot: {root}").document
        spec = MissionSpec(mission=Mission(command="", kept=kept), root=tree.root)
        self.built = build(unverified(spec), self.runtime)
        self.watch = Watch(self.built, self.runtime)

    def tick(self, times=1):
        for _ in range(times):
            self.runtime.tick += 1
            status = self.watch.tick()
            self.clock.step(0.05)
        return status

    def stop(self):
        self.built.root.stop(Status.INVALID)

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]


def _pack(name, parts):
    skills = tuple(part for part in parts if hasattr(part, "fails"))
    return Pack(name, skills=skills, conditions=tuple(p for p in parts if p not in skills))


def waiting():
    return scripted_skill("a", [("forever",)])


class Timers:
    """Stands in for `threading.Timer`: time is up when a test says so."""

    def __init__(self):
        self.made = []

    def __call__(self, interval, function):
        timer = _Timer(interval, function)
        self.made.append(timer)
        return timer


class _Timer:
    def __init__(self, interval, function):
        self.interval, self.function = interval, function
        self.daemon = self.started = self.cancelled = False

    def start(self):
        self.started = True

    def cancel(self):
        self.cancelled = True


@pytest.fixture
def timers(monkeypatch):
    found = Timers()
    monkeypatch.setattr(skill_node.threading, "Timer", found)
    return found


# -- who is stopped --------------------------------------------------------------------------


def test_a_clean_cancel_leaves_no_timer_behind_and_stops_no_robot(timers):
    stage = Stage("{do: a}", [waiting()], cancel_s=0.7)
    stage.tick()
    assert timers.made == []
    stage.stop()
    (timer,) = timers.made
    assert (timer.interval, timer.daemon, timer.started, timer.cancelled) == (0.7, True, True, True)
    assert (stage.own.stops, stage.other.stops) == (0, 0)
    (state,) = [event for event in stage.of(NodeChanged) if event.state == "stopped"]
    assert state.detail == ""


def test_a_clean_up_may_take_a_second_where_nothing_else_is_said(timers):
    stage = Stage("{do: a}", [waiting()])
    stage.tick()
    stage.stop()
    assert timers.made[0].interval == 1.0


def test_a_skill_that_ends_by_itself_starts_no_timer(timers):
    stage = Stage("{do: a, retry: 2}", [scripted_skill("a", ["STUCK", "done"])])
    assert stage.tick(2) is Status.SUCCESS
    stage.stop()
    assert timers.made == []
    assert [event.state for event in stage.of(SkillEnded)] == ["failed", "done"]


def test_a_clean_up_that_takes_too_long_stops_the_robot_of_its_own_pack_only(timers):
    @skill()
    def a() -> Steps:
        """Take long to clean up."""
        try:
            while True:
                yield Running()
        finally:
            timers.made[-1].function()

    stage = Stage("{do: a}", [a])
    stage.tick()
    stage.stop()
    assert (stage.own.stops, stage.other.stops) == (1, 0)
    assert stage.of(NodeChanged)[-1].detail == (
        "CANCEL_OVERDUE: clean-up took too long; the robot was stopped"
    )


def test_a_clean_up_that_raises_stops_the_robot_of_its_own_pack_only(timers):
    @skill()
    def a() -> Steps:
        """Break while cleaning up."""
        try:
            while True:
                yield Running()
        finally:
            raise ValueError("torn")

    stage = Stage("{do: b}", [waiting()], strangers=[_renamed(a, "b")])
    stage.tick()
    stage.stop()
    assert (stage.own.stops, stage.other.stops) == (0, 1)
    assert timers.made[0].cancelled
    assert stage.of(NodeChanged)[-1].detail == (
        "clean-up raised ValueError: torn; the robot was stopped"
    )


def _renamed(part, name):
    return type(part)(**{**vars(part), "name": name})


def test_a_skill_that_will_not_end_has_its_robot_stopped(timers):
    @skill()
    def a() -> Steps:
        """Go on whatever happens."""
        while True:
            try:
                yield Running()
            except GeneratorExit:
                yield Running()

    stage = Stage("{do: a}", [a])
    stage.tick()
    stage.stop()
    assert stage.own.stops == 1
    assert stage.of(NodeChanged)[-1].detail == (
        "clean-up raised RuntimeError: generator ignored GeneratorExit; the robot was stopped"
    )


def test_stopping_twice_cleans_up_once(timers):
    stage = Stage("{do: a}", [waiting()])
    stage.tick()
    stage.stop()
    stage.stop()
    assert len(timers.made) == 1
    assert stage.own.log == ["a start", "a stopped"]
    assert len(stage.of(SkillEnded)) == 1


# -- the record ------------------------------------------------------------------------------


def test_what_cannot_be_recorded_is_not_started():
    troubles = iter(["the disk is full", ""])
    stage = Stage("{do: a, retry: 2}", [scripted_skill("a")], unrecorded=lambda: next(troubles))
    assert stage.tick() is Status.FAILURE
    assert stage.own.log == []
    start, end, _ = stage.events
    assert isinstance(start, SkillStarting)
    assert (end.state, end.failure.code, end.failure.message, end.failure.retryable) == (
        "failed",
        "NOT_RECORDED",
        "the disk is full",
        False,
    )


def test_a_round_that_cannot_be_recorded_fails_although_the_one_before_was_done():
    troubles = iter(["", "the disk is full"])
    stage = Stage("{do: a, repeat: 2}", [scripted_skill("a")], unrecorded=lambda: next(troubles))
    assert stage.tick(2) is Status.FAILURE
    assert stage.own.log == ["a start", "a done"]
    assert [event.state for event in stage.of(SkillEnded)] == ["done", "failed"]


def test_a_skill_says_how_long_its_attempt_took():
    stage = Stage("{do: a, retry: 2}", [scripted_skill("a", [("2", "STUCK"), ("4", "done")])])
    stage.clock.step(7.0)
    assert stage.tick(8) is Status.SUCCESS
    assert [round(event.seconds, 3) for event in stage.of(SkillEnded)] == [0.1, 0.2]
    assert [event.call for event in stage.of(SkillEnded)] == [1, 2]


def test_a_timeout_says_how_long_the_attempt_took_in_milliseconds():
    stage = Stage("{do: a, timeout: 100ms}", [waiting()])
    stage.tick()
    stage.clock.step(0.0123456)
    stage.tick(2)
    assert stage.of(NodeChanged)[-1].failure.evidence == {"seconds": 0.112, "limit": 0.1}


def test_an_end_is_on_record_only_where_there_was_a_start():
    stage = Stage("{do: a, with: {n: $r}}", [scripted_skill("a")])
    assert stage.tick() is Status.FAILURE
    assert [type(event) for event in stage.events] == [NodeChanged]
    assert stage.events[0].failure.code == "BAD_ARGUMENT"
    assert not stage.events[0].failure.retryable
    assert stage.events[0].failure.args == {"n": "$r"}


def test_calls_are_counted_over_all_nodes_of_a_mission():
    stage = Stage("{sequence: [{do: a}, {do: a}]}", [scripted_skill("a")])
    stage.tick()
    assert [event.call for event in stage.of(SkillStarting)] == [1, 2]
    assert stage.runtime.calls == {"a": 2}


class Pair(NamedTuple):
    left: int
    right: int


@dataclass
class Grip:
    width: float


@pytest.mark.parametrize(
    ("returned", "fields"),
    [
        (None, {}),
        (Pair(1, 2), {"left": 1, "right": 2}),
        (Grip(0.04), {"width": 0.04}),
        ({"n": 1}, {"n": 1}),
        (7, {"result": 7}),
        (Grip, {"result": Grip}),
    ],
)
def test_the_fields_of_a_result_are_on_record(returned, fields):
    @skill()
    def a() -> Steps:
        """Return something."""
        yield Running()
        return returned

    stage = Stage("{do: a}", [a])
    assert stage.tick(2) is Status.SUCCESS
    assert stage.of(SkillEnded)[0].result == fields


def test_progress_is_told_when_it_changes_and_anew_in_each_attempt():
    @skill(fails={"STUCK"})
    def a() -> Steps:
        """Say the same twice."""
        yield Running(0.5, "going")
        yield Running(0.5, "going")
        yield Running(0.5, "there")

    stage = Stage("{do: a, repeat: 2}", [a])
    stage.tick(8)
    assert [(e.tick, e.progress, e.doing) for e in stage.of(Progress)] == [
        (1, 0.5, "going"),
        (3, 0.5, "there"),
        (5, 0.5, "going"),
        (7, 0.5, "there"),
    ]


def test_a_slow_step_is_told_of_only_when_it_is_slower_than_the_limit(monkeypatch, caplog):
    for took, told in ((2.0, 0), (2.1, 1)):
        clock = iter([0.0, took])
        monkeypatch.setattr(skill_node, "monotonic", lambda clock=clock: next(clock))
        caplog.clear()
        with caplog.at_level(logging.WARNING, "bt_exec"):
            Stage("{do: a}", [scripted_skill("a")]).tick()
        assert len(caplog.records) == told


# -- what an interrupt leaves behind -----------------------------------------------------------


NESTS = (
    "{do: a}",
    "{sequence: [{do: a}]}",
    "{fallback: [{do: a}]}",
    "{parallel: [{do: b}, {do: a}]}",
    "{sequence: [{do: a, while: c, timeout: 1s, retry: 2, repeat: 2, skip_if: {not: c}}]}",
    "{fallback: [{parallel: [{sequence: [{do: a}]}, {do: b}]}], retry: 2, while: c}",
)


@condition()
def c() -> Verdict:
    """Hold."""
    return Verdict.yes()


@pytest.mark.parametrize("root", NESTS)
@pytest.mark.parametrize("when", ["in its first step", "while a listener is told", "at its start"])
def test_an_interrupt_in_the_first_tick_leaves_nothing_running(root, when):
    @skill()
    def a(robot: object) -> Steps:
        """Be interrupted."""
        robot.log.append("a start")
        try:
            if when == "in its first step":
                raise KeyboardInterrupt
            yield Running(0.1, "going")
        finally:
            robot.log.append("a stopped")

    stage = Stage(root, [a, c, scripted_skill("b", [("forever",)])])
    kind = {"while a listener is told": Progress, "at its start": SkillStarting}.get(when)

    def emit(event):
        stage.events.append(event)
        if kind is not None and isinstance(event, kind) and event.path.endswith("a"):
            raise KeyboardInterrupt

    stage.runtime.emit = emit
    with pytest.raises(KeyboardInterrupt):
        stage.tick()
    stage.stop()
    started = [event.skill for event in stage.of(SkillStarting)]
    assert sorted(event.skill for event in stage.of(SkillEnded)) == sorted(started)
    assert {event.state for event in stage.of(SkillEnded)} == {"stopped"}
    assert {e.detail for e in stage.of(NodeChanged) if e.state == "stopped"} == {""}
    assert stage.own.stops == 0
    log = [line for line in stage.own.log if line.startswith("a ")]
    assert log == ([] if when == "at its start" else ["a start", "a stopped"])
    assert all(node.status is Status.INVALID for node in stage.built.by_path.values())


def test_an_interrupt_in_a_condition_is_the_operators():
    @condition()
    def q() -> Verdict:
        """Be interrupted."""
        raise KeyboardInterrupt

    for root in ("{check: q}", "{do: a, while: q}", "{do: a, skip_if: q}"):
        with pytest.raises(KeyboardInterrupt):
            Stage(root, [q, waiting()]).tick()


def test_an_interrupt_in_a_clean_up_is_the_operators(timers):
    @skill()
    def a() -> Steps:
        """Be interrupted while cleaning up."""
        try:
            yield Running()
        finally:
            raise KeyboardInterrupt

    stage = Stage("{do: a}", [a])
    stage.tick()
    with pytest.raises(KeyboardInterrupt):
        stage.stop()
    assert timers.made[0].cancelled


# -- what a skill and a condition are given ------------------------------------------------------


@pytest.mark.parametrize("root", ["{do: a, retry: 3}", "{check: q}", "{do: b, while: q}"])
def test_the_world_begins_when_the_node_begins_to_work(root):
    since = []

    @skill(fails={"STUCK"})
    def a(world: object) -> Steps:
        """Note the time and fail."""
        since.append(world.since)
        yield Running()
        raise skill_node.Failed("STUCK")

    @condition(patience_s=9)
    def q(world: object) -> Verdict:
        """Note the time and do not know."""
        since.append(world.since)
        return Verdict.unknown()

    stage = Stage(root, [a, q, _renamed(waiting(), "b")])
    stage.clock.step(2.0)
    stage.tick(4)
    assert since == ([2.0, 2.1] if root.startswith("{do: a") else [2.0] * 4)


def test_a_part_is_given_the_robot_and_the_sight_of_its_own_pack():
    given = []

    @condition()
    def q(robot: object, world: object) -> Verdict:
        """Note what is given."""
        given.append((robot, world.observation))
        return Verdict.yes()

    buffers = {"other": ObservationBuffer(lambda: 0.0)}
    buffers["other"].add(FakeObservation(0.0, ("cup",)))
    stage = Stage(
        "{sequence: [{check: q}, {check: r}]}", [q], strangers=[_renamed(q, "r")], buffers=buffers
    )
    stage.tick()
    assert given == [(stage.own, None), (stage.other, FakeObservation(0.0, ("cup",)))]


def test_a_part_of_a_pack_without_a_body_is_given_none():
    given = []

    @condition()
    def q(robot: object, world: object) -> Verdict:
        """Note what is given."""
        given.append((robot, world.observation))
        return Verdict.yes()

    stage = Stage("{check: q}", [q])
    stage.runtime.rigs = {}
    stage.tick()
    assert given == [(None, None)]


def test_arguments_are_resolved_inside_lists_and_two_dollars_are_text():
    stage = Stage("{do: a}", [waiting()])
    stage.runtime.results["r"] = "cup"
    args = stage.runtime.resolve({"words": ["$r", "x", "$$r", ["$r"]], "word": "$$5", "n": 3})
    assert args == {"words": ["cup", "x", "$r", ["cup"]], "word": "$5", "n": 3}
