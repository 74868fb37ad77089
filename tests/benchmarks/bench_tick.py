"""What a tick costs: the executive's over bare py_trees', on 10, 100 and 1,000 running nodes.

Both trees have the same shape: one parallel over N leaves that keep running. Ours are skills with
their timeouts and everything the loop does around a tick; theirs are py_trees' own dummies.
"""

from __future__ import annotations

import time

import py_trees
from py_trees.behaviours import Running as Dummy
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel

from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.mission.progress import MissionProgress
from bt_exec.nodes.build import build
from bt_exec.rig import Rig
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.testing import FakeClock, ScriptedRobot
from bt_exec.testing.missions import FixedCompiler, scripted_site, unverified


@skill(timeout_s=3600)
def work() -> Steps:
    """Go on for ever."""
    step = Running(0.5, "working")
    while True:
        yield step


def bare(count: int, ticks: int) -> float:
    """Return the seconds per tick of py_trees alone."""
    leaves = [Dummy(name=str(n)) for n in range(count)]
    root = Parallel("root", ParallelPolicy.SuccessOnAll(synchronise=False), leaves)
    for _ in root.tick():
        pass
    start = time.perf_counter()
    for _ in range(ticks):
        for _ in root.tick():
            pass
    return (time.perf_counter() - start) / ticks


def ours(count: int, ticks: int) -> float:
    """Return the seconds per tick of the executive's loop, time passing included."""
    text = "tree: t\nroot: {parallel: [" + ", ".join(["{do: work}"] * count) + "]}"
    site = scripted_site([work], [text])
    simulation = FakeClock()
    rigs = {"test": Rig(ScriptedRobot(), simulation=simulation)}
    tree = load_text(text).document
    clock = Clock([simulation], 0.05, fast=True)
    executive = Executive(site, rigs, {}, clock, FixedCompiler(tree))
    executive._account = MissionProgress("", "en", {}, {}, {}, executive.emit)
    built = build(
        unverified(MissionSpec(mission=Mission(command=""), root=tree.root)), executive.runtime
    )
    times: list[float] = []

    def stop_at_the_end() -> None:
        times.append(time.perf_counter())
        if len(times) > ticks + 1:
            raise KeyboardInterrupt

    executive._heed = stop_at_the_end  # type: ignore[method-assign]
    executive._account._plan(MissionSpec(mission=Mission(command=""), root=tree.root))
    try:
        executive._tick_to_the_end(built)
    except KeyboardInterrupt:
        assert built.root.status in (Status.RUNNING, Status.INVALID)
    return (times[-1] - times[1]) / ticks  # the first tick starts the skills


def main() -> None:
    """Print the table."""
    py_trees.logging.level = py_trees.logging.Level.ERROR
    print("nodes   bare py_trees   bt-exec   ratio (aim: at most 1.3)")
    for count in (10, 100, 1_000):
        ticks = 20_000 // count
        pairs = [(bare(count, ticks), ours(count, ticks)) for _ in range(5)]
        theirs, mine = min(p[0] for p in pairs), min(p[1] for p in pairs)
        print(f"{count:5}   {theirs * 1e6:10.1f} µs {mine * 1e6:7.1f} µs   {mine / theirs:5.2f}")


if __name__ == "__main__":
    main()
