"""Frontier: nodes advanced in a tick, and conditions evaluated once per tick."""

import pytest
from py_trees.common import Status

from bt_exec.events import Asked, NodeChanged
from bt_exec.nodes.skill_node import SkillNode
from bt_exec.observation import ObservationBuffer
from bt_exec.skill import Verdict, condition
from bt_exec.testing import FakeObservation, scripted_skill
from tests.bt_exec.nodes.two_packs import Stage, renamed, waiting


def test_tick_advances_only_running_leaves(monkeypatch):
    done = [renamed(scripted_skill("a"), f"a{n}") for n in range(3)]
    root = (
        "{parallel: [{sequence: [{do: a0}, {do: w}]}, {do: a1}, {sequence: [{do: a2}, {do: v}]}]}"
    )
    stage = Stage(root, [*done, renamed(waiting(), "w"), renamed(waiting(), "v")])
    stage.tick(2)
    stepped = []
    for kind in {type(node) for node in stage.built.root.iterate()} - {SkillNode}:
        monkeypatch.setattr(kind, "step", lambda node: stepped.append(node.name))
        monkeypatch.setattr(kind, "resume", lambda node, child: stepped.append(node.name))
    advance = SkillNode.advance
    monkeypatch.setattr(
        SkillNode, "advance", lambda node: stepped.append(node.name) or advance(node)
    )
    assert stage.tick() is Status.RUNNING
    assert stepped == ["w", "v"]


def test_tick_continues_at_the_parent_of_an_ended_leaf():
    parts = [
        scripted_skill("a", [("2", "done")]),
        scripted_skill("b", [("2", "done")]),
        scripted_skill("c", [("1", "done")]),
    ]
    stage = Stage("{parallel: [{sequence: [{do: a}, {do: c}]}, {do: b}]}", parts)
    while stage.tick() is Status.RUNNING:
        pass
    told = [(e.tick, e.path, e.state) for e in stage.of(NodeChanged)]
    ended = {path: tick for tick, path, state in told if state == "done"}
    begun = {path: tick for tick, path, state in told if state == "running"}
    assert begun["c"] == ended["a"] == ended["b"]
    assert told.index((ended["a"], "a", "done")) < told.index((begun["c"], "c", "running"))
    assert told.index((begun["c"], "c", "running")) < told.index((ended["b"], "b", "done"))


def test_timeout_fires_on_time_although_only_running_leaves_are_ticked():
    stage = Stage("{sequence: [{do: a, timeout: 200ms}]}", [waiting()])
    ticks = 1
    while stage.tick() is Status.RUNNING:
        ticks += 1
    assert ticks == 5
    assert stage.of(NodeChanged)[-1].failure.code == "TIMEOUT"


def test_stopped_tree_is_ticked_from_the_root():
    stage = Stage("{do: a}", [waiting()])
    stage.tick(3)
    stage.stop()
    assert stage.tick() is Status.RUNNING
    assert [e.state for e in stage.of(NodeChanged)] == ["running", "stopped", "running"]


def guards(count, question="q"):
    nodes = ", ".join(f"{{do: a{n}, while: {question}}}" for n in range(count))
    return f"{{parallel: [{nodes}]}}", [renamed(waiting(), f"a{n}") for n in range(count)]


def buffers():
    found = {"own": ObservationBuffer(lambda: 0.0)}
    found["own"].add(FakeObservation(0.0))
    return found


def test_guards_share_an_answer_within_a_tick():
    asked = []

    @condition()
    def q(world: object) -> Verdict:
        """Count the calls."""
        asked.append(world.observation)
        return Verdict.yes(f"answer {len(asked)}")

    root, skills = guards(4)
    stage = Stage(root, [q, *skills], buffers=buffers())
    stage.tick(3)
    assert len(asked) == 3
    told = [(e.tick, e.path, e.verdict.why) for e in stage.of(Asked)]
    assert told == [(t, f"a{n}", f"answer {t}") for t in (1, 2, 3) for n in range(4)]


def test_answers_with_other_arguments_are_not_shared():
    asked = []

    @condition()
    def q(world: object, side: int = 0) -> Verdict:
        """Count the calls."""
        asked.append(side)
        return Verdict.yes()

    nodes = ", ".join(f"{{do: a{n}, while: {{q: {{side: {n // 2}}}}}}}" for n in range(4))
    skills = [renamed(waiting(), f"a{n}") for n in range(4)]
    Stage(f"{{parallel: [{nodes}]}}", [q, *skills], buffers=buffers()).tick(2)
    assert asked == [0, 1, 0, 1]


def test_answers_with_different_start_times_are_not_shared():
    fresh = []

    @condition()
    def q(world: object) -> Verdict:
        """Record the number of fresh observations."""
        fresh.append(len(world.fresh))
        return Verdict.yes()

    root = "{sequence: [{do: b}, {do: a, while: q}], while: q}"
    stage = Stage(root, [q, waiting(), scripted_skill("b", [("1", "done")])], buffers=buffers())
    while not any(e.path == "a" for e in stage.of(NodeChanged)):
        stage.tick()
    assert fresh[-2:] == [1, 0]


@pytest.mark.parametrize("kind", ["robot", "nothing"])
def test_answers_that_may_change_within_a_tick_are_not_shared(kind):
    asked = []
    if kind == "robot":

        @condition()
        def q(robot: object, world: object) -> Verdict:
            """Count the calls."""
            asked.append(1)
            return Verdict.yes()
    else:

        @condition()
        def q() -> Verdict:
            """Count the calls."""
            asked.append(1)
            return Verdict.yes()

    root, skills = guards(3)
    Stage(root, [q, *skills], buffers=buffers()).tick(2)
    assert len(asked) == 6


def test_answers_are_not_shared_when_py_trees_ticks():
    asked = []

    @condition()
    def q(world: object) -> Verdict:
        """Count the calls."""
        asked.append(1)
        return Verdict.yes()

    root, skills = guards(2)
    stage = Stage(root, [q, *skills], buffers=buffers())
    stage.built.root.tick_once()
    stage.built.root.tick_once()
    assert len(asked) == 4


def test_guard_uses_the_current_value_of_a_saved_result():
    asked = []

    @condition()
    def q(world: object, value: int) -> Verdict:
        """Record the value."""
        asked.append(value)
        return Verdict.yes()

    stage = Stage(
        "{do: w, while: {q: {value: $n}}}", [q, renamed(waiting(), "w")], buffers=buffers()
    )
    for value in (1, 2, 2):
        stage.runtime.results["n"] = value
        stage.tick()
    assert asked == [1, 2, 2]


def test_arguments_are_validated_once_per_entry(monkeypatch):
    @condition()
    def q(world: object, side: int = 0) -> Verdict:
        """Return True."""
        return Verdict.yes()

    root, skills = guards(1, "{q: {side: 3}}")
    root = root.replace("parallel", "sequence")
    validated = []
    validate = type(q).validate
    monkeypatch.setattr(
        type(q), "validate", lambda part, args: validated.append(part.name) or validate(part, args)
    )
    Stage(root, [q, *skills], buffers=buffers()).tick(5)
    assert validated == ["q"]
