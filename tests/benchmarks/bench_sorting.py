"""Sorting of many objects by colour: planning time, travelled distance and mission time.

``python tests/benchmarks/bench_sorting.py [COUNT …]``; 10, 50, 200 and 1,000 objects by default, on
twenty tables. The world is computed behind HTTP, so only the executive takes time. Simulated time
is the distance at 0.5 m/s and 4.6 s for each pick and place. ``shorter`` compares the planned
path with the same moves group by group.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import replace

from bt_exec.mission.session import Session
from bt_exec.site.site import load_site
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.goals.move_order import path_length
from bt_exec_skills.tabletop.goals.plan import goals_of
from tests.skills.tabletop.faulty import FaultySimulator
from tests.skills.tabletop.test_sorting import COLOURS, compiled

_APART_M, _TABLES_M = 0.11, 3.0
_COLUMNS, _ROWS = 10, 5
_SPEED_M_S, _GRIP_S = 0.5, 4.6


def main(*counts: int) -> None:
    """Print a row for each count of objects."""
    print("objects  plan    way      shorter  right  simulated  wall   CPU    end")
    for count in counts or (10, 50, 200, 1000):
        _sort(count)


def _laid_out(count: int) -> dict[str, list[float]]:
    """Return the positions of a bowl of each colour and of objects on twenty tables."""
    rng = random.Random(count)
    tables = [(3 + _TABLES_M * (n % 5), _TABLES_M * (n // 5)) for n in range(20)]
    corners = [tables[n] for n in (0, 4, 7, 15, 19)]
    found = {
        f"object_{colour}_bowl_0": [x, y - 0.35, 0.5]
        for colour, (x, y) in zip(COLOURS, corners, strict=True)
    }
    places = rng.sample(range(len(tables) * _COLUMNS * _ROWS), count)
    for number, place in enumerate(places):
        x, y = tables[place % len(tables)]
        row, column = divmod(place // len(tables), _COLUMNS)
        at = [x + (column - 4.5) * _APART_M, y + row * _APART_M, 0.52]
        found[f"object_{COLOURS[number % 5]}_{number // 5}"] = at
    return found


def _sort(count: int) -> None:
    simulator = FaultySimulator()
    simulator.objects = _laid_out(count)
    placed = {name: Placed(n, Point(*at)) for n, (name, at) in enumerate(simulator.objects.items())}
    now = Environment(0.0, placed, Pose(0.0, 0.0, 0.0))
    site = load_site("tabletop")
    settings = type(site.packs["tabletop"]).model_validate(
        {"robot": "http", "remote": {"http": simulator.address}}
    )
    rates = site.rates.model_copy(update={"tick_hz": 100.0, "look_hz": 50.0})
    limits = site.limits.model_copy(update={"hang_s": 30.0})  # as for other simulated worlds
    site = replace(site, packs={"tabletop": settings}, rates=rates, limits=limits)
    began = time.process_time()
    plan = compiled("sort by colour", now).plan
    planned = time.process_time() - began
    assert plan is not None
    moves = [move for goal in goals_of(plan.root) for move in goal.moves]
    by_group = sorted(moves, key=lambda move: move.target)
    shorter = 1 - path_length(moves, now) / path_length(by_group, now)
    began, wall = time.process_time(), time.perf_counter()
    with Session(site) as session:
        outcome = session.run("sort by colour")
    wall, used = time.perf_counter() - wall, time.process_time() - began
    grips = sum(code.startswith("result = p") for code in simulator.codes)
    right = count - len(simulator.wrong())
    simulated = simulator.way / _SPEED_M_S + grips * _GRIP_S
    print(
        f"{count:<8} {planned:.2f} s  {simulator.way:<6.0f} m {shorter:>6.0%}  {right:<6} "
        f"{simulated:<8.0f} s  {wall:.0f} s  {used:.1f} s  {outcome.status} {outcome.reason_code}",
        flush=True,
    )
    simulator.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
