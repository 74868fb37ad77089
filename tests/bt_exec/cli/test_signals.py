"""Ctrl-Z: a simulation is suspended and goes on later; a real robot is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

from bt_exec.cli.mission import _signals
from bt_exec.rig import Rig
from bt_exec.testing import FakeClock, ScriptedRobot


def test_ctrl_z_stops_the_mission_of_a_real_robot() -> None:
    reasons: list[str] = []
    rigs = {"real": Rig(ScriptedRobot()), "simulated": Rig(ScriptedRobot(), simulation=FakeClock())}
    session = SimpleNamespace(rigs=rigs, abort=reasons.append)
    with _signals(session, None, last=False):  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGTSTP)
    assert reasons == ["SIGTSTP"]


def test_ctrl_z_suspends_a_simulation() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "bt_exec", "run", "open the door", "--no-journal", "--plain"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,  # as a shell does; a group that no shell watches over is never suspended
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
