"""Open, close and fetch missions from every door angle: outcomes and truth of the reports.

``python tests/benchmarks/bench_door_angles.py [STEP] [SEEDS] [DETECTOR] [FROM] [TO]``; by default
steps of 0.025 rad from 0 to 1.35, three seeds, ``learned`` perception (``oracle`` is faster). A
mission counts as successful if it reports success and the simulated door and hands agree. The final
message is compared with the simulator by the checker of the tests.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from bt_exec.mission.session import Session
from bt_exec.site.site import Site, load_site

sys.path.insert(0, str(Path(__file__).parents[1] / "missions"))
from final_message_check import Truth, as_asked, untrue

COMMANDS = {"open": "문을 열어 줘", "close": "Close the door.", "fetch": "문 안의 자재를 가져와"}


def run(site: Site, command: str, angle: float, seed: int) -> tuple[bool, list[str], str]:
    """Return whether a mission succeeded, its untrue statements, and its final message."""
    with Session(site, world={"door": f"{angle:.3f}", "seed": str(seed)}, fast=True) as session:
        outcome = session.run(COMMANDS[command])
        truth = Truth.of(session.rigs["door"].robot)
    good = as_asked(command, outcome.status, truth)
    return good, untrue(outcome.message, truth), f"{outcome.status}: {outcome.message}"


def main(
    step: float = 0.025, seeds: int = 3, eyes: str = "learned", low: float = 0.0, high: float = 1.35
) -> None:
    """Print the table, and every mission that did not succeed."""
    site = load_site("door")
    seeing = site.packs["door"].model_copy(update={"detector": eyes})
    site = replace(site, packs={"door": seeing})
    angles = [low + step * k for k in range(round((high - low) / step) + 1)]
    table = Table("angle [rad]", *COMMANDS, "untrue")
    good = dict.fromkeys(COMMANDS, 0)
    lies, bad = 0, []
    worst = 1.0
    for angle in track(angles, "angles", console=Console(stderr=True)):
        row, told = [], 0
        for command in COMMANDS:
            ended = 0
            for seed in range(seeds):
                well, false, words = run(site, command, angle, seed)
                ended += well
                told += bool(false)
                if false or not well:
                    bad.append(f"{angle:.3f} {command} seed {seed}: {words} {false or ''}")
            good[command] += ended
            row.append(f"{ended}/{seeds}")
        lies += told
        worst = min(worst, sum(int(cell.partition("/")[0]) for cell in row) / (3 * seeds))
        table.add_row(f"{angle:.3f}", *row, str(told))
    Console().print(table)
    print("\n".join(bad))
    count = len(angles) * seeds
    shares = ", ".join(f"{name} {good[name]}/{count}" for name in COMMANDS)
    total = sum(good.values()) / (3 * count)
    print(f"{eyes} eyes: {shares}; as asked {total:.1%} (aim: 97 %), untrue {lies} (aim: 0)")
    print(f"the worst angle: {worst:.0%} as asked")


if __name__ == "__main__":
    given = sys.argv[1:]
    kinds = (float, int, str, float, float)
    main(*(kind(word) for kind, word in zip(kinds, given, strict=False)))  # type: ignore[arg-type]
