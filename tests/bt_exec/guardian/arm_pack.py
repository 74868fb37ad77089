"""Pack with an arm in another process, and one skill for each kind of misbehaviour."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import itertools
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bt_exec import Pack, PackSettings, Rig, Running, Steps, skill
from bt_exec.failure import Refusal
from bt_exec.guardian import Guard
from bt_exec.planning.compiler import Plan, Request
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from tests.bt_exec.guardian import arm_server


class Settings(PackSettings):
    """Settings of the arm.

    Attributes:
        address: Unix socket of the arm.
        guarded: Whether the driver declares how a guardian stops it.
    """

    address: str
    guarded: bool = True


class RemoteArm:
    """Driver of the arm."""

    def __init__(self, address: str) -> None:
        self.address = address

    def go(self) -> None:
        """Move until stopped."""
        arm_server.call(self.address, "go")

    def stop(self) -> None:
        """Stop."""
        arm_server.call(self.address, "stop")

    @property
    def still(self) -> bool:
        """Whether the arm is still."""
        return arm_server.call(self.address, "still") == "yes"


def make_rig(settings: Settings, _: Any) -> Rig:
    guard = Guard(arm_server.stop, (settings.address,), within_s=0.5)
    return Rig(RemoteArm(settings.address), guard=guard if settings.guarded else None)


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _suspend() -> None:
    """Suspend this process; a child process continues it later."""
    pid = os.getpid()
    if os.fork() == 0:
        os.setsid()
        time.sleep(4.0)
        os.kill(pid, signal.SIGCONT)
        os._exit(0)
    os.kill(pid, signal.SIGSTOP)


def _regex() -> None:
    """Hold the interpreter lock in C code for many seconds."""
    re.match(r"(a|a)*$", "a" * 26 + "b")


def _ctypes() -> None:
    """Sleep in C code without releasing the interpreter lock."""
    ctypes.PyDLL(None).sleep(6)


def _segfault() -> None:
    ctypes.string_at(0)


def _exit_at_once() -> None:
    os._exit(0)


def _loop() -> None:
    while True:
        pass


def _swallow_everything() -> None:
    while True:
        try:
            time.sleep(3600)
        except BaseException:  # noqa: BLE001 - a careless skill catches everything
            continue


def _deaf_in_c() -> None:
    """Wait in C code, without the lock, for an event that never happens."""
    libc, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(128)
    libc.pthread_mutex_lock(mutex)
    libc.pthread_mutex_lock(mutex)


def _no_threads() -> None:
    """Use up all threads of the machine, then hang."""
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    import _thread

    def none_left(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    _thread.start_new_thread = none_left  # type: ignore[assignment]
    threading._start_new_thread = none_left  # type: ignore[attr-defined]
    time.sleep(3600)


def _no_memory() -> None:
    """Use up all memory, then hang."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (8 << 20), resource.RLIM_INFINITY))
    kept = []
    size = 1 << 22
    while size > 64:
        try:
            kept.append(bytearray(size))
        except MemoryError:
            size //= 2
    time.sleep(3600)


def _fork_and_return() -> None:
    os.fork()


def _fork_in_c_and_return() -> None:
    ctypes.CDLL(None).fork()


def _close_everything() -> None:
    """Close all file descriptors except the standard streams, then hang."""
    os.closerange(3, 256)
    time.sleep(3600)


def _kill_guardian(how: int) -> None:
    # no other program, which a busy machine would delay
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"guardian" in (folder / "cmdline").read_bytes():
                os.kill(int(folder.name), how)


def _take_signals() -> None:
    """Install signal handlers, as some middleware does at its start."""
    for name in ("INT", "TERM", "HUP"):
        signal.signal(getattr(signal, f"SIG{name}"), lambda *_: None)


def _block_signals() -> None:
    """Block every signal in this thread, then hang."""
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL})
    time.sleep(3600)


def _replace_program() -> None:
    """Replace this process by another program with the same process id."""
    os.execv("/bin/sleep", ["sleep", "4"])


def _kill_group() -> None:
    os.setpgid(0, 0)
    os.killpg(0, signal.SIGKILL)


def _raise_in_threads() -> None:
    """Raise an exception in every other thread, then hang."""
    for number in sys._current_frames():
        if number != threading.get_ident():
            raised = ctypes.py_object(SystemExit)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(number), raised)
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(3600)


def _hold_lock_in_thread() -> None:
    """Let a thread hold the interpreter lock while the skill waits."""
    threading.Thread(target=_ctypes, daemon=True).start()


def _no_files() -> None:
    """Prevent the opening of files, then hang."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    time.sleep(3600)


def _no_streams() -> None:
    """Close the standard streams, then hang."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.close()
    for number in range(3):
        with contextlib.suppress(OSError):
            os.close(number)
    time.sleep(3600)


def _stop_clocks() -> None:
    """Stop the clocks of Python, then hang."""
    for name in ("time", "monotonic", "perf_counter", "process_time"):
        setattr(time, name, itertools.repeat(getattr(time, name)()).__next__)
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(3600)


def _use_processor() -> None:
    """Exceed the limit of processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (1, resource.RLIM_INFINITY))
    while True:
        pass


def _hang_without_guardian() -> None:
    _kill_guardian(signal.SIGKILL)
    time.sleep(3600)


_HANGS: dict[str, Callable[[], None]] = {
    "kill": _kill,
    "suspend": _suspend,
    "regex": _regex,
    "ctypes": _ctypes,
    "segfault": _segfault,
    "exit": _exit_at_once,
    "loop": _loop,
    "swallow": _swallow_everything,
    "deaf": _deaf_in_c,
    "no_threads": _no_threads,
    "no_memory": _no_memory,
    "fork": _fork_and_return,
    "fork_in_c": _fork_in_c_and_return,
    "close": _close_everything,
    "abort": os.abort,
    "take_signals": _take_signals,
    "block_signals": _block_signals,
    "replace_program": _replace_program,
    "kill_group": _kill_group,
    "raise_in_threads": _raise_in_threads,
    "hold_lock_in_thread": _hold_lock_in_thread,
    "no_files": _no_files,
    "no_streams": _no_streams,
    "stop_clocks": _stop_clocks,
    "use_processor": _use_processor,
    "hang_without_guardian": _hang_without_guardian,
    "kill_guardian": lambda: _kill_guardian(signal.SIGKILL),
    "stop_guardian": lambda: _kill_guardian(signal.SIGSTOP),
}


def _misbehaving(name: str, act: Callable[[], None]) -> Any:
    @skill(name=name, timeout_s=1.5 if "fork" in name else 20)
    def steps(robot: RemoteArm) -> Steps:
        """Move, and misbehave in the third tick."""
        robot.go()
        for _ in range(3):
            yield Running()
        act()
        while True:
            yield Running()

    return steps


@skill(timeout_s=20)
def move(robot: RemoteArm) -> Steps:
    """Move for half a second."""
    robot.go()
    try:
        for _ in range(10):
            yield Running()
    finally:
        robot.stop()


@skill(timeout_s=60)
def hold(robot: RemoteArm) -> Steps:
    """Move for half a minute."""
    robot.go()
    try:
        for _ in range(600):
            yield Running()
    finally:
        robot.stop()


@skill(timeout_s=20)
def leave_thread(robot: RemoteArm) -> Steps:
    """Leave a thread that moves the arm later."""

    def later() -> None:
        time.sleep(0.7)
        robot.go()
        time.sleep(2.0)

    threading.Thread(target=later).start()
    yield Running()


@skill(timeout_s=20)
def leave_runaway(robot: RemoteArm) -> Steps:
    """Leave a thread that moves the arm repeatedly."""

    def again() -> None:
        for _ in range(2000):
            robot.go()
            time.sleep(0.005)

    threading.Thread(target=again).start()
    yield Running()


@skill(timeout_s=20)
def leave_exit(robot: RemoteArm) -> Steps:
    """Move the arm at program exit."""
    atexit.register(robot.go)
    yield Running()


@skill(timeout_s=20)
def leave_hanging_exit(robot: RemoteArm) -> Steps:
    """Move the arm at program exit, then hang."""

    def hang() -> None:
        robot.go()
        _swallow_everything()

    atexit.register(hang)
    yield Running()


@skill(timeout_s=20)
def leave_del(robot: RemoteArm) -> Steps:
    """Move the arm during interpreter shutdown."""

    class Last:
        def __del__(self) -> None:
            robot.go()

    sys.modules["last"] = Last()  # type: ignore[assignment]
    yield Running()


@skill(timeout_s=20)
def leave_child(robot: RemoteArm) -> Steps:
    """Leave a child process that moves the arm later."""
    if os.fork() == 0:
        with contextlib.suppress(OSError):
            os.setsid()
        time.sleep(0.4)
        robot.go()
        os._exit(0)
    while robot.still:
        yield Running()


@skill(timeout_s=20)
def leave_program(robot: RemoteArm) -> Steps:
    """Leave a program that moves the arm later."""
    words = [
        sys.executable,
        "-c",
        f"import sys; sys.path[:0] = {sys.path}\nimport time\n"
        "from tests.bt_exec.guardian import arm_server\ntime.sleep(0.5)\n"
        f"arm_server.call({robot.address!r}, 'go')\n",
    ]
    subprocess.Popen(words, start_new_session=True)
    while robot.still:
        yield Running()


@skill(timeout_s=20)
def leave_endless_thread(robot: RemoteArm) -> Steps:
    """Leave a thread that never ends."""
    threading.Thread(target=time.sleep, args=(3600,)).start()
    robot.go()
    yield Running()
    robot.stop()


class ByHeart:
    """Compiler whose commands are the names of skills."""

    name = "arm"

    def compile(self, request: Request) -> Plan | Refusal:
        """Return a plan of one skill."""
        name, language = request.command, request.language
        if name not in request.catalogue.skills:
            return Refusal("NOT_UNDERSTOOD", f"cannot {name}", ())
        document = load_text(f"mission: {{command: {name}}}\nroot: {{do: {name}}}\n").document
        assert isinstance(document, MissionSpec)
        header = Mission(command=name, language=language, compiler=self.name)
        return Plan(document.model_copy(update={"mission": header}))


def by_heart(_: Any) -> ByHeart:
    return ByHeart()


PACK = Pack(
    name="arm",
    skills=(
        move,
        hold,
        leave_thread,
        leave_runaway,
        leave_exit,
        leave_hanging_exit,
        leave_del,
        leave_child,
        leave_program,
        leave_endless_thread,
        *(_misbehaving(name, act) for name, act in _HANGS.items()),
    ),
    robots={"remote": make_rig},
    identities={"remote": lambda settings: settings.address},
    settings=Settings,
)
