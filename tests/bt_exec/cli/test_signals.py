"""Ctrl-Z and Ctrl-C: simulations are suspended and resume, real robots are stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from bt_exec.cli.stop_signals import stop_mission_on_signals
from bt_exec.journal import Journal
from bt_exec.rig import Rig
from bt_exec.testing import FakeClock, ScriptedRobot


def test_ctrl_z_stops_the_mission_of_a_real_robot() -> None:
    reasons: list[str] = []
    rigs = {"real": Rig(ScriptedRobot()), "simulated": Rig(ScriptedRobot(), simulation=FakeClock())}
    session = SimpleNamespace(rigs=rigs, missions=0, abort=lambda why: reasons.append(why) or True)
    with stop_mission_on_signals(session, None, last=False):  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGTSTP)
    assert reasons == ["SIGTSTP"]


@pytest.mark.slow
def test_ctrl_z_suspends_a_simulation(gate: str) -> None:
    words = ["run", "close the gate", "--world", "gate=0.2", "--no-journal", "--plain"]
    with subprocess.Popen(
        [sys.executable, "-m", "bt_exec", *words, "--site", gate],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,  # as a shell does; an orphaned process group is never suspended
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "running" in line:
                break
        process.send_signal(signal.SIGTSTP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "satisfied in" in out
    assert err == ""


SWALLOWED = """
import os, signal
from bt_exec.mission.session import Session
opened = Session.open

def open(self):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
    except BaseException as error:
        {what}
    opened(self)

Session.open = open
"""
EARLY = """
import os, signal
from bt_exec.mission.session import Session
ran = Session._run

def _run(self, *args, **more):
    os.kill(os.getpid(), signal.SIGINT)
    return ran(self, *args, **more)

Session._run = _run
"""


INTERRUPTED = """
import os, signal
from bt_exec.cli import app

def _invoke_command(*_):
    os.kill(os.getpid(), signal.SIGINT)

app._invoke_command = _invoke_command
"""
IN_A_CALLBACK = """
import os, signal
from bt_exec.cli import app

class Gone:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

def _prepare_streams(real=app._prepare_streams):
    Gone()
    return real()

app._prepare_streams = _prepare_streams
"""


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("before", "said"),
    [
        (INTERRUPTED, "bt-exec: stopped\n"),
        (INTERRUPTED.replace("_invoke_command", "_prepare_streams"), "bt-exec: stopped\n"),
        (IN_A_CALLBACK, "bt-exec: stopped\n"),
        (SWALLOWED.format(what="pass"), "bt-exec: stopped\n"),
        (SWALLOWED.format(what="raise ImportError('initialisation failed')"), "bt-exec: stopped\n"),
        (EARLY, ""),
    ],
)
def test_ctrl_c_before_the_first_tick_is_never_lost(before: str, said: str, gate: str) -> None:
    """An import may swallow Ctrl-C. Then nothing moves, and no skill is reported as faulty."""
    program = f"{before}\nfrom bt_exec.cli.app import main\nmain()"
    words = ["run", "open the gate", "--plain", "--fast", "--no-journal", "--site", gate]
    ran = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ran.returncode, ran.stderr) == (130, said)
    assert "running" not in ran.stdout


@pytest.mark.slow
def test_repeated_ctrl_c_stops_once_and_the_journal_records_the_end(
    tmp_path: Path, gate: str
) -> None:
    journal = tmp_path / "j.sqlite"
    words = ["run", "open the gate", "--plain", "--site", gate, "--journal", str(journal)]
    with subprocess.Popen(
        [sys.executable, "-m", "bt_exec", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "running" in line:
                break
        for _ in range(8):
            process.send_signal(signal.SIGINT)
            time.sleep(0.015)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopped after" in out
    assert Journal.open(journal).mission("last").status == "aborted"


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_commands_in_a_pipe_do_not_begin_after_a_stop(tmp_path: Path, gate: str, number) -> None:
    journal = tmp_path / "j.sqlite"
    words = ["repl", "--plain", "--site", gate, "--journal", str(journal)]
    with subprocess.Popen(
        [sys.executable, "-m", "bt_exec", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("open the gate\nclose the gate\n")
        process.stdin.flush()
        for line in process.stdout:
            if "running" in line:
                break
        process.send_signal(number)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    *_, ended, world = out.splitlines()
    assert ended == "The remaining commands will not be run."
    assert "continue “open the gate”: bt-exec resume 1 --journal " in world
    assert [line.status for line in Journal.open(journal).missions(None)] == ["aborted"]
