"""Interoperability with py_trees: composites, decorators, visitors and behaviours of users."""

import py_trees
import pytest
from py_trees.common import Status

from bt_exec.events import NodeChanged
from bt_exec.nodes.composites import Fallback, Parallel, Sequence, failure_of
from bt_exec.nodes.frontier import Frontier
from bt_exec.nodes.modifiers import Guard, Repeat, Retry, SkipIf, Timeout
from bt_exec.spec.condition_expression import Is
from bt_exec.testing import scripted_condition, scripted_skill
from tests.bt_exec.nodes.two_packs import Stage

SUCCESS, FAILURE, RUNNING, INVALID = (
    Status.SUCCESS,
    Status.FAILURE,
    Status.RUNNING,
    Status.INVALID,
)


def after(ticks, end, name="theirs"):
    """Return a py_trees behaviour that runs for some ticks, then ends."""
    return py_trees.behaviours.StatusQueue(name, [RUNNING] * ticks + [end], None)


def stage(root="{do: a}", *, ticks=2, conditions=()):
    parts = [scripted_skill("a", [(str(ticks), "done")]), scripted_skill("b", ["STUCK"])]
    return Stage(root, [*parts, *conditions])


def statuses(ticker, most=12):
    """Return the status after each tick until it is not RUNNING."""
    found = [ticker()]
    while found[-1] is RUNNING and len(found) < most:
        found.append(ticker())
    return found


def ticked_by_generator(root):
    def tick():
        root.tick_once()
        return root.status

    return tick


def by_frontier(root, runtime):
    return Frontier(root, runtime).tick


@pytest.mark.parametrize("by_generator", [True, False])
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: Sequence("s", [after(1, SUCCESS), after(2, SUCCESS)]), [RUNNING] * 3 + [SUCCESS]),
        (lambda: Sequence("s", [after(1, SUCCESS), after(1, FAILURE)]), [RUNNING] * 2 + [FAILURE]),
        (lambda: Fallback("f", [after(1, FAILURE), after(1, SUCCESS)]), [RUNNING] * 2 + [SUCCESS]),
        (lambda: Fallback("f", [after(0, FAILURE), after(0, FAILURE)]), [FAILURE]),
        (
            lambda: Parallel("p", 2, [after(1, SUCCESS), after(2, SUCCESS)]),
            [RUNNING] * 2 + [SUCCESS],
        ),
        (lambda: Parallel("p", 1, [after(3, FAILURE), after(1, SUCCESS)]), [RUNNING, SUCCESS]),
        (
            lambda: Sequence("s", [py_trees.decorators.Inverter("i", after(2, FAILURE))]),
            [RUNNING] * 2 + [SUCCESS],
        ),
        (
            lambda: Sequence(
                "s",
                [py_trees.composites.Sequence("t", True, [after(1, SUCCESS), after(1, SUCCESS)])],
            ),
            [RUNNING] * 2 + [SUCCESS],
        ),
    ],
)
def test_behaviours_of_py_trees_run_inside_bt_exec_composites(by_generator, make, expected):
    root, runtime = make(), stage().runtime
    assert (
        statuses(ticked_by_generator(root) if by_generator else by_frontier(root, runtime))
        == expected
    )


@pytest.mark.parametrize("by_generator", [True, False])
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda b, r: Retry(b, "x", r, 3), [RUNNING, RUNNING, SUCCESS]),
        (lambda b, r: Repeat(Retry(b, "x", r, 3), "x", r, 2), [RUNNING] * 3 + [SUCCESS]),
        (lambda b, r: Timeout(b, "x", r, 5.0), [FAILURE]),
        (
            lambda b, r: Guard(Retry(b, "x", r, 9), "x", r, Is(name="c")),
            [RUNNING, RUNNING, FAILURE],
        ),
        (lambda b, r: SkipIf(b, "x", r, Is(name="d")), [SUCCESS]),
    ],
)
def test_behaviours_of_py_trees_run_inside_bt_exec_modifiers(by_generator, make, expected):
    conditions = [scripted_condition("c", [True, True, False]), scripted_condition("d", [True])]
    runtime = stage(conditions=conditions).runtime
    theirs = py_trees.behaviours.StatusQueue("q", [FAILURE, FAILURE, SUCCESS, SUCCESS], SUCCESS)
    root = make(theirs, runtime)
    assert (
        statuses(ticked_by_generator(root) if by_generator else by_frontier(root, runtime))
        == expected
    )


def test_timeout_stops_a_behaviour_of_py_trees():
    on = stage()
    theirs = after(99, SUCCESS)
    frontier = Frontier(Timeout(theirs, "x", on.runtime, 0.1), on.runtime)
    found = []
    for _ in range(3):
        found.append((frontier.tick(), theirs.status))
        on.clock.step(0.05)
    assert found == [(RUNNING, RUNNING), (RUNNING, RUNNING), (FAILURE, INVALID)]


def test_failed_behaviour_of_py_trees_is_reported_by_name():
    theirs = after(0, FAILURE, "dock")
    root = Sequence("s", [theirs])
    root.tick_once()
    failure = failure_of(root)
    assert (failure.code, failure.path) == ("BEHAVIOUR_FAILED", "dock")
    theirs.feedback_message = "no charger"
    assert failure_of(root).message == "no charger"


@pytest.mark.parametrize(
    ("wrap", "expected"),
    [
        (lambda ours: py_trees.decorators.Inverter("i", ours), [RUNNING] * 2 + [FAILURE]),
        (lambda ours: py_trees.decorators.FailureIsRunning("f", ours), [RUNNING] * 2 + [SUCCESS]),
        (lambda ours: py_trees.decorators.Timeout("t", ours, 60.0), [RUNNING] * 2 + [SUCCESS]),
        (lambda ours: py_trees.decorators.Repeat("r", ours, 2), [RUNNING] * 5 + [SUCCESS]),
        (
            lambda ours: py_trees.decorators.EternalGuard("g", ours, condition=lambda: False),
            [FAILURE],
        ),
        (
            lambda ours: py_trees.composites.Sequence("s", True, [after(1, SUCCESS), ours]),
            [RUNNING] * 3 + [SUCCESS],
        ),
        (
            lambda ours: py_trees.composites.Selector("s", True, [after(1, FAILURE), ours]),
            [RUNNING] * 3 + [SUCCESS],
        ),
    ],
)
def test_bt_exec_nodes_run_inside_behaviours_of_py_trees(wrap, expected):
    found = statuses(ticked_by_generator(wrap(stage().built.root)))
    assert found == expected


def test_behaviour_of_py_trees_interrupts_a_bt_exec_skill():
    on = stage(ticks=9)
    gate = py_trees.behaviours.StatusQueue("gate", [FAILURE, FAILURE, RUNNING], RUNNING)
    root = py_trees.composites.Selector("s", False, [gate, on.built.root])
    for _ in range(3):
        root.tick_once()
    assert on.built.root.status is INVALID
    assert [e.state for e in on.of(NodeChanged)] == ["running", "stopped"]


def test_visitors_are_called_for_every_ticked_node():
    on = stage(
        "{sequence: [{do: a}, {fallback: [{do: b}, {check: c}]}]}",
        ticks=1,
        conditions=[scripted_condition("c", [True])],
    )
    tree = py_trees.trees.BehaviourTree(on.built.root)
    snapshot = py_trees.visitors.SnapshotVisitor()
    display = py_trees.visitors.DisplaySnapshotVisitor()
    tree.visitors += [snapshot, display, py_trees.visitors.DebugVisitor()]
    seen = []
    for _ in range(2):
        tree.tick()
        names = {node.id: node.name for node in tree.root.iterate()}
        seen.append({names[key]: status for key, status in snapshot.visited.items()})
    assert seen[0]["sequence"] is RUNNING
    assert seen[0]["a"] is RUNNING
    assert "b" not in seen[0]
    assert (seen[-1]["b"], seen[-1]["c"], seen[-1]["sequence"]) == (FAILURE, SUCCESS, SUCCESS)
    assert "fallback" in py_trees.display.ascii_tree(on.built.root, show_status=True)


def test_tick_yields_children_before_parents():
    on = stage("{sequence: [{do: a}, {do: b}]}", ticks=0)
    names = [node.name for node in on.built.root.tick()]
    assert names == ["a", "a (Timeout)", "b", "b (Timeout)", "sequence"]


def test_nodes_inside_a_behaviour_of_py_trees_are_visited_too():
    on = stage(ticks=0)
    inner = py_trees.composites.Sequence("theirs", True, [on.built.root])
    root = Sequence("ours", [inner])
    assert [node.name for node in root.tick()] == ["a", "a (Timeout)", "theirs", "ours"]
