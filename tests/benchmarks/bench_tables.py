"""Random tables: outcomes of missions, checked by an independent reader of the world, and speed.

``python tests/benchmarks/bench_tables.py [TABLES] [calm troubled]``; 200 tables by default. In
troubled ones, objects slip from the hand or are moved, and bowls vanish. A mission counts as
successful if the world is as commanded, or if it reports the objects that are not in place.
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import suppress

from rich.console import Console
from rich.progress import track

from bt_exec.mission.session import Session
from bt_exec.site.site import load_site
from bt_exec_skills.tabletop.goals.compiler import subgoals_for
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.goals.move_order import path_length
from tests.skills.tabletop.disturbances import Troubles
from tests.skills.tabletop.reader import COMMANDS, Judge


def main(tables: int = 200, how: str = "calm") -> None:
    """Print the figures."""
    site = load_site("tabletop")
    ends: Counter[str] = Counter()
    speeds, calls = [], Counter()
    named = planned = 0.0
    for seed in track(range(tables), how, console=Console(stderr=True)):
        by, command = COMMANDS[seed % len(COMMANDS)]
        troubles = Troubles(seed) if how == "troubled" else None
        listeners = [troubles] if troubles is not None else []
        with Session(
            site, world={"seed": str(seed), "by": by}, fast=True, listeners=listeners
        ) as session:
            world = session.rigs["tabletop"].robot.world
            if troubles is not None:
                troubles.world = world
            judge = Judge(world, command)
            now = world.environment()
            with suppress(Trouble):
                moves = [move for goal in subgoals_for(command, now) for move in goal.moves]
                planned += path_length(moves, now)
                order = {name: number for number, name in enumerate(now.objects)}
                named += path_length(sorted(moves, key=lambda move: order[move.thing]), now)
            outcome = session.run(command)
            right = judge.as_asked()
            told = judge.told(outcome.message)
        done = outcome.status == "satisfied"
        if done and right:
            verdict = "as asked"
        elif outcome.status == "refused" and judge.impossible():
            verdict = "rightly refused"
        elif done:
            verdict = "SAID DONE, IS NOT"
        else:
            verdict = "told the truth" if told else "NOT TOLD"
        ends[verdict] += 1
        calls[outcome.planner_calls] += 1
        speeds.append(outcome.sim_seconds / max(outcome.wall_seconds, 1e-6))
        if verdict != "as asked":
            print(f"table {seed} {by} {command!r}: {verdict}: {outcome.status} {outcome.message}")
    speeds.sort()
    print(f"{how}: {dict(ends)} of {tables}; planner calls {dict(calls)}")
    shorter = 1 - planned / named if named else 0.0
    print(f"planned way: {planned:.0f} m, {shorter:.0%} shorter than in the order of the names")
    print(f"simulated seconds per wall second: median {speeds[len(speeds) // 2]:.0f} (aim: 10)")


if __name__ == "__main__":
    main(*(int(word) if word.isdigit() else word for word in sys.argv[1:]))  # type: ignore[arg-type]
