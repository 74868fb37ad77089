"""Launcher of one program in its sandbox, called as ``python -m …launcher CONFIG``.

There are three processes. The first process enters new namespaces and waits. The second process,
the guard, is process 1 of the new namespace: it builds the sandbox and starts the third process,
which is the program. When the guard ends, the kernel kills every process in the sandbox. The guard
ends with the program, at the time limit, or when the first process is killed. The kernel limits
memory, processor time, files and threads. The program cannot signal, delay or limit the guard.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from bt_exec_skills.image.sandbox import system_call_wrappers
from bt_exec_skills.image.sandbox.blocked_system_calls import build_call_filter
from bt_exec_skills.image.sandbox.file_system import FOLDER, change_root
from bt_exec_skills.image.sandbox.limits import Limits, limit_process

__all__ = ["main"]

_OWNER, _NOBODY = 1000, 65534
_LOOK_S = 0.02
_NICER = 10
_FOLDER_SHARE = 16
"""Divisor of the memory limit that gives the maximum size of the folder in memory."""


class _Reports:
    """Writer of reports to the calling process, on a pipe that the program does not inherit.

    Each report is a line of JSON. ``started`` is written before the program starts. If no report
    about the end of the program follows, the guard was killed.
    """

    def __init__(self, pipe: int) -> None:
        os.set_inheritable(pipe, False)
        self._pipe = pipe

    def say(self, **said: Any) -> None:
        os.write(self._pipe, json.dumps(said).encode() + b"\n")

    def end(self, **said: Any) -> NoReturn:
        self.say(**said)
        os._exit(0)


def main(arguments: Sequence[str]) -> None:
    """Run a program.

    Args:
        arguments: One JSON object with ``limits``, ``pipe`` (file descriptor for reports),
            ``command``, ``namespaces`` (whether to create a sandbox), ``root`` (an empty folder)
            and ``readable`` (visible files).
    """
    config = json.loads(arguments[0])
    limits, reports = Limits(**config["limits"]), _Reports(config["pipe"])
    if not config["namespaces"]:
        limit_process(limits, processes=False)
        os.execv(config["command"][0], config["command"])  # noqa: S606 - purpose of this module
    try:
        _enter_namespaces()
        first = os.fork()
    except OSError as error:
        reports.end(unavailable=str(error))
    if first == 0:
        _run_as_init(config, limits, reports)
    os.waitpid(first, 0)


def _enter_namespaces() -> None:
    """Enter new namespaces; a helper process outside writes their user mapping."""
    ready, go = os.pipe()
    me = os.getpid()
    helper = os.fork()
    if helper == 0:
        os.read(ready, 1)
        os._exit(_map_users(me))
    system_call_wrappers.enter_new_namespaces()
    os.write(go, b"!")
    _, status = os.waitpid(helper, 0)
    if status:
        raise OSError(1, "user IDs cannot be mapped into a new user namespace")


def _map_users(process: int) -> int:
    """Map the user of the sandboxed program to this user, or to `_NOBODY` if this user is root.

    Root would not be subject to the limits. Returns 0 on success, otherwise 1.
    """
    folder = Path("/proc", str(process))
    user, group = os.geteuid(), os.getegid()
    try:
        if user == 0:
            for name in ("uid_map", "gid_map"):
                (folder / name).write_text(f"0 0 1\n{_OWNER} {_NOBODY} 1\n")
        else:
            (folder / "setgroups").write_text("deny")
            (folder / "uid_map").write_text(f"{_OWNER} {user} 1\n")
            (folder / "gid_map").write_text(f"{_OWNER} {group} 1\n")
    except OSError:
        return 1
    return 0


def _run_as_init(config: dict[str, Any], limits: Limits, reports: _Reports) -> NoReturn:
    """Run the guard, process 1 of the namespace: build the sandbox, start the program, await it.

    If this user is root (see `_map_users`), the guard stays root in the namespace, and the program
    gets another user. Signals from inside are ignored.
    """
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)
    refused = build_call_filter()
    if not refused:
        reports.end(unavailable=f"there is no filter of system calls for {platform.machine()}")
    try:
        system_call_wrappers.die_with_parent()
        os.umask(0o022)  # the program runs as nobody and must traverse folders created by root
        folder_bytes = min(limits.file_bytes, limits.memory_bytes // _FOLDER_SHARE)
        change_root(config["root"], config["readable"], folder_bytes, _OWNER)
        os.chdir(FOLDER)
        os.setsid()
        reports.say(started=True)
        program = os.fork()
        if program == 0:
            _replace_by_program(config["command"], limits, refused)
        system_call_wrappers.drop_privileges()
    except OSError as error:
        reports.end(unavailable=str(error))
    _wait_until_limit(program, limits, reports)


def _replace_by_program(command: list[str], limits: Limits, refused: bytes) -> NoReturn:
    """Replace this process with the program, as an unprivileged user with resource limits."""
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    if os.geteuid() != _OWNER:
        os.setgroups([])
        os.setresgid(_OWNER, _OWNER, _OWNER)
        os.setresuid(_OWNER, _OWNER, _OWNER)
    system_call_wrappers.drop_privileges()
    system_call_wrappers.die_with_parent()  # again, because a change of user resets this setting
    os.nice(_NICER)
    limit_process(limits, processes=True)
    system_call_wrappers.filter_calls(refused)
    os.execv(command[0], command)  # noqa: S606 - purpose of this module


def _wait_until_limit(program: int, limits: Limits, reports: _Reports) -> NoReturn:
    """Wait for the program until the time limit, then end this process and so the sandbox."""
    until = time.monotonic() + limits.wall_s
    while time.monotonic() <= until:
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended == program:
            reports.end(code=os.waitstatus_to_exitcode(status))
        time.sleep(_LOOK_S)
    reports.end(over="time")


if __name__ == "__main__":
    main(sys.argv[1:])
