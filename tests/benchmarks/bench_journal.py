"""Cost of the journal for the loop: ``python tests/benchmarks/bench_journal.py``.

Ticks of eight events are passed to a recorder, and appended to a list for comparison. Paced ticks
leave time for the writer, as in a mission; unpaced ones compete with it for the interpreter. All
figures are printed; nothing is asserted.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bt_exec.events import Asked, Event, NodeChanged, SkillEnded, SkillStarting, Turn
from bt_exec.journal import Journal, Recorder
from bt_exec.skill import Verdict

ROWS = 8
ROUNDS = 5


def tick_of(number: int) -> list[Event]:
    """Return the events of a busy tick."""
    t, path = number * 0.05, f"get_material/take/grasp#{number % 7}"
    found: list[Event] = []
    for _ in range(ROWS // 4):
        found += [
            NodeChanged(t, number, path, "running"),
            Asked(t, number, path, "while", "door_is", Verdict.yes("door open 0.9", ["a"], 0.04)),
            SkillEnded(t, number, path, "grasp", number, "done", 1.8, {"moved_mm": 2.5}),
            Turn(t, number, {"next_action": {"name": "grasp", "args": {"arm": "right"}}}),
        ]
    return found


def cost(ticks: list[list[Event]], on: Callable[[Event], object], rest_s: float) -> float:
    """Return the median time that the events of a tick cost the loop [s]."""
    taken = []
    for events in ticks:
        start = time.perf_counter()
        for event in events:
            on(event)
        taken.append(time.perf_counter() - start)
        if rest_s:
            time.sleep(rest_s)
    return statistics.median(taken)


def starts(recorder: Recorder, count: int) -> list[float]:
    """Return the waiting times of the loop for the record before a skill starts, sorted [s]."""
    taken = []
    for number in range(count):
        for event in tick_of(number):
            recorder.on(event)
        start = time.perf_counter()
        recorder.on(SkillStarting(0.0, number, "a/b", "grasp", {"arm": "right"}, number))
        taken.append(time.perf_counter() - start)
    return sorted(taken)


def main() -> None:
    """Measure and print."""
    ticks = [tick_of(number) for number in range(500)]
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal.open(Path(folder) / "journal.sqlite")
        for name, rest_s in (("paced", 0.001), ("flood", 0.0)):
            ratios, costs = [], []
            for _ in range(ROUNDS):
                rows: list[Event] = []
                base = cost(ticks, rows.append, rest_s)
                with journal.begin(command="bench") as recorder:
                    costs.append(cost(ticks, recorder.on, rest_s))
                ratios.append(costs[-1] / base)
            spread = f"{min(ratios):.1f} to {max(ratios):.1f}"
            print(
                f"{name}: a tick of {ROWS} events takes {statistics.median(costs) * 1e6:.2f} us, "
                f"x{statistics.median(ratios):.1f} ({spread}) of appending them to a list"
            )
        speeds = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            with journal.begin(command="bench") as recorder:
                cost(ticks * 5, recorder.on, 0.0)
            speeds.append(len(ticks) * 5 * ROWS / (time.perf_counter() - start))
        print(f"writer: {statistics.median(speeds):,.0f} rows a second, start to closed")
        with journal.begin(command="bench") as recorder:
            waits = starts(recorder, 500)
        print(
            f"before a skill starts: {waits[250] * 1e3:.2f} ms (p50), {waits[495] * 1e3:.2f} ms "
            f"(p99), {waits[-1] * 1e3:.2f} ms (longest) with {ROWS} rows before it"
        )
        start = time.perf_counter()
        mission = journal.mission("last")
        seconds = time.perf_counter() - start
        print(f"reading: {len(mission.events) / seconds:,.0f} events a second")


if __name__ == "__main__":
    main()
