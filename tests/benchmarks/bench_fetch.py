"""The fetch mission in randomised worlds: outcomes, reasons, and speed of the simulation.

``python tests/benchmarks/bench_fetch.py [WORLDS] [SITE]``; 100 worlds by default, with the door
closed, ajar and open in turn and material behind it, then as many worlds without material.
"""

from __future__ import annotations

import sys
from collections import Counter

from rich.console import Console
from rich.progress import track
from rich.table import Table

from bt_exec.mission.session import Session
from bt_exec.mission_outcome import Outcome
from bt_exec.site.site import load_site

COMMAND = "Get the material inside the door."
DOORS = ("closed", "ajar", "open")


def run(site: str, worlds: int, material: str) -> list[tuple[str, Outcome, bool]]:
    """Run the mission in each world; return the door state, the outcome and the held object."""
    loaded = load_site(site)
    found = []
    for seed in track(range(worlds), f"material {material}", console=Console(stderr=True)):
        door = DOORS[seed % len(DOORS)]
        world = {"door": door, "material": material, "seed": str(seed)}
        with Session(loaded, world=world, fast=True) as session:
            outcome = session.run(COMMAND)
            held = "material" in (session.facts()["hand.left"], session.facts()["hand.right"])
        found.append((door, outcome, held))
    return found


def main(worlds: int = 100, site: str = "door") -> None:
    """Print the tables."""
    table = Table("material", "door", "worlds", "satisfied", "blocked or failed", "why")
    speeds = []
    for material in ("present", "absent"):
        found = run(site, worlds, material)
        for door in DOORS:
            outcomes = [outcome for how, outcome, _ in found if how == door]
            speeds += [o.sim_seconds / o.wall_seconds for o in outcomes]
            satisfied = sum(o.status == "satisfied" for o in outcomes)
            rest = [o for o in outcomes if o.status != "satisfied"]
            why = Counter(
                o.failures[-1]["code"] if o.reason_code == "SKILL_FAILED" else o.reason_code
                for o in rest
            )
            reasons = ", ".join(f"{code} {count}" for code, count in why.most_common())
            row = (len(outcomes), satisfied, len(rest), reasons)
            table.add_row(material, door, *map(str, row))
        total = sum(outcome.status == "satisfied" for _, outcome, _ in found)
        grasped = sum(held for *_, held in found)
        extra = sum(o.planner_calls != 1 + o.replans for _, o, _ in found)
        print(
            f"material {material}: satisfied {total}/{len(found)}, held at the end {grasped}, "
            f"planner calls other than 1 + re-plans: {extra}"
        )
    Console().print(table)
    speeds.sort()
    print(f"simulated seconds per wall second: median {speeds[len(speeds) // 2]:.0f} (aim: 20)")


if __name__ == "__main__":
    main(*(int(word) if word.isdigit() else word for word in sys.argv[1:]))  # type: ignore[arg-type]
