"""Signals that end the process: the robot is stopped first, as far as Python allows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from bt_exec.cli.stop_signals import stop_mission_on_signals

pytestmark = pytest.mark.sampled

NAMED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU")
LESS_KNOWN = ("SIGVTALRM", "SIGPROF", "SIGIO", "SIGPWR", "SIGSTKFLT", "SIGRTMIN", "SIGRTMAX")
DEADLY = tuple(name for name in (*NAMED, *LESS_KNOWN) if hasattr(signal, name))


def session_of(reasons: list[str]) -> SimpleNamespace:
    return SimpleNamespace(rigs={}, missions=0, abort=lambda why: reasons.append(why) or True)


def program(text: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", text, *words], capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("name", DEADLY)
def test_fatal_signal_stops_the_mission_before_the_process_ends(name: str) -> None:
    reasons: list[str] = []
    number = getattr(signal, name)
    before = signal.getsignal(number)
    with stop_mission_on_signals(session_of(reasons), None, last=False):  # type: ignore[arg-type]
        os.kill(os.getpid(), number)
    assert reasons == ["operator" if name == "SIGINT" else name]
    assert signal.getsignal(number) is before


def test_signal_without_a_name_stops_the_mission() -> None:
    reasons: list[str] = []
    with stop_mission_on_signals(session_of(reasons), None, last=False):  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGRTMIN + 1)
    assert reasons == ["SIGRTMIN+1"]


def test_harmless_signal_does_not_stop_the_mission() -> None:
    reasons: list[str] = []
    with stop_mission_on_signals(session_of(reasons), None, last=False):  # type: ignore[arg-type]
        for number in (signal.SIGCHLD, signal.SIGWINCH, signal.SIGCONT, signal.SIGURG):
            os.kill(os.getpid(), number)
    assert reasons == []


@pytest.mark.parametrize("name", ["SIGHUP", "SIGQUIT"])
def test_signal_ignored_at_the_start_stays_ignored(name: str) -> None:
    """``nohup`` starts programs this way."""
    reasons: list[str] = []
    number = getattr(signal, name)
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with stop_mission_on_signals(session_of(reasons), None, last=False):  # type: ignore[arg-type]
            os.kill(os.getpid(), number)
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, before)
    assert reasons == []


LEAVING = """
import os, signal
from bt_exec.cli.stop_signals import record_interrupts
record_interrupts()
try:
    os.kill(os.getpid(), signal.{name})
    for _ in range(1000):
        pass
finally:
    print("the robots are closed")
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGQUIT"])
def test_sigterm_between_missions_closes_the_robots(name: str) -> None:
    ran = program(LEAVING.format(name=name))
    said = "the robots are closed\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (128 + getattr(signal, name), said, "")


LAST = """
import os, signal
from types import SimpleNamespace
from bt_exec.cli.stop_signals import limit_exit_time, record_interrupts, stop_mission_on_signals

class Late:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGXCPU)

record_interrupts()
session = SimpleNamespace(rigs={}, missions=0, abort=lambda why: True)
with stop_mission_on_signals(session, None, last=True):
    pass
os.kill(os.getpid(), signal.SIGXCPU)
print("the report", flush=True)
limit_exit_time(4)
late = Late()  # deleted while Python ends
raise SystemExit(4)
"""


def test_cpu_time_limit_after_a_mission_does_not_prevent_the_report() -> None:
    ran = program(LAST)
    assert (ran.returncode, ran.stdout) == (4, "the report\n")


DEAF = """
import ctypes, threading
from types import SimpleNamespace
from bt_exec.cli.stop_signals import stop_mission_on_signals
from bt_exec.rig import Rig

class Robot:
    still = True

    def stop(self):
        print("stopped", flush=True)

session = SimpleNamespace(rigs={"arm": Rig(Robot())}, missions=0, abort=lambda why: True)
c, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(128)
with stop_mission_on_signals(session, None, last=True):
    c.pthread_mutex_lock(mutex)
    # printed by another thread, when this one is certainly in C code
    threading.Timer(1.0, lambda: print("ready", flush=True)).start()
    c.pthread_mutex_lock(mutex)  # blocks forever: no Python handler runs
"""


def test_mission_that_hangs_in_c_code_ends_at_the_second_signal() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", DEAF], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        late = threading.Timer(60, process.kill)  # an injected fault must not block the tests
        late.start()
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"
        process.send_signal(signal.SIGQUIT)
        out, err = process.communicate(timeout=60)
        late.cancel()
    assert process.returncode == 130
    assert out == "stopped\n"
    assert err == "bt-exec: a part hangs and cannot be interrupted; the program ends\n"


IMPORTING = """
import builtins, os, signal
brought = builtins.__import__

def bring(name, *rest):
    if name == "bt_exec.cli.app":
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
    return brought(name, *rest)

builtins.__import__ = bring
from bt_exec.__main__ import main
main()
"""


def test_ctrl_c_during_the_import_of_the_command_line_prints_no_traceback() -> None:
    ran = program(IMPORTING, "doctor")
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "bt-exec: stopped\n")


PACKAGE = """
import os, signal, sys
sys.argv[0] = {name!r}

def interrupt(event, arguments):
    if event == "import" and arguments[0] == "bt_exec.early_interrupt" and not sent:
        sent.append(1)
        os.kill(os.getpid(), signal.{signal})

sent = []
sys.addaudithook(interrupt)
import bt_exec
"""


def test_ctrl_c_during_the_import_of_the_package_prints_no_traceback() -> None:
    ran = program(PACKAGE.format(name="/usr/bin/bt-exec", signal="SIGINT"))
    assert (ran.returncode, ran.stderr) == (130, "bt-exec: stopped\n")
    other = program(PACKAGE.format(name="/usr/bin/other", signal="SIGINT"))
    assert other.stderr.endswith("KeyboardInterrupt\n"), "a program that imports the package"


IMPORTED = """
import os, signal, sys
sys.argv[0] = "/usr/bin/bt-exec"
import bt_exec
os.kill(os.getpid(), signal.{name})
for _ in range(1000): pass
"""


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [("SIGINT", 130, "stopped"), ("SIGTERM", 143, "stopped by the signal SIGTERM")],
)
def test_signal_during_the_start_is_reported(name: str, code: int, said: str) -> None:
    ran = program(IMPORTED.format(name=name))
    assert (ran.returncode, ran.stderr) == (code, f"bt-exec: {said}\n")


OUTSIDE = """
import os, signal, threading
from bt_exec.cli import app, stop_signals
stop_signals._END_S = 0.2

def call(arguments):
    {before}
    exec("import os, signal\\nos.kill(os.getpid(), signal.{name})\\nfor _ in range(1000): pass")

app.run_command_line = call
app.main()
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("SIGINT", "bt-exec: stopped\n"),
        ("SIGTERM", "bt-exec: stopped by the signal SIGTERM\n"),
        ("SIGHUP", "bt-exec: stopped by the signal SIGHUP\n"),
    ],
)
def test_exit_code_is_128_plus_the_signal_when_run_as_a_module(
    name: str, said: str, tmp_path: Path
) -> None:
    """With ``-m``, Python itself would end by the signal."""
    (tmp_path / "outside.py").write_text(OUTSIDE.format(name=name, before=""))
    ran = subprocess.run(
        [sys.executable, "-m", "outside"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (ran.returncode, ran.stderr) == (128 + getattr(signal, name), said)


def test_sigterm_between_missions_ends_the_program_despite_a_running_thread() -> None:
    stays = "threading.Thread(target=threading.Event().wait, name='stay').start()"
    ran = program(OUTSIDE.format(name="SIGTERM", before=stays))
    said = (
        "bt-exec: stopped by the signal SIGTERM\n"
        "bt-exec: threads of parts did not end: stay; the program ends\n"
    )
    assert (ran.returncode, ran.stderr) == (143, said)


ENDING = """
import os, signal
from bt_exec.cli.stop_signals import limit_exit_time, record_interrupts
record_interrupts()
limit_exit_time(3)

class Late:
    def __del__(self):
        os.kill(os.getpid(), signal.{name})

late = Late()  # deleted while Python ends
os.kill(os.getpid(), signal.{name})
raise SystemExit(3)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
def test_signal_at_the_end_does_not_change_the_exit_code(name: str) -> None:
    ran = program(ENDING.format(name=name))
    assert (ran.returncode, ran.stderr) == (3, "")


HANGING_END = """
import atexit, threading
from bt_exec.cli import stop_signals
stop_signals._END_S = 0.2
never = threading.Event()
{hangs}
atexit.register(never.wait)
stop_signals.limit_exit_time(3)
"""


@pytest.mark.parametrize(
    ("hangs", "said"),
    [
        ("", "exit functions of parts did not end"),
        (
            "threading.Thread(target=never.wait, name='stay').start()",
            "threads of parts did not end: stay",
        ),
    ],
)
def test_program_ends_in_bounded_time_when_exit_functions_hang(hangs: str, said: str) -> None:
    ran = program(HANGING_END.format(hangs=hangs))
    assert (ran.returncode, ran.stderr) == (3, f"bt-exec: {said}; the program ends\n")
