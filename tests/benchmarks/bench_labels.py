"""Training data from recorded missions: success of a planner that recalls it.

Missions of the door and the building are run in random worlds and recorded with their pictures.
Rules label them as a planner set. A compiler that recalls its training split plans the same kinds
of commands in new worlds, beside the offline compiler. A mission counts as successful if it ends
satisfied. ``python tests/benchmarks/bench_labels.py [MISSIONS]``; 40 by default.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec.site.site import Site, load_site
from bt_exec_labeler import cli_commands
from bt_exec_labeler.vocabulary_draft import draft_vocabulary

DOOR = (
    "open the door",
    "close the door",
    "문을 열어",
    "문 닫아",
    "get the material",
    "자재 가져와",
)
BUILDING = ("라운지 갔다와", "go to the corridor", "복도 보고 와서 알려줘", "go to the lounge")
WORDS = Path(__file__).parent.parent / "data" / "labels"


def site_of(name: str) -> Site:
    site = load_site(name)
    if name != "door":
        return site
    packs = {"door": site.packs["door"].model_copy(update={"detector": "oracle"})}
    return replace(site, packs=packs)


def record(site: Site, said: tuple[str, ...], count: int, journal: Journal, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        world = {"seed": str(chance.randrange(10**6))}
        if site.name == "door":
            world["door"] = chance.choice(("open", "closed"))
        with Session(site, world=world, fast=True, journal=journal, frames=True) as session:
            session.run(chance.choice(said))


def right(site: Site, said: tuple[str, ...], compiler: str, count: int) -> float:
    """Return the share of new missions that a compiler completes."""
    chance, ends = random.Random(7), Counter[str]()
    for _ in range(count):
        world = {"seed": str(10**6 + chance.randrange(10**6))}
        if site.name == "door":
            world["door"] = chance.choice(("open", "closed"))
        with Session(site, world=world, fast=True, compiler=compiler) as session:
            ends[session.run(chance.choice(said)).status] += 1
    return ends["satisfied"] / count


def main(missions: int) -> None:
    """Print a line for each site."""
    with tempfile.TemporaryDirectory() as folder:
        for name, said in (("door", DOOR), ("building", BUILDING)):
            site, place = site_of(name), Path(folder) / name
            place.mkdir()
            words = WORDS / f"{name}.yaml"
            if not words.is_file():
                words = place / "words.yaml"
                words.write_text(draft_vocabulary(name), encoding="utf-8")
            record(site, said, missions // 2, Journal.open(place / "j.sqlite"), 1)
            cli_commands.run(
                place / "j.sqlite",
                words,
                place / "run",
                labeler="rules",
                role="planner",
                workers=2,
                no_cache=True,
            )
            cli_commands.dataset(
                place / "run", place / "j.sqlite", words, place / "set", keep_uncertain=False
            )
            settings = {"name": "recalled", "dataset": str(place / "set")}
            compiler = type(site.compiler).model_validate(settings)
            recalled = replace(site, compiler=compiler, confirm="never")
            new = max(4, missions // 4)
            shares = {
                "recalled": right(recalled, said, "recalled", new),
                "offline": right(site, said, "offline", new),
            }
            print(
                f"{name}: {missions // 2} missions on record; of {new} new ones right: "
                + ", ".join(f"{who} {share:.0%}" for who, share in shares.items())
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
