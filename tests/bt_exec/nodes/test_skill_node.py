"""Running skills: recorded events, reported failures and passed arguments."""

import dataclasses
import logging
from dataclasses import dataclass
from typing import NamedTuple

import pytest
from py_trees.common import Status

from bt_exec.events import NodeChanged, Progress, SkillEnded, SkillStarting
from bt_exec.nodes import skill_node
from bt_exec.observation import ObservationBuffer
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.testing import FakeObservation, scripted_skill
from tests.bt_exec.nodes.two_packs import Stage, renamed, waiting

# -- recorded events -------------------------------------------------------------------------


def test_skill_that_cannot_be_recorded_is_not_started():
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


def test_repeated_skill_start_that_cannot_be_recorded_fails():
    troubles = iter(["", "the disk is full"])
    stage = Stage("{do: a, repeat: 2}", [scripted_skill("a")], unrecorded=lambda: next(troubles))
    assert stage.tick(2) is Status.FAILURE
    assert stage.own.log == ["a start", "a done"]
    assert [event.state for event in stage.of(SkillEnded)] == ["done", "failed"]


def test_duration_of_each_attempt_is_reported():
    stage = Stage("{do: a, retry: 2}", [scripted_skill("a", [("2", "STUCK"), ("4", "done")])])
    stage.clock.step(7.0)
    assert stage.tick(8) is Status.SUCCESS
    assert [round(event.seconds, 3) for event in stage.of(SkillEnded)] == [0.1, 0.2]
    assert [event.call for event in stage.of(SkillEnded)] == [1, 2]


def test_duration_in_a_timeout_is_rounded_to_milliseconds():
    stage = Stage("{do: a, timeout: 100ms}", [waiting()])
    stage.tick()
    stage.clock.step(0.0123456)
    stage.tick(2)
    assert stage.of(NodeChanged)[-1].failure.evidence == {"seconds": 0.112, "limit": 0.1}


def test_skill_end_is_recorded_only_after_a_skill_start():
    stage = Stage("{do: a, with: {n: $r}}", [scripted_skill("a")])
    assert stage.tick() is Status.FAILURE
    assert [type(event) for event in stage.events] == [NodeChanged]
    assert stage.events[0].failure.code == "BAD_ARGUMENT"
    assert not stage.events[0].failure.retryable
    assert stage.events[0].failure.args == {"n": "$r"}


def test_saved_result_of_a_wrong_type_is_reported_with_its_value():
    @skill()
    def b(n: int) -> Steps:
        """Take a number."""
        yield Running()

    stage = Stage("{do: b, with: {n: $r}}", [b])
    stage.runtime.results["r"] = "many"
    assert stage.tick() is Status.FAILURE
    failure = stage.events[0].failure
    assert (failure.code, failure.args) == ("BAD_ARGUMENT", {"n": "many"})
    assert failure.message == (
        "n: input should be a valid integer, unable to parse string as an integer, found 'many'"
    )


def test_function_without_steps_is_a_skill_error():
    plain = dataclasses.replace(scripted_skill("a"), function=lambda robot=None, **_: "done")
    stage = Stage("{do: a}", [plain])
    assert stage.tick() is Status.FAILURE
    failure = stage.of(SkillEnded)[0].failure
    assert (failure.code, failure.retryable) == ("SKILL_CRASHED", False)
    assert failure.message == "TypeError: returns str instead of a generator; it must yield"


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
def test_fields_of_a_result_are_recorded(returned, fields):
    @skill()
    def a() -> Steps:
        """Return a value."""
        yield Running()
        return returned

    stage = Stage("{do: a}", [a])
    assert stage.tick(2) is Status.SUCCESS
    assert stage.of(SkillEnded)[0].result == fields


def test_progress_is_reported_when_it_changes_and_anew_in_each_attempt():
    @skill(fails={"STUCK"})
    def a() -> Steps:
        """Yield the same progress twice."""
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


def test_slow_step_is_logged_only_above_the_limit(caplog):
    for took, told in ((2.0, 0), (2.1, 1)):
        clock = iter([0.0, took])
        stage = Stage("{do: a}", [scripted_skill("a")])
        stage.runtime.watch.present.clock = lambda clock=clock: next(clock)
        caplog.clear()
        with caplog.at_level(logging.WARNING, "bt_exec"):
            stage.tick()
        assert len(caplog.records) == told


# -- arguments of skills and conditions ----------------------------------------------------------


@pytest.mark.parametrize("root", ["{do: a, retry: 3}", "{check: q}", "{do: b, while: q}"])
def test_observation_window_of_a_skill_starts_at_each_attempt(root):
    since = []

    @skill(fails={"STUCK"})
    def a(world: object) -> Steps:
        """Record the time and fail."""
        since.append(world.since)
        yield Running()
        raise skill_node.Failed("STUCK")

    @condition(patience_s=9)
    def q(world: object) -> Verdict:
        """Record the time and return an unknown verdict."""
        since.append(world.since)
        return Verdict.unknown()

    stage = Stage(root, [a, q, renamed(waiting(), "b")])
    stage.clock.step(2.0)
    stage.tick(4)
    assert since == ([2.0, 2.1] if root.startswith("{do: a") else [2.0] * 4)


def test_skill_or_condition_gets_the_robot_and_observation_of_its_pack():
    given = []

    @condition()
    def q(robot: object, world: object) -> Verdict:
        """Record the arguments."""
        given.append((robot, world.observation))
        return Verdict.yes()

    buffers = {"other": ObservationBuffer(lambda: 0.0)}
    buffers["other"].add(FakeObservation(0.0, ("cup",)))
    stage = Stage(
        "{sequence: [{check: q}, {check: r}]}", [q], strangers=[renamed(q, "r")], buffers=buffers
    )
    stage.tick()
    assert given == [(stage.own, None), (stage.other, FakeObservation(0.0, ("cup",)))]


def test_condition_of_a_pack_without_a_robot_gets_none():
    given = []

    @condition()
    def q(robot: object, world: object) -> Verdict:
        """Record the arguments."""
        given.append((robot, world.observation))
        return Verdict.yes()

    stage = Stage("{check: q}", [q])
    stage.runtime.rigs = {}
    stage.tick()
    assert given == [(None, None)]


def test_references_are_resolved_inside_lists_and_two_dollars_are_literal():
    stage = Stage("{do: a}", [waiting()])
    stage.runtime.results["r"] = "cup"
    args = stage.runtime.resolve_references(
        {"words": ["$r", "x", "$$r", ["$r"]], "word": "$$5", "n": 3}
    )
    assert args == {"words": ["cup", "x", "$r", ["cup"]], "word": "$5", "n": 3}
