"""Stopped skills: by the tree, by a failing clean-up and by an interrupt."""

import pytest
from py_trees.common import Status

from bt_exec.events import NodeChanged, Progress, SkillEnded, SkillStarting
from bt_exec.nodes import skill_node
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.testing import scripted_skill
from tests.bt_exec.nodes.two_packs import Stage, Timers, renamed, waiting


@pytest.fixture
def timers(monkeypatch):
    found = Timers()
    monkeypatch.setattr(skill_node, "STANDBY", found)
    return found


# -- stopped robots --------------------------------------------------------------------------


def test_clean_cancel_stops_no_robot_and_leaves_no_timer(timers):
    stage = Stage("{do: a}", [waiting()], cancel_s=0.7)
    stage.tick()
    assert timers.made == []
    stage.stop()
    (timer,) = timers.made
    assert (timer.interval, timer.cancelled) == (0.7, True)
    assert (stage.own.stops, stage.other.stops) == (0, 0)
    (state,) = [event for event in stage.of(NodeChanged) if event.state == "stopped"]
    assert state.detail == ""


def test_default_time_limit_of_a_clean_up_is_a_second(timers):
    stage = Stage("{do: a}", [waiting()])
    stage.tick()
    stage.stop()
    assert timers.made[0].interval == 1.0


def test_skill_that_ends_by_itself_starts_no_timer(timers):
    stage = Stage("{do: a, retry: 2}", [scripted_skill("a", ["STUCK", "done"])])
    assert stage.tick(2) is Status.SUCCESS
    stage.stop()
    assert timers.made == []
    assert [event.state for event in stage.of(SkillEnded)] == ["failed", "done"]


def test_slow_clean_up_stops_only_the_robot_of_its_pack(timers):
    @skill()
    def a() -> Steps:
        """Clean up slowly."""
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


def test_clean_up_that_raises_stops_only_the_robot_of_its_pack(timers):
    @skill()
    def a() -> Steps:
        """Raise in the clean-up."""
        try:
            while True:
                yield Running()
        finally:
            raise ValueError("torn")

    stage = Stage("{do: b}", [waiting()], strangers=[renamed(a, "b")])
    stage.tick()
    stage.stop()
    assert (stage.own.stops, stage.other.stops) == (0, 1)
    assert timers.made[0].cancelled
    assert stage.of(NodeChanged)[-1].detail == (
        "clean-up raised ValueError: torn; the robot was stopped"
    )


def test_robot_of_a_skill_that_does_not_end_is_stopped(timers):
    @skill()
    def a() -> Steps:
        """Continue in spite of every interruption."""
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


def test_second_stop_does_not_clean_up_again(timers):
    stage = Stage("{do: a}", [waiting()])
    stage.tick()
    stage.stop()
    stage.stop()
    assert len(timers.made) == 1
    assert stage.own.log == ["a start", "a stopped"]
    assert len(stage.of(SkillEnded)) == 1


# -- state after an interrupt ------------------------------------------------------------------


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
    """Return True."""
    return Verdict.yes()


@pytest.mark.parametrize("root", NESTS)
@pytest.mark.parametrize("when", ["in its first step", "while a listener is told", "at its start"])
def test_interrupt_in_the_first_tick_leaves_nothing_running(root, when):
    @skill()
    def a(robot: object) -> Steps:
        """Raise KeyboardInterrupt."""
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


def test_interrupt_in_a_condition_is_raised():
    @condition()
    def q() -> Verdict:
        """Raise KeyboardInterrupt."""
        raise KeyboardInterrupt

    for root in ("{check: q}", "{do: a, while: q}", "{do: a, skip_if: q}"):
        with pytest.raises(KeyboardInterrupt):
            Stage(root, [q, waiting()]).tick()


def test_interrupt_in_a_clean_up_is_raised(timers):
    @skill()
    def a() -> Steps:
        """Raise KeyboardInterrupt in the clean-up."""
        try:
            yield Running()
        finally:
            raise KeyboardInterrupt

    stage = Stage("{do: a}", [a])
    stage.tick()
    with pytest.raises(KeyboardInterrupt):
        stage.stop()
    assert timers.made[0].cancelled
