"""Guardian process: it stops the robot when heartbeats end, and survives failures."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bt_exec.failure import PartBroken, UsageError
from bt_exec.guardian import Guard, Guardian
from bt_exec.guardian.client import take_report

ROOT = Path(__file__).parents[3]


class Stops:
    """Stop method that writes a line for each call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "stops"
        self.report = folder / "report.json"

    def guard(self, then: str = "", within_s: float = 0.2) -> Guard:
        return Guard(["sh", "-c", f"echo x >> {self.file}; {then}"], within_s=within_s)

    @property
    def count(self) -> int:
        return len(self.file.read_text().split()) if self.file.exists() else 0

    def wait(self, count: int) -> None:
        """Wait until the robot was stopped the given number of times."""
        while self.count < count:
            time.sleep(0.005)


@pytest.fixture
def stops(tmp_path: Path) -> Stops:
    return Stops(tmp_path)


@contextlib.contextmanager
def guardian(stops: Stops, *guards: Guard) -> Iterator[Guardian]:
    found = Guardian("arm", guards or [stops.guard()], stops.report)
    try:
        yield found
    finally:
        found.quit()


def beat_for_long(found: Guardian) -> None:
    """Send heartbeats until an error occurs."""
    while True:
        time.sleep(0.02)
        found.beat(time.monotonic())


PARENT = """
import os, signal, sys, time
from pathlib import Path
from bt_exec.guardian import Guard, Guardian
folder = Path(sys.argv[1])
lock = folder / "lock"
lock.touch()
stop = Guard(["sh", "-c", f"echo x >> {folder}/stops"], within_s=0.2)
guardian = Guardian("arm", [stop], folder / "report.json", [lock])
def beat():
    guardian.beat(time.monotonic())
print(guardian._process.pid, flush=True)
"""


CHILD = "if os.fork() == 0: time.sleep(5); os._exit(0)"  # keeps the connection open


def parent(stops: Stops, then: str) -> subprocess.Popen[str]:
    """Start a process with a guardian that runs `then`; its first line is the guardian's id."""
    return subprocess.Popen(
        [sys.executable, "-c", PARENT + then, str(stops.folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def end_of(stops: Stops, then: str) -> str:
    """Run the process of `parent` and its guardian to their end, and return their output."""
    with parent(stops, then) as process:
        out, err = process.communicate(timeout=60)
    return out + err


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


# -- while its parent lives ------------------------------------------------------------------------


def test_robot_is_not_stopped_while_heartbeats_arrive(stops):
    with guardian(stops) as found:
        assert found.try_stop() == ""
        assert stops.count == 1
        found.arm()
        for _ in range(60):
            time.sleep(0.01)
            found.beat(time.monotonic())
        found.disarm()
        assert (stops.count, found.take_actions()) == (1, [])


def test_robot_is_stopped_repeatedly_without_heartbeats(stops):
    with guardian(stops) as found:
        found.arm()
        stops.wait(3)
        with pytest.raises(PartBroken) as stalled:
            found.beat(time.monotonic())
        assert stalled.value.code == "STALLED"
        assert "stalled, and the guardian stopped the robot (process" in str(stalled.value)
        (account,) = found.take_actions()
        assert (account["ok"], account["robot"]) == (True, "arm")
        assert not stops.report.exists(), "its report has been taken"


def test_robot_is_not_stopped_between_missions(stops):
    with guardian(stops) as found:
        found.arm()
        found.disarm()
        time.sleep(0.5)
        assert stops.count == 0


def test_every_guard_is_executed_and_the_shortest_limit_applies(stops):
    other = Guard(["sh", "-c", f"echo y >> {stops.file}"], within_s=5.0)
    with guardian(stops, stops.guard(), other) as found:
        assert found.within_s == 0.2
        assert found.try_stop() == ""
        assert sorted(stops.file.read_text().split()) == ["x", "y"]


@pytest.mark.parametrize(
    ("stop", "trouble"),
    [
        (["sh", "-c", "echo no power >&2; exit 3"], "exit code 3: no power"),
        (["/no/such/program"], "exit code 1: /no/such/program: FileNotFoundError: [Errno 2]"),
        (["sh", "-c", "kill -9 $$"], "killed by signal 9"),
        (["sleep", "60"], "did not end within 1 s"),
        ("no_such_module:stop", "exit code 1: no_such_module:stop: ModuleNotFoundError: No"),
        ("os:no_such_function", "AttributeError"),
        ("os:abort", "killed by signal 6"),
        ("sys:exit", ""),
    ],
)
def test_trial_stop_reports_the_reason_for_a_failure(stops, stop, trouble):
    with guardian(stops, Guard(stop, within_s=0.2)) as found:
        said = found.try_stop()
        assert trouble in said
        assert bool(said) == (stop != "sys:exit") or "SystemExit" in said


def test_stop_function_is_called_with_its_arguments(stops):
    with guardian(stops, Guard(os.mkdir, (str(stops.folder / "made"),))) as found:
        assert found.try_stop() == ""
        assert (stops.folder / "made").is_dir()
        assert "FileExistsError" in found.try_stop(), "in a process of its own each time"


def test_stop_that_hangs_once_is_retried(stops):
    hangs_first = f"[ $(wc -l < {stops.file}) -gt 1 ] || sleep 60"
    with guardian(stops, stops.guard(hangs_first)) as found:
        found.arm()
        stops.wait(2)
        while not found.accounts:
            found._receive()
            time.sleep(0.01)
        assert found.accounts[0]["ok"] is True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGTSTP])
def test_signals_to_the_process_group_do_not_end_the_guardian(stops, number):
    with guardian(stops) as found:
        os.kill(found._process.pid, number)
        assert found.try_stop() == ""


def test_killed_guardian_ends_the_mission(stops):
    with guardian(stops) as found:
        found.arm()
        found._process.kill()
        found._process.wait()
        with pytest.raises(PartBroken) as lost:
            beat_for_long(found)
        assert (lost.value.code, found.lost) == ("GUARD_LOST", True)
        with pytest.raises(PartBroken):
            found.arm()
        assert "has ended" in found.try_stop()


def test_suspended_guardian_ends_the_mission_and_is_killed(stops):
    with guardian(stops) as found:
        found.arm()
        os.kill(found._process.pid, signal.SIGSTOP)
        with pytest.raises(PartBroken, match="the guardian was silent for") as lost:
            beat_for_long(found)
        assert lost.value.code == "GUARD_LOST"
        assert gone(found._process.pid)


def test_guardian_that_cannot_be_started_is_a_usage_error(stops, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(UsageError, match="the guardian of arm cannot be started"):
        Guardian("arm", [stops.guard()], stops.report)


def test_guardian_that_does_not_start_up_is_a_usage_error(stops, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/true")
    with pytest.raises(UsageError, match="did not become ready"):
        Guardian("arm", [stops.guard()], stops.report)


def test_new_guardian_of_a_robot_replaces_a_released_one(stops):
    with guardian(stops) as first, guardian(stops) as second:
        assert (first.lost, second.lost) == (False, False)
        first.release()
        second.release()
        with guardian(stops):
            assert second.lost
            assert gone(second._process.pid)


# -- when its parent ends --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("then", "interrupted"),
    [
        ("guardian.arm(); os.kill(os.getpid(), 9)", True),
        ("guardian.arm(); os._exit(0)", True),
        ("guardian.arm(); os.abort()", True),
        ("guardian.arm(); beat(); guardian.disarm(); os.kill(os.getpid(), 9)", False),
        ("guardian.arm(); beat(); guardian.disarm(); guardian.release()", False),
        ("pass", False),
        (f"guardian.arm()\n{CHILD}\nos.kill(os.getpid(), 9)", True),
        ("guardian.arm(); import threading; os.kill(os.getpid(), 9)", True),
    ],
    ids=lambda value: str(value)[:60],
)
def test_robot_is_stopped_when_the_parent_ends(stops, then, interrupted):
    with parent(stops, then) as process:
        assert process.stdout is not None
        number = int(process.stdout.readline())
        stops.wait(2)  # once more a little later, because commands may have been pending
        while not gone(number):
            time.sleep(0.01)
        process.wait()
    report = take_report(stops.report)
    assert (report is not None) == interrupted
    if report is not None:
        assert report["why"] == f"process {process.pid} ended in the middle of a mission"
        assert take_report(stops.report) is None


def test_robot_of_a_suspended_parent_is_stopped(stops):
    suspended = """
guardian.arm()
if os.fork() == 0:
    time.sleep(1.0); os.kill(os.getppid(), signal.SIGCONT); os._exit(0)
os.kill(os.getpid(), signal.SIGSTOP)
try:
    beat()
except BaseException as error:
    print(error)
guardian.quit()
"""
    assert "gave no heartbeat for 0." in end_of(stops, suspended)
    assert stops.count >= 1


def test_robot_of_another_process_is_not_stopped_after_the_session(stops):
    held = """
guardian.release()
if os.fork() == 0:
    import fcntl
    file = open(lock, "r+")
    fcntl.lockf(file, fcntl.LOCK_EX, 1, 0)
    os.close(1); os.close(2)
    time.sleep(1.5)
    os._exit(0)
time.sleep(0.3)
"""
    end_of(stops, held)
    assert stops.count == 0


def test_robot_is_stopped_while_the_parent_hangs_in_its_last_finalizer(stops):
    """No thread and no exit function of the parent runs any more."""
    hangs = """
guardian.release()
class Last:
    def __del__(self, sleep=time.sleep, path=folder / "stops"):
        deadline = 100
        while deadline and not (path.exists() and path.read_text().count("x") > 1):
            sleep(0.05)
            deadline -= 1
        os.write(1, b"stopped twice" if deadline else b"never stopped")
sys.modules["last"] = Last()
"""
    assert "stopped twice" in end_of(stops, hangs)


def test_guardian_locks_the_robot_until_it_has_stopped(stops):
    """A new process must not drive the robot while the guardian of a dead one stops it."""
    with parent(stops, "guardian.arm(); sys.stdin.read()") as process:
        assert process.stdout is not None
        process.stdout.readline()
        with (stops.folder / "lock").open("r+") as file, pytest.raises(OSError):
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 1)
        process.kill()
        stops.wait(2)
        with (stops.folder / "lock").open("r+") as file:
            fcntl.lockf(file, fcntl.LOCK_EX, 1, 1)  # released when it ends


@pytest.mark.slow
def test_permanently_failing_stop_is_reported(stops):
    then = "Guardian('arm', [Guard('false', within_s=0.2)], folder / 'report.json').arm()"
    told = end_of(stops, f"import bt_exec.guardian.program\n{then}\nos.kill(os.getpid(), 9)")
    assert "bt-exec guardian: COULD NOT STOP" in told
    assert json.loads(stops.report.read_text())["trouble"] == "exit code 1"


# -- the guardian itself ---------------------------------------------------------------------------


def test_guardian_program_imports_only_light_modules():
    heavy = (
        "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1]); import program;"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    folder = ROOT / "bt_exec" / "guardian"
    command = [sys.executable, "-I", "-S", "-c", heavy, str(folder)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pydantic", "bt_exec", "typing", "asyncio", "subprocess"} & set(loaded)
    assert len(loaded) < 40


def test_damaged_report_of_a_guardian_is_ignored(tmp_path):
    for content in ("", "{", "[]", "{}", '{"why": 3}'):
        (tmp_path / "report").write_text(content)
        assert take_report(tmp_path / "report") is None
