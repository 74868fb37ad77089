"""Missions that are killed with SIGKILL at random moments and resumed in another process.

The journal opens, no committed row is lost, the report before resuming is true of the restored
world, the mission ends satisfied or with a true reason, and no irreversible action is repeated.
``BT_EXEC_KILLS=N`` raises the number of kills of each site.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bt_exec.journal import Journal
from bt_exec.journal.explain import explain
from bt_exec.mission.rerun import restore_world
from bt_exec.mission.session import Session
from bt_exec.site.site import load_site

KILLS = int(os.environ.get("BT_EXEC_KILLS", "1"))

MISSION = """
import sys
from pathlib import Path
from bt_exec import Journal, Session, load_site
site, command, journal = sys.argv[1:4]
world = dict(pair.split("=") for pair in sys.argv[4:])
kept = Journal.open(Path(journal))
with Session(load_site(site), world=world, fast=True, journal=kept) as session:
    session.run(command)
"""

SITES = {
    "door": ("packs: {door: {robot: sim, detector: oracle}}", {}),
    "building": ("", {}),
    "tabletop": ("", {"objects": "2"}),
}
"""Settings and world of each site."""
COMMANDS = {
    "door": {"get the material": 190, "자재를 꺼내고 문은 열어 둬": 145, "문을 활짝 열어": 65},
    "building": {"교수님께 서류 전해 줘": 50, "라운지에 누가 있는지 교수님께 말씀드려": 190},
    "tabletop": {"sort everything by colour": 125, "모든 물건을 색깔별로 정리해": 125},
}
"""Commands, each with the minimum number of rows of its mission in any world."""


def killed(site: str, command: str, world: dict[str, str], journal: Journal, rows: int) -> None:
    """Run a mission in a separate process, and kill it once it has committed some rows."""
    pairs = [f"{key}={value}" for key, value in world.items()]
    arguments = [sys.executable, "-c", MISSION, site, command, str(journal.path), *pairs]
    with subprocess.Popen(arguments) as process:
        while process.poll() is None:
            (line, *_) = journal.missions(1) or (None,)
            if line is not None and len(journal.rows(line.id, limit=rows)) >= rows:
                process.kill()
            time.sleep(0.002)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(KILLS))
@pytest.mark.parametrize("name", SITES)
def test_killed_mission_resumes_without_repeating_irreversible_actions(
    name: str, number: int, tmp_path: Path
) -> None:
    rng = random.Random(f"{name} {number}")
    command, most = rng.choice([*COMMANDS[name].items()])
    settings, world = SITES[name]
    world = {**world, "seed": str(rng.randrange(1000))}
    site = name
    if settings:
        site = str(tmp_path / f"{name}.yaml")
        Path(site).write_text(f"site: {name}\n{settings}\n", encoding="utf-8")
    journal = Journal.open(tmp_path / "journal.sqlite")
    rows = rng.randint(1, most)
    killed(site, command, world, journal, rows)
    again = Journal.open(journal.path)
    assert again.check() == () or again.check()[0].kind == "unfinished"
    record = again.mission("last")
    assert record.unreadable == ()
    if record.outcome is not None:  # it was faster than the kill
        assert record.outcome.ok
        return
    assert record.line.interrupted
    assert len(again.rows(record.id)) >= min(rows, len(record.events))
    loaded = load_site(site)
    told = explain(record, loaded.catalogue)
    asked: list[str] = []
    with Session(loaded, world=world, fast=True, journal=again, confirm=refusing(asked)) as session:
        found = restore_world(session, again, record)
        assert found.agrees, found
        now = session.facts()
        wrong = {fact: (value, now[fact]) for fact, value in told.facts.items() if fact in now}
        assert all(was in (is_now, "?") for was, is_now in wrong.values()), wrong
        on_tray = name == "building" and session.rigs["reporter"].robot.tray is not None
        outcome = session.resume(record)
    assert outcome.ok or (asked and outcome.reason_code == "NOT_CONFIRMED"), outcome
    new = again.mission(outcome.mission_id)
    assert new.continues == record.id
    done = [
        (run.start.skill, str(run.start.args))
        for one in (record, new)
        for run in one.skills
        if loaded.catalogue.skills[run.start.skill].irreversible
        and (run.end is not None or (one is record and not on_tray))  # on the tray: not handed over
    ]
    assert len(done) == len(set(done))


def refusing(asked: list[str]):
    """Return an operator who rejects every question."""

    def confirm(spec, why, over):
        asked.append(why)
        return False

    return confirm


def test_resumed_mission_brings_a_hand_on_the_handle_home(tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    with Session("door", fast=True, journal=journal) as session:
        session.clock.call_at(4.2, lambda: session.abort("operator"))
        stopped = session.run("open the door")
        assert session.facts()["hand.right"] == "door-handle"
        session.clock.call_at(None)
        outcome = session.resume(journal.mission(stopped.mission_id))
        assert outcome.ok
        assert session.facts()["at.right"] == "home"
    assert [run.start.skill for run in journal.mission(outcome.mission_id).skills] == [
        "return_home"
    ]
