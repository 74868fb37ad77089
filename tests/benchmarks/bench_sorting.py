"""Sorting of many objects by colour: planning time, travelled distance and mission time.

``python tests/benchmarks/bench_sorting.py [COUNT …]``; 10, 50 and 200 objects by default. The world
is computed behind HTTP, so only the executive takes time. Simulated time is the distance at 0.5 m/s
and 4.6 s for each pick and place.
"""

from __future__ import annotations

import math
import random
import sys
import time
from dataclasses import replace

from bt_exec.mission.session import Session
from bt_exec.site.site import load_site
from tests.skills.tabletop.faulty import FaultySimulator
from tests.skills.tabletop.test_sorting import COLOURS, compiled, world

_APART_M = 0.15
_SPEED_M_S, _GRIP_S = 0.5, 4.6


def main(*counts: int) -> None:
    """Print a row for each count of objects."""
    print("objects  plan  right  way  simulated  wall  CPU")
    for count in counts or (10, 50, 200):
        _sort(count)


def _sort(count: int) -> None:
    simulator = FaultySimulator()
    bowls = {name: placed.pos for name, placed in world(5).objects.items() if "bowl" in name}
    simulator.objects = {name: list(at) for name, at in bowls.items()}
    side = math.isqrt(count) + 1
    places = random.Random(count).sample(range(side * side), count)
    for number, place in enumerate(places):
        name = f"object_{COLOURS[number % 5]}_{number // 5}"
        at = [8 + place % side * _APART_M, place // side * _APART_M - 2, 0.52]
        simulator.objects[name] = at
    site = load_site("tabletop")
    settings = type(site.packs["tabletop"]).model_validate(
        {"robot": "http", "remote": {"http": simulator.address}}
    )
    rates = site.rates.model_copy(update={"tick_hz": 100.0, "look_hz": 50.0})
    site = replace(site, packs={"tabletop": settings}, rates=rates)
    began = time.process_time()
    compiled("sort by colour", world(count))
    planned = time.process_time() - began
    began, wall = time.process_time(), time.perf_counter()
    with Session(site) as session:
        outcome = session.run("sort by colour")
    wall, used = time.perf_counter() - wall, time.process_time() - began
    grips = sum(code.startswith("result = p") for code in simulator.codes)
    right = count - len(simulator.wrong())
    simulated = simulator.way / _SPEED_M_S + grips * _GRIP_S
    print(
        f"{count}  {planned:.2f} s  {right}  {simulator.way:.0f} m  {simulated:.0f} s  "
        f"{wall:.0f} s  {used:.1f} s  {outcome.status}",
        flush=True,
    )
    simulator.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
