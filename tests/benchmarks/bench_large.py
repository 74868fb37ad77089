"""Plans of 10,000 nodes, a journal of 100,000 missions, and 1,000 objects to sort.

``python tests/benchmarks/bench_large.py [NODES [MISSIONS [OBJECTS]]]``. Figures are processor
seconds, the minimum of three runs, beside those for a tenth of the size.
"""

from __future__ import annotations

import datetime as dt
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bt_exec.events import Finished, MissionStarted, NodeChanged, Planned
from bt_exec.journal import Journal
from bt_exec.journal.schema import connect
from bt_exec.journal.search import Wanted
from bt_exec.mission_outcome import Outcome
from bt_exec.nodes.build import build
from bt_exec.nodes.runtime import Runtime
from bt_exec.planning.compiler import Request
from bt_exec.planning.plan_preparation import prepare
from bt_exec.site.site import load_site
from bt_exec.tui.view_drawing import draw
from bt_exec.tui.view_model import ViewModel
from tests.bt_exec.verify.test_large_plans import plan_of
from tests.skills.tabletop.test_sorting import compiled, world

SITE = load_site("door")
DAY = dt.date(2019, 1, 1)
TENTH = 10


def least_s(work: Callable[[], Any], times: int = 3) -> float:
    """Return the minimum processor time of a function [s]."""
    found = float("inf")
    for _ in range(times):
        began = time.process_time()
        work()
        found = min(found, time.process_time() - began)
    return found


def plans(nodes: int) -> dict[str, Callable[[], Any]]:
    """Return the benchmarks of a plan of this size, by name."""
    plan = plan_of(nodes)
    asked = Request("work", "en", SITE.catalogue, SITE.library, SITE.messages, settings=SITE.packs)
    verified = prepare(plan, asked)
    model = ViewModel()
    model.on(MissionStarted(0.0, 0, "m", "work", "en", "bench"))
    model.on(Planned(0.0, 0, verified.spec, 1))
    model.on(NodeChanged(0.0, 0, "group 1", "running"))

    def built() -> None:
        build(verified, Runtime(SITE.catalogue, {}, {}, lambda: 0.0, lambda event: None))

    return {
        "read": lambda: plan_of(nodes),
        "verify": lambda: prepare(plan, asked),
        "build": built,
        "a frame of the live view": lambda: draw(model, 80, 24),
    }


def journals(folder: Path, missions: int) -> dict[str, Callable[[], Any]]:
    """Return the queries of a journal of this size, by name."""
    journal = Journal.open(folder / f"{missions}.sqlite")
    with journal.begin(command="open the door", site="door") as recorder:
        name = recorder.mission_id
        outcome = Outcome(name, "open the door", "satisfied", "OK", "The door is open.")
        recorder.on(MissionStarted(0.0, 0, name, "open the door", "en", "door"))
        recorder.on(Finished(1.0, 1, outcome))
    with closing(connect(journal.path)) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(missions)")]
        own = {
            "no": "1 + value",
            "id": f"'{DAY}-' || value",
            "number": "value",
            "day": f"date('{DAY}', (value / 200) || ' days')",
        }
        connection.execute(
            f"WITH RECURSIVE s (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s WHERE"
            f" value < {missions}) INSERT INTO missions ({', '.join(names)})"
            f" SELECT {', '.join(own.get(name, name) for name in names)} FROM missions, s"
            " WHERE no = 1"
        )
        connection.execute(
            "INSERT INTO events SELECT m.no, e.seq, e.t, e.tick, e.plan, e.kind, e.path, e.call,"
            " e.data FROM events e, missions m WHERE e.mission = 1 AND m.no > 1"
        )
    journal.find(Wanted(text="door"), 1)  # the first search builds the index
    return {
        "list": lambda: journal.missions(20),
        "failed": lambda: journal.find(Wanted(failed=True), 20),
        "a day": lambda: journal.find(Wanted(site="door", day=DAY), 20),
        "search": lambda: journal.find(Wanted(text="door"), 20),
        "read one": lambda: journal.mission("last"),
    }


def main(nodes: int = 10_000, missions: int = 100_000, objects: int = 1_000) -> None:
    """Print the table."""
    table = Table("size", "work", "seconds", "at a tenth", box=None)

    def add(size: str, large: dict[str, Callable[[], Any]], small: dict[str, Any]) -> None:
        for name, work in large.items():
            table.add_row(size, name, f"{least_s(work):.4f}", f"{least_s(small[name]):.4f}")

    nodes -= nodes // 20 // 20 * 20  # groups are nodes, too, and passes add some
    add(f"{nodes} nodes", plans(nodes), plans(nodes // TENTH))
    with tempfile.TemporaryDirectory() as folder:
        few = journals(Path(folder), missions // TENTH)
        add(f"{missions} missions", journals(Path(folder), missions), few)
    sort = {n: world(n) for n in (objects, objects // TENTH)}
    large, small = (
        {"plan the sorting": lambda n=n: compiled("sort by colour", sort[n])} for n in sort
    )
    add(f"{objects} objects", large, small)
    Console(width=100).print(table)
    print("aims: read, verify and build 10,000 nodes in 1 s; plan 1,000 objects in 2 s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
