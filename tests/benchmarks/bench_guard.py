"""Cost of the watchdog and the guardian: memory, and time in a tick of ten running skills.

``python tests/benchmarks/bench_guard.py [--small]``. The loop of the executive runs with both, and
with neither: no watchdog thread, no heartbeat, no guardian. Figures are processor time of the
process per tick with its watchdog thread, the minimum of several alternating rounds. The guardian
process is measured separately.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bt_exec.guardian import Guard, Guardian
from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.mission.heartbeat import Heartbeat
from bt_exec.rig import Rig
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.model import Do, Parallel, TreeSpec
from bt_exec.testing import FakeClock, ScriptedRobot
from bt_exec.testing.tree_run import FixedCompiler, scripted_site

SMALL = "--small" in sys.argv
ROUNDS, TICKS = (2, 500) if SMALL else (250, 800)
AIM = 1.02
WORKING = Running(0.5, "working")


@skill(timeout_s=36000.0)
def work() -> Steps:
    """Run forever."""
    while True:
        yield WORKING


class NoHeartbeat(Heartbeat):
    """Heartbeat without effect."""

    def start(self) -> None:
        """Do nothing."""
        self.due = float("inf")

    def beat(self) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


def tick_s(guardian: Guardian | None, skills: int = 10) -> float:
    """Return the processor seconds of a tick."""
    stamps: list[float] = []

    class Stamped(FakeClock):
        def step(self, seconds: float) -> None:
            super().step(seconds)
            stamps.append(time.process_time())
            if len(stamps) == TICKS + 2:
                executive.abort("enough")

    simulation = Stamped()
    executive = Executive(
        scripted_site([work]),
        {"test": Rig(ScriptedRobot(), simulation=simulation)},
        {},
        Clock([simulation], 0.001, fast=True),
        FixedCompiler(TreeSpec(tree="t", root=Parallel(parallel=(Do(do="work"),) * skills))),
        guardian=guardian,
    )
    if guardian is None:
        unwatched: Any = executive.watchdog
        unwatched._watch_calls = lambda: None
        executive._heartbeat = NoHeartbeat(None)
    executive.run("bench")
    return (stamps[TICKS + 1] - stamps[1]) / TICKS


def memory_mb(pid: int) -> float:
    """Return the private memory of a process [MB]."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    kilobytes = {name: int(rest.split()[0]) for name, rest in (x.split(":", 1) for x in lines[1:])}
    return (kilobytes["Private_Clean"] + kilobytes["Private_Dirty"]) / 1024


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        guardian = Guardian("bench", [Guard("true", within_s=2.0)], Path(folder) / "report")
        ready_ms = (time.perf_counter() - started) * 1e3
        rounds = [(tick_s(None), tick_s(guardian)) for _ in range(ROUNDS)]
        memory = memory_mb(guardian._process.pid)
        guardian.quit()
    without, watched = (min(times) for times in zip(*rounds, strict=True))
    print(f"tick of ten running skills: {without * 1e6:.2f} µs, watched {watched * 1e6:.2f} µs")
    print(f"ratio {watched / without:.3f} (aim: at most {AIM})")
    print(f"guardian: ready in {ready_ms:.0f} ms, {memory:.1f} MB in addition")


if __name__ == "__main__":
    main()
