"""Durability of the journal: killed processes, full disks and concurrent writers."""

from __future__ import annotations

import dataclasses
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from bt_exec.events import (
    Event,
    Finished,
    NodeChanged,
    Planned,
    SkillEnded,
    SkillStarting,
    Turn,
)
from bt_exec.journal import Journal
from bt_exec.journal import write as writing
from bt_exec.language.messages import executive_sentence, language_of
from bt_exec.mission.session import Session
from bt_exec.mission_outcome import Outcome
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig
from bt_exec.testing import FakeClock, ScriptedRobot, scripted_skill
from bt_exec.testing.tree_run import scripted_site

START = SkillStarting(1.0, 3, "a", "grasp", {"arm": "right"}, 1)


def run(program: str, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=60
    )


HEAD = """
import os, signal, sys, resource
from pathlib import Path
from bt_exec.events import *
from bt_exec.journal import Journal
journal = Journal.open(Path(sys.argv[1]))
"""


def test_skill_start_is_on_disk_when_the_listener_returns(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    done = run(
        HEAD
        + """
recorder = journal.begin(command="x")
recorder.on(NodeChanged(1.0, 3, "a", "running"))
recorder.on(Turn(1.0, 3, {"n": 1}))
recorder.on(SkillStarting(1.0, 3, "a", "grasp", {"arm": "right"}, 1))
os.kill(os.getpid(), signal.SIGKILL)
""",
        path,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    mission = Journal.open(path).mission("last")
    assert mission.events == (NodeChanged(1.0, 3, "a", "running"), Turn(1.0, 3, {"n": 1}), START)
    assert mission.status == "unfinished"
    assert mission.skills[0].end is None


@pytest.mark.slow
def test_journal_of_a_killed_process_is_a_prefix_of_its_events(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    done = run(
        HEAD
        + """
recorder = journal.begin(command="x")
for n in range(20_000):
    recorder.on(Turn(0.0, n, {}))
    if n == 15_000:
        recorder.on(SkillStarting(0.0, n, "a", "b", {}, 1))
os.kill(os.getpid(), signal.SIGKILL)
""",
        path,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    ticks = [event.tick for event in Journal.open(path).mission(1).events]
    assert ticks[15_000:15_002] == [15_000, 15_000]
    assert [*ticks[:15_000], *ticks[15_001:]] == list(range(len(ticks) - 1))


def test_mission_end_is_on_disk_when_the_listener_returns(journal: Journal) -> None:
    with journal.begin(command="x") as recorder:
        recorder.on(Finished(1.0, 9, Outcome(recorder.mission_id, "x", "aborted", "USER", "")))
        assert journal.mission("last").status == "aborted"


def test_rows_are_written_soon_when_no_skill_starts(journal: Journal) -> None:
    with journal.begin(command="x") as recorder:
        recorder.on(Turn(0.0, 1, {}))
        deadline = time.monotonic() + 60
        while not journal.mission("last").events and time.monotonic() < deadline:
            time.sleep(0.02)
        assert journal.mission("last").events == (Turn(0.0, 1, {}),)


WRITERS = """
import os, sys
from pathlib import Path
from bt_exec.events import SkillStarting
from bt_exec.journal import Journal

def write():
    journal = Journal.open(Path(sys.argv[1]))
    for n in range(5):
        with journal.begin(command=f"{os.getpid()}") as recorder:
            for call in range(20):
                recorder.on(SkillStarting(0.0, call, "a", "b", {"pid": os.getpid()}, call))
            assert not recorder.problem, recorder.problem

begun = []
for _ in range(3):  # each a process, begun before there is any thread
    if not (child := os.fork()):
        write()
        sys.exit()
    begun.append(child)
sys.exit(any(os.waitpid(child, 0)[1] for child in begun))
"""


@pytest.mark.slow
def test_several_processes_can_write_to_one_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    done = run(WRITERS, path)
    assert (done.returncode, done.stderr) == (0, "")
    journal = Journal.open(path)
    missions = [journal.mission(line.id) for line in journal.missions(100)]
    assert sorted({mission.id[-4:] for mission in missions}) == [f"{n:04d}" for n in range(1, 16)]
    for mission in missions:
        assert [run.start.call for run in mission.skills] == list(range(20))
        assert {str(run.start.args["pid"]) for run in mission.skills} == {mission.command}


def test_full_disk_does_not_end_the_mission_and_is_reported_once(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    done = run(
        HEAD
        + """
told = []
recorder = journal.begin(command="x", tell=told.append)
recorder.on(SkillStarting(0.0, 0, "a", "b", {}, 0))
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (Path(f"{journal.path}-wal").stat().st_size, hard))
for n in range(1, 4):
    recorder.on(SkillStarting(0.0, n, "a", "b", {}, n))
    assert recorder.problem
assert len(told) == 1, told
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
recorder.on(SkillStarting(0.0, 4, "a", "b", {}, 4))
assert not recorder.problem, recorder.problem
recorder.close()
print(*told, sep="\\n")
""",
        path,
    )
    assert done.returncode == 0, done.stderr
    (told,) = done.stdout.splitlines()
    assert told.startswith(f"{path} cannot be written (")
    assert told.endswith("); no skill starts meanwhile")
    assert [s.start.call for s in Journal.open(path).mission(1).skills] == [0, 1, 2, 3, 4]


def test_lost_rows_are_counted_at_the_end(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "PENDING", 2)
    monkeypatch.setattr("bt_exec.journal.schema.connect.__kwdefaults__", {"busy_s": 0.01})
    told: list[str] = []
    recorder = journal.begin(command="x", tell=told.append)
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for call in range(5):
            recorder.on(SkillStarting(0.0, 1, "a", "b", {}, call))
        assert recorder.problem == "database is locked"
        recorder.close()
        other.execute("ROLLBACK")
    assert told == [
        f"{journal.path} cannot be written (database is locked); no skill starts meanwhile",
        f"5 rows of {recorder.mission_id} could not be written: database is locked; 2 saved "
        f"in {journal.path}.{recorder.mission_id}.rows",
    ]


def test_lost_rows_are_reported_in_the_language_of_the_command(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bt_exec.journal.schema.connect.__kwdefaults__", {"busy_s": 0.01})
    told: list[str] = []
    recorder = journal.begin(command="가", language="ko", tell=told.append)
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        recorder.on(START)
        recorder.close()
        other.execute("ROLLBACK")
    assert told == [
        f"{journal.path}에 기록할 수 없습니다(데이터베이스가 잠겨 있습니다). "
        "기록할 수 있을 때까지 동작을 시작하지 않습니다",
        f"{recorder.mission_id}의 기록 1행을 쓰지 못했습니다(데이터베이스가 잠겨 있습니다). "
        f"1행은 {journal.path}.{recorder.mission_id}.rows에 남겨 두었습니다",
    ]
    assert recorder.incomplete == told[1]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_message_about_the_journal_is_in_both_languages(language: str) -> None:
    for code in ("UNWRITABLE", "HANGS", "LOST", "LOST_NOWHERE", "KEPT_ASIDE"):
        text = executive_sentence(
            f"RECORD_{code}", language, path="P", mission="M", lost=1, kept=1, problem="x"
        )
        assert (language_of(text), "…" in text) == (language, False)


def test_hanging_journal_blocks_the_loop_for_a_bounded_time(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "PATIENCE_S", 0.05)
    told: list[str] = []
    with journal.begin(command="x", tell=told.append) as recorder:
        with closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            recorder.on(START)  # the writer waits for the lock longer than PATIENCE_S
            assert recorder.problem == "nothing written within 0.05 s"
            other.execute("ROLLBACK")
        monkeypatch.undo()
        recorder.on(SkillEnded(1.0, 4, "a", "grasp", 1, "done", 0.1))
        assert recorder.flush()
    assert journal.mission("last").skills[0].end is not None
    assert len(told) == 1


def test_only_the_batch_of_a_row_refused_by_sqlite_is_lost(journal: Journal) -> None:
    told: list[str] = []
    with journal.begin(command="x", tell=told.append) as recorder:
        recorder.on(NodeChanged(0.0, 2**70, "a", "done"))
        assert not recorder.flush()
        recorder.on(START)
        assert recorder.flush()
        assert recorder.lost == 1
    assert journal.mission("last").events == (START,)
    assert told[1] == (
        f"1 row of {recorder.mission_id} could not be written: "
        "OverflowError: Python int too large to convert to SQLite INTEGER"
    )


def test_closed_journal_leaves_no_thread(journal: Journal) -> None:
    before = threading.active_count()
    with journal.begin(command="x", frames=True):
        assert threading.active_count() == before + 2
    assert threading.active_count() == before


def test_mission_that_cannot_be_recorded_does_not_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal of a session delays the start of each skill."""
    monkeypatch.setattr("bt_exec.journal.schema.connect.__kwdefaults__", {"busy_s": 0.01})
    robot = ScriptedRobot()
    rig = Rig(robot, simulation=FakeClock())
    site = scripted_site([scripted_skill("a")], ["tree: t\nutterances: [go]\nroot: {do: a}"])
    (pack,) = site.catalogue.packs
    pack = dataclasses.replace(pack, robots={"arm": lambda settings, world: rig})
    site = dataclasses.replace(site, catalogue=Catalogue([pack]))
    journal = Journal.open(tmp_path / "j.sqlite")
    with Session(site, fast=True, journal=journal) as session:
        first = session.run("go")
        assert (first.status, first.record_problem) == ("satisfied", "")
        assert "record_problem" not in first.to_dict()
        with closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
            session.listeners.append(Locks(other))
            outcome = session.run("go")
            other.execute("ROLLBACK")
    assert (outcome.status, outcome.reason_code) == ("failed", "NOT_RECORDED")
    assert robot.log == ["a start", "a done"]  # of the first mission
    side = f"{journal.path}.{outcome.mission_id}.rows"
    said = outcome.to_dict()["record_problem"]
    assert said.endswith(
        f"could not be written: database is locked; {said.split()[0]} saved in {side}"
    )
    assert Journal.open(journal.path).mission("last").status == "failed"  # the rows were imported


class Locks:
    """Listener that locks the journal when a plan exists."""

    def __init__(self, other: sqlite3.Connection) -> None:
        self._other = other

    def on(self, event: Event) -> None:
        if isinstance(event, Planned):
            self._other.execute("BEGIN IMMEDIATE")
