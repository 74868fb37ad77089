"""Cost of a tick beside py_trees and BehaviorTree.CPP, on the same trees in one process.

``python tests/benchmarks/bench_tick.py [--small]``. Every engine ticks a tree that keeps running:

  - bare: py_trees with its own composites, and leaves without work;
  - decorated: the same with py_trees' ``Timeout`` and ``EternalGuard``, like our skills;
  - C++: BehaviorTree.CPP 4 through ``behaviortreepy``, with leaves written in C++ (``Sleep``);
  - bt-exec: skills with timeouts and the watchdog, every change reported;
  - loop: the same in the loop of the executive, with clock and abort.

Figures are processor time per tick, the minimum of several alternating rounds. py_trees' parallel
does not tick finished children again, but ``BehaviourTree.tick`` visits every node after each tick.
The target for a large tree with few running leaves is relative to ``BehaviourTree.tick``, because
0.002 of the bare tick is 0.5 µs, and resuming eight Python generators alone takes half of that.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Running as Endless
from py_trees.behaviours import Success
from py_trees.common import ParallelPolicy, Status
from py_trees.decorators import EternalGuard, Timeout

from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.mission.watchdog import Watchdog
from bt_exec.nodes.build import build
from bt_exec.nodes.frontier import Frontier
from bt_exec.nodes.runtime import Runtime
from bt_exec.observation import ObservationBuffer
from bt_exec.rig import Rig
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.spec.condition_expression import Is
from bt_exec.spec.model import Do, Mission, MissionSpec, NodeBase, Parallel, Sequence, TreeSpec
from bt_exec.testing import FakeClock, FakeObservation, ScriptedRobot
from bt_exec.testing.tree_run import FixedCompiler, plan_without_verification, scripted_site

try:
    import behaviortreepy
except ImportError:  # no wheel for this platform, so its column is empty
    behaviortreepy = None

SMALL = "--small" in sys.argv
ROUNDS = 2 if SMALL else 9
VISITS = 2_000 if SMALL else 60_000  # node visits per round
HOUR_S = 3600.0
ENDLESS = '<Sleep msec="9999999"/>'
WORKING = Running(0.5, "working")

Tick = Callable[[], Any]


@skill(timeout_s=HOUR_S)
def work() -> Steps:
    """Run forever."""
    while True:
        yield WORKING


@skill(timeout_s=1.0)
def quick() -> Steps:
    """Succeed at once."""
    return
    yield


@condition
def clear(world: Any, side: int = 0) -> Verdict:
    """Return whether the path is clear, as last observed."""
    return Verdict.yes() if world.observation is not None else Verdict.unknown()


@dataclass(frozen=True)
class Shape:
    """A tree in the form of each engine.

    Attributes:
        name: Name in the table.
        running: Number of running leaves.
        ours: Our nodes.
        bare: Behaviours of py_trees, with guards and timeouts on request.
        xml: Nodes of BehaviorTree.CPP.
        aim: Target of the ratio to bare py_trees.
        aim_visited: Target of the ratio to ``BehaviourTree.tick``.
    """

    name: str
    running: int
    ours: Callable[[], NodeBase]
    bare: Callable[[bool], Behaviour]
    xml: Callable[[], str]
    aim: str = ""
    aim_visited: str = ""


def parallel_of(children: list[Behaviour]) -> Behaviour:
    """Return a parallel of py_trees that does not tick finished children again."""
    return py_trees.composites.Parallel("p", ParallelPolicy.SuccessOnAll(), children)


def endless(decorated: bool, *, guarded: bool = False) -> Behaviour:
    """Return a leaf of py_trees that runs forever."""
    leaf: Behaviour = Endless("leaf")
    if decorated:
        if guarded:
            leaf = EternalGuard("guard", leaf, condition=lambda: True)
        leaf = Timeout("timeout", leaf, duration=HOUR_S)
    return leaf


def many(number: int) -> Shape:
    """Return a parallel of running leaves."""
    return Shape(
        f"{number:,} running skills",
        number,
        lambda: Parallel(parallel=(Do(do="work"),) * number),
        lambda decorated: parallel_of([endless(decorated) for _ in range(number)]),
        lambda: xml_parallel(ENDLESS * number),
        "0.20" if number == 1000 else "",
    )


def deep(steps: int) -> Shape:
    """Return a sequence at its last step."""
    return Shape(
        f"{steps} steps deep, 1 running",
        1,
        lambda: Sequence(sequence=(*[Do(do="quick")] * (steps - 1), Do(do="work"))),
        lambda decorated: py_trees.composites.Sequence(
            "s", True, [*(Success("ok") for _ in range(steps - 1)), endless(decorated)]
        ),
        lambda: "<Sequence>" + "<AlwaysSuccess/>" * (steps - 1) + ENDLESS + "</Sequence>",
        "0.25",
    )


def nested(levels: int) -> Shape:
    """Return nested sequences with one running leaf."""

    def ours() -> NodeBase:
        node: NodeBase = Do(do="work")
        for _ in range(levels - 1):
            node = Sequence(sequence=(node,))
        return node

    def bare(decorated: bool) -> Behaviour:
        node = endless(decorated)
        for _ in range(levels - 1):
            node = py_trees.composites.Sequence("s", True, [node])
        return node

    return Shape(
        f"{levels} levels deep, 1 running",
        1,
        ours,
        bare,
        lambda: "<Sequence>" * (levels - 1) + ENDLESS + "</Sequence>" * (levels - 1),
    )


def large(branches: int, leaves: int, running: int) -> Shape:
    """Return a parallel of parallels in which most leaves have finished."""

    def kinds() -> Iterator[list[bool]]:
        for branch in range(branches):
            yield [branch < running and leaf == leaves - 1 for leaf in range(leaves)]

    return Shape(
        f"{branches * leaves + branches + 1:,} nodes, {running} running",
        running,
        lambda: Parallel(
            parallel=tuple(
                Parallel(parallel=tuple(Do(do="work" if runs else "quick") for runs in branch))
                for branch in kinds()
            )
        ),
        lambda decorated: parallel_of(
            [
                parallel_of([endless(decorated) if runs else Success("ok") for runs in branch])
                for branch in kinds()
            ]
        ),
        lambda: xml_parallel(
            "".join(
                xml_parallel("".join(ENDLESS if runs else "<AlwaysSuccess/>" for runs in branch))
                for branch in kinds()
            )
        ),
        aim_visited="0.002",
    )


def guarded(number: int, *, questions: int) -> Shape:
    """Return a parallel of guarded leaves with this number of different conditions."""

    def ours() -> NodeBase:
        return Parallel(
            parallel=tuple(
                Do.model_validate({"do": "work", "while": Is(name="clear", args={"side": n})})
                for n in (k % questions for k in range(number))
            )
        )

    guard = f'<ReactiveSequence><ScriptCondition code="true"/>{ENDLESS}</ReactiveSequence>'
    return Shape(
        f"{number} guarded skills, {questions} question{'s' * (questions > 1)}",
        number,
        ours,
        lambda decorated: parallel_of([endless(decorated, guarded=True) for _ in range(number)]),
        lambda: xml_parallel(guard * number),
        "1.0",
    )


def xml_parallel(children: str) -> str:
    """Return BehaviorTree.CPP's parallel."""
    return f'<Parallel success_count="-1" failure_count="1">{children}</Parallel>'


SHAPES = (
    (many(20), deep(10), nested(10), large(3, 20, 2), guarded(10, questions=2))
    if SMALL
    else (
        many(10),
        many(1000),
        large(99, 100, 8),
        deep(60),
        nested(38),
        guarded(100, questions=1),
        guarded(100, questions=100),
    )
)


def py_tree(root: Behaviour) -> Tick:
    """Return a tick function of a py_trees tree, like its ``tick_once``."""

    def tick() -> None:
        for _ in root.tick():
            pass

    return tick


def with_visit(root: Behaviour) -> Tick:
    """Return a tick function of py_trees' ``BehaviourTree``, which visits the whole tree."""
    return py_trees.trees.BehaviourTree(root).tick


def cpp_tree(xml: str) -> Tick | None:
    """Return a tick function of BehaviorTree.CPP, or None if it is not installed."""
    if behaviortreepy is None:
        return None
    text = f'<root BTCPP_format="4"><BehaviorTree ID="t">{xml}</BehaviorTree></root>'
    factory = behaviortreepy.BehaviorTreeFactory()
    tree = factory.create_tree_from_text(text)

    def tick(_: Any = factory) -> None:  # keeps the factory alive
        tree.tick_exactly_once()

    return tick


def our_tree(root: NodeBase, watchdog: Watchdog) -> Tick:
    """Return a tick function of our nodes."""
    site = scripted_site([work, quick, clear])
    clock = FakeClock()
    buffer: ObservationBuffer[Any] = ObservationBuffer(lambda: clock.time)
    buffer.add(FakeObservation(0.0))
    runtime = Runtime(
        site.catalogue,
        {"test": Rig(ScriptedRobot())},
        {"test": buffer},
        lambda: clock.time,
        lambda _: None,
        watch=watchdog,
    )
    built = build(
        plan_without_verification(MissionSpec(mission=Mission(command=""), root=root)), runtime
    )
    frontier = Frontier(built.root, runtime)
    numbers = count(1)

    def tick() -> None:
        runtime.tick = next(numbers)
        frontier.tick()
        clock.time += 0.001

    tick()
    assert built.root.status is Status.RUNNING
    return tick


def loop_s(root: NodeBase, ticks: int) -> float:
    """Return the processor time of a tick in the loop of the executive [s]."""
    site = scripted_site([work, quick])
    stamps: list[float] = []

    class Stamped(FakeClock):
        def step(self, seconds: float) -> None:
            super().step(seconds)
            stamps.append(time.process_time())
            if len(stamps) == ticks + 3:
                executive.abort("enough")

    simulation = Stamped()
    executive = Executive(
        site,
        {"test": Rig(ScriptedRobot(), simulation=simulation)},
        {},
        Clock([simulation], 0.001, fast=True),
        FixedCompiler(TreeSpec(tree="t", root=root)),
    )
    outcome = executive.run("bench")
    assert outcome.status == "aborted", outcome.message
    return (stamps[ticks + 2] - stamps[2]) / ticks  # the first tick starts the skills


def seconds(tick: Tick, ticks: int) -> float:
    """Return the processor time of a tick [s]."""
    start = time.process_time()
    for _ in range(ticks):
        tick()
    return (time.process_time() - start) / ticks


def measure(shape: Shape, watchdog: Watchdog) -> dict[str, float]:
    """Return the processor time of a tick by engine [s]."""
    engines = {
        "bare": py_tree(shape.bare(False)),
        "decorated": py_tree(shape.bare(True)),
        "BehaviourTree": with_visit(shape.bare(False)),
        "C++": cpp_tree(shape.xml()),
        "bt-exec": our_tree(shape.ours(), watchdog),
    }
    found: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, tick in engines.items():
            if tick is None:
                continue
            once = max(seconds(tick, 1), 1e-7)
            ticks = max(3, min(VISITS // shape.running, int(0.2 / once)))
            found[name] = min(found.get(name, once), seconds(tick, ticks))
    return found


def main() -> None:
    """Print the tables."""
    py_trees.logging.level = py_trees.logging.Level.ERROR
    rows = {}
    with Watchdog(30.0, lambda: None) as watchdog:
        for shape in SHAPES:
            rows[shape] = measure(shape, watchdog)
            if "guarded" not in shape.name:  # the loop has no perception here
                ticks = max(3, VISITS // shape.running // 4)
                rows[shape]["loop"] = loop_s(shape.ours(), ticks)
    names = ("bare", "decorated", "BehaviourTree", "C++", "bt-exec", "loop")
    print("microseconds of a tick")
    print(f"{'':34}" + "".join(f"{name:>14}" for name in names) + "   of bare   aim   of C++")
    for shape, row in rows.items():
        cells = "".join(f"{row[n] * 1e6:14.2f}" if n in row else f"{'–':>14}" for n in names)
        ratio = row["bt-exec"] / row["bare"]
        peer = f"{row['bt-exec'] / row['C++']:6.2f}" if "C++" in row else "     –"
        print(f"{shape.name:34}{cells}{ratio:10.4f}{shape.aim:>6}   {peer}")
    print(f"{'of BehaviourTree.tick, which visits every node':34}   aim")
    for shape, row in rows.items():
        ratio = row["bt-exec"] / row["BehaviourTree"]
        print(f"{shape.name:34}{ratio:10.4f}{shape.aim_visited:>6}".rstrip())


if __name__ == "__main__":
    main()
