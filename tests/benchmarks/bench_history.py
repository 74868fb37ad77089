"""Timings of a long history: ``python tests/benchmarks/bench_history.py [MISSIONS]``.

10,000 missions by default. One simulated mission is recorded, and its rows are copied with other
names and commands. The list, the search and the explanation are then timed. All figures are
printed; nothing is asserted.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bt_exec import Journal, Session, load_site
from bt_exec.journal.search import Wanted
from bt_exec.tui.recorded_mission_messages import mission_explanation
from bt_exec.tui.terminal_text import UNICODE

COMMANDS = ("open the door", "문 안의 자재를 가져와", "close the door", "bring your arms home")


def fill(path: Path, missions: int) -> None:
    """Copy the only mission of a journal until it contains `missions` of them."""
    with closing(sqlite3.connect(path)) as connection, connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(missions)")]
        (first,) = connection.execute("SELECT * FROM missions").fetchall()
        events = connection.execute("SELECT * FROM events").fetchall()
        marks = ", ".join("?" * len(names))
        for number in range(2, missions + 1):
            day = f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}"
            row = dict(zip(names, first, strict=True)) | {
                "no": number,
                "id": f"{day}-{number:04d}",
                "day": day,
                "number": number,
                "command": COMMANDS[number % len(COMMANDS)],
            }
            connection.execute(f"INSERT INTO missions VALUES ({marks})", [*row.values()])
            connection.executemany(
                f"INSERT INTO events VALUES ({', '.join('?' * len(events[0]))})",
                [(number, *event[1:]) for event in events],
            )


def timed(what: str, run: Callable[[], object]) -> None:
    """Print the duration of a call [ms], the first one and later ones."""
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        taken.append((time.perf_counter() - start) * 1000)
    print(f"{what:32} {taken[0]:8.0f} ms first {min(taken):8.0f} ms best")


def main(missions: int) -> None:
    """Fill a journal and time its queries."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "door.yaml"
        file.write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
        path = Path(folder) / "journal.sqlite"
        site = load_site(str(file))
        with Session(
            site,
            world={"seed": "2"},
            fast=True,
            journal=Journal.open(path),
            faults=["grasp=TIMEOUT"],
        ) as session:
            session.run("get the material")
        fill(path, missions)
        journal = Journal.open(path)
        print(f"{missions} missions, {path.stat().st_size / 1e6:.0f} MB")
        timed("newest 20", lambda: journal.missions(20))
        timed("all", lambda: journal.missions(None))
        timed("failed", lambda: journal.find(Wanted(failed=True), 20))
        timed("commands that contain a text", lambda: journal.find(Wanted(command="arms"), 20))
        timed("search", lambda: journal.find(Wanted(text="door stuck"), 20))
        timed("why", lambda: mission_explanation(journal.mission("last")).lines(80, UNICODE))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
