"""Fault injection for every resource allocation: the robot is stopped, the outcome is correct.

The n-th thread, journal statement, file or connection fails, for each n that such a mission uses.
SQLite is tested the same way.
"""

from __future__ import annotations

import _thread
import dataclasses
import errno
import io
import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bt_exec.failure import BtExecError
from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec.mission_outcome import EXIT_CODES, Outcome
from bt_exec.pack import Catalogue
from bt_exec.rig import PackSettings, Rig
from bt_exec.site.site import Limits, Rates
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.load import load_text
from bt_exec.standby_threads import STANDBY
from bt_exec.testing import FakeClock, scripted_condition
from bt_exec.testing.tree_run import FixedCompiler, scripted_site
from tests.bt_exec.mission.misbehaving_ground import Arm, Camera
from tests.cases import cases

pytestmark = pytest.mark.sampled

TREE = "tree: t\nutterances: [go]\nroot: {do: leave_moving, while: holds, retry: 2, timeout: 2s}"


class Counted:
    """Calls a function, and fails at the n-th call."""

    def __init__(self, function: Callable[..., Any], fails_at: int, error: Exception) -> None:
        self.calls = 0
        self._function = function
        self._fails_at = fails_at
        self._error = error

    def __call__(self, *args: Any, **more: Any) -> Any:
        self.calls += 1
        if self.calls - 1 == self._fails_at:
            raise self._error
        return self._function(*args, **more)


class Connection:
    """SQLite connection that counts statements and fails at the n-th one."""

    def __init__(self, real: sqlite3.Connection, count: Counted) -> None:
        self._real = real
        self._count = count

    def execute(self, *args: Any) -> Any:
        self._count()
        return self._real.execute(*args)

    def executemany(self, *args: Any) -> Any:
        self._count()
        return self._real.executemany(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@skill(fails={"SLIPPED"})
def leave_moving(robot: Any) -> Steps:
    """Move for three ticks, and leave the robot moving."""
    robot.go()
    for _ in range(3):
        yield Running()


class Run:
    """One mission in a separate session.

    Attributes:
        outcome: Outcome, or None if the session or the mission could not begin.
        refused: UsageError that was raised, if any.
    """

    def __init__(self, folder: Path) -> None:
        self.arm = Arm()
        self.outcome: Outcome | None = None
        self.refused = ""
        simulation = FakeClock()
        found = scripted_site(
            [leave_moving, scripted_condition("holds")],
            [TREE],
            limits=Limits(still_s=0.3, replans=1, look_s=0.5),
            rates=Rates(tick_hz=10, look_hz=10, idle_look_hz=2),
        )
        (pack,) = found.catalogue.packs
        pack = dataclasses.replace(
            pack,
            robots={"arm": lambda *_: Rig(self.arm, Camera(simulation), simulation)},
        )
        site = dataclasses.replace(
            found, catalogue=Catalogue([pack]), packs={"test": PackSettings()}
        )
        compiler = FixedCompiler(load_text(TREE).document)
        try:
            journal = Journal.open(folder / "journal.sqlite")
            with Session(site, journal=journal, fast=True) as session:
                session.compiler = compiler
                self.outcome = session.run("go")
        except BtExecError as error:
            self.refused = str(error)
        self.record = folder / "journal.sqlite"

    def check(self) -> None:
        """Compare the outcome with the robot and the journal."""
        assert not self.arm.moving
        if self.outcome is None:
            assert self.refused, "neither an outcome nor an error of the operator"
            assert self.arm.stops <= 1, "nothing has begun"
            return
        assert self.outcome.status in EXIT_CODES
        assert self.outcome.reason_code != "EXECUTIVE_CRASHED", self.outcome.explain()
        line = Journal.open(self.record).missions(1)[0]
        if not self.outcome.record_problem:
            assert (line.status, line.reason_code) == (
                self.outcome.status,
                self.outcome.reason_code,
            )


THREADS, STATEMENTS = 12, 24  # at least the number that a mission uses; see the last assertions


@pytest.mark.parametrize("number", range(THREADS))
def test_failed_thread_start_stops_the_robot(tmp_path, monkeypatch, number):
    STANDBY._idle.clear()
    start = Counted(_thread.start_new_thread, number, RuntimeError("can't start new thread"))
    monkeypatch.setattr(_thread, "start_new_thread", start)
    monkeypatch.setattr(threading, "_start_new_thread", start)
    run = Run(tmp_path)
    monkeypatch.undo()
    run.check()
    assert start.calls <= THREADS


@pytest.mark.parametrize("number", range(STATEMENTS))
def test_failed_journal_statement_stops_the_robot(tmp_path, monkeypatch, number):
    from bt_exec.journal import write

    connect = write.connect
    count = Counted(lambda: None, number, sqlite3.OperationalError("disk I/O error"))
    monkeypatch.setattr(write, "connect", lambda *args: Connection(connect(*args), count))
    run = Run(tmp_path)
    monkeypatch.undo()
    run.check()


@pytest.mark.parametrize("number", range(6))
def test_failed_journal_connection_stops_the_robot(tmp_path, monkeypatch, number):
    connect = Counted(sqlite3.connect, number, sqlite3.OperationalError("unable to open"))
    monkeypatch.setattr(sqlite3, "connect", connect)
    run = Run(tmp_path)
    monkeypatch.undo()
    run.check()


NO_MEMORY = """
import json, sys
import _testcapi
from bt_exec.rig import Rig, stop_all, stop_all_in_background
from bt_exec.standby_threads import STANDBY
import bt_exec.rig as rig

class Arm:
    moving = True
    still = True
    def stop(self):
        self.moving = False

STANDBY.prepare(4)
missed = []
import logging
logging.disable(logging.CRITICAL)
for apart in (False, True):
    for number in range(120):
        rig._RESERVE.extend(b"x" * 1000)
        arm = Arm()
        rigs = {"arm": Rig(arm)}
        try:
            _testcapi.set_nomemory(number, number + 1)
            stop_all_in_background(rigs) if apart else stop_all(rigs, 1.0)
        except MemoryError:
            pass
        finally:
            _testcapi.remove_mem_hooks()
        for _ in range(200):
            if not arm.moving:
                break
            import time; time.sleep(0.005)
        if arm.moving:
            missed.append([apart, number])
print(json.dumps(missed))
"""


def test_stop_succeeds_after_each_failed_allocation():
    pytest.importorskip("_testcapi")
    ran = subprocess.run([sys.executable, "-c", NO_MEMORY], capture_output=True, text=True)
    assert json.loads(ran.stdout or "null") == [], ran.stderr[-2000:]


NO_MEMORY_FOR_THE_RECORD = """
import json, logging, sqlite3, sys
from pathlib import Path
import _testcapi
from bt_exec.events import Finished, MissionStarted, SkillStarting
from bt_exec.journal import Journal
from bt_exec.mission_outcome import Outcome

logging.disable(logging.CRITICAL)
journal = Journal.open(Path(sys.argv[1]))
reader = sqlite3.connect(journal.path)
starts = "SELECT count(*) FROM events WHERE kind = 'SkillStarting' AND mission = ?"
untrue = []
for number in range(int(sys.argv[2])):
    recorder = journal.begin(command="go", tell=lambda _: None)
    name = recorder.mission_id
    recorder.on(MissionStarted(0.0, 0, name, "go", "en", "site"))
    recorder.flush()
    starting = SkillStarting(0.1, 1, "a", "a", {"x": "y"}, 1)
    raised = False
    for event in (starting, Finished(0.2, 2, Outcome(name, "go", "satisfied", "OK", "Done."))):
        try:
            _testcapi.set_nomemory(number, number + 1)
            recorder.on(event)
        except (MemoryError, RuntimeError):
            raised = True
        finally:
            _testcapi.remove_mem_hooks()
        if event is starting and not recorder.recording_error():
            if not reader.execute(starts, (recorder._number,)).fetchone()[0]:
                untrue.append([number, "starts unrecorded"])
    recorder.close()
    satisfied = journal.mission_summary(name).status == "satisfied"
    whole = len(journal.mission(name).events) == 3 and satisfied
    if not (whole or raised or recorder.incomplete):
        untrue.append([number, "incomplete, and not reported"])
print(json.dumps(untrue))
"""


@pytest.mark.parametrize("allocations", [40, pytest.param(cases(300, 120), marks=pytest.mark.slow)])
def test_journal_is_valid_after_each_failed_allocation(tmp_path, allocations):
    pytest.importorskip("_testcapi")
    command = [sys.executable, "-c", NO_MEMORY_FOR_THE_RECORD, str(tmp_path / "journal.sqlite")]
    ran = subprocess.run([*command, str(allocations)], capture_output=True, text=True)
    assert json.loads(ran.stdout or "null") == [], ran.stderr[-2000:]


FILES = 10  # the number that a mission opens


@pytest.mark.parametrize("number", range(FILES))
def test_failed_file_open_stops_the_robot(tmp_path, monkeypatch, number):
    """Covers the journal, its folder, locks, guardian notes and package files."""
    opened = Counted(os.open, number, OSError(errno.EMFILE, "Too many open files"))
    read = Counted(io.open, number - 4, OSError(errno.EMFILE, "Too many open files"))
    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(io, "open", read)
    run = Run(tmp_path)
    monkeypatch.undo()
    run.check()
