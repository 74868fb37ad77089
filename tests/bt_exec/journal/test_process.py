"""Distinction of running missions from those whose process has ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bt_exec.journal import Journal, mission_row
from bt_exec.journal.mission_row import has_process_ended, process_identifier

KILLED = """
import os, signal, sys
from pathlib import Path
from bt_exec.events import MissionStarted
from bt_exec.journal import Journal
recorder = Journal.open(Path(sys.argv[1])).begin(command="x")
recorder.on(MissionStarted(0.0, 0, recorder.mission_id, "x", "en", ""))
recorder.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_current_process_is_reported_as_running() -> None:
    assert not has_process_ended(process_identifier())


def test_reused_process_id_is_another_process() -> None:
    host, number, _ = process_identifier().split(" ")
    assert has_process_ended(f"{host} {number} 1")


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
def test_zombie_process_counts_as_ended() -> None:
    host, _, _ = process_identifier().split(" ")
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as child:
        started = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[19]
        assert not has_process_ended(f"{host} {child.pid} {started}")
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert has_process_ended(f"{host} {child.pid} {started}")


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
def test_query_of_a_process_sends_no_signal() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    host, _, _ = process_identifier().split(" ")
    has_process_ended(f"{host} {child.pid} 1")
    child.communicate(b"\n", timeout=60)
    assert child.returncode == 0


@pytest.mark.parametrize(
    ("process", "gone"), [(None, True), ("elsewhere 7 1", False), ("", False), ("x", False)]
)
def test_only_a_missing_process_entry_counts_as_gone(process: str | None, gone: bool) -> None:
    assert has_process_ended(process) is gone


def test_killed_mission_is_reported_once_and_a_running_one_never(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal.open(path)
    with journal.begin(command="runs"):
        assert journal.missions()[0].interrupted is False
        done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=60)
        assert done.returncode == -signal.SIGKILL
        assert [line.interrupted for line in journal.missions()] == [True, False]
        told = journal.next_interrupted()
        assert told is not None
        assert told.id.endswith("-0002")
        assert journal.next_interrupted() is None


RUNNING = KILLED.replace('command="x"', 'command="x", site="lab"').replace(
    "os.kill(os.getpid(), signal.SIGKILL)", 'print("ready", flush=True); input()'
)


def test_mission_of_another_process_is_found_while_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal.open(path)
    with (
        journal.begin(command="own", site="lab"),
        subprocess.Popen(
            [sys.executable, "-c", RUNNING, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as other,
    ):
        assert other.stdout is not None
        other.stdout.readline()
        found = journal.running_elsewhere("lab")
        assert found is not None
        assert found.command == "x"
        assert journal.running_elsewhere("field") is None
        other.kill()
        other.wait()
        assert journal.running_elsewhere("lab") is None


HERE = process_identifier().partition(" ")[0]


def test_process_without_an_id_is_assumed_to_exist() -> None:
    assert has_process_ended(f"{HERE} x 1") is False


def test_process_of_another_user_is_reported_as_running(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_ours(number: int, sign: int) -> None:
        raise PermissionError

    monkeypatch.setattr("os.kill", not_ours)
    assert has_process_ended(f"{HERE} 7 1") is False


@pytest.mark.parametrize("name", [b"python", b"a) b (c", b"\xff\xeb"])
def test_start_time_is_the_22nd_field_for_any_process_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: bytes
) -> None:
    fields = b" ".join(str(number).encode() for number in range(3, 53))
    (tmp_path / "stat").write_bytes(b"7 (" + name + b") " + fields + b"\n")
    asked: list[str] = []
    monkeypatch.setattr(mission_row, "Path", lambda path: asked.append(path) or tmp_path / "stat")
    number = os.getpid()
    assert process_identifier() == f"{HERE} {number} 22"
    assert not has_process_ended(f"{HERE} {number} 22")
    assert has_process_ended(f"{HERE} {number} 21")
    assert set(asked) == {f"/proc/{number}/stat"}


def test_process_id_is_sufficient_when_the_start_time_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mission_row, "Path", lambda path: tmp_path / "none")
    assert process_identifier() == f"{HERE} {os.getpid()} "
    assert not has_process_ended(process_identifier())
