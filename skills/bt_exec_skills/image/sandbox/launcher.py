"""Launcher of one program in its sandbox: ``python -m …launcher CONFIG``.

Three processes stand behind one another. The first enters new namespaces and waits. The second is
number 1 of the new namespace of processes: it builds the room and guards the third, which is the
program. When number 1 ends, the kernel kills every process of the room; it ends with the program,
at its time limit, and when the first is killed. Memory, processor time, files and threads are
limited by the kernel; the program cannot signal, delay or limit the guard.
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

from bt_exec_skills.image.sandbox import kernel
from bt_exec_skills.image.sandbox.calls import refusing
from bt_exec_skills.image.sandbox.limits import Limits, limit_process
from bt_exec_skills.image.sandbox.room import FOLDER, build_room

__all__ = ["main"]

_OWNER, _NOBODY = 1000, 65534
_LOOK_S = 0.02
_NICER = 10
_FOLDER_SHARE = 16
"""The folder in memory takes no more than this part of the memory limit."""


class _Reports:
    """Reports to the starting process on a pipe that the program does not get, a line each.

    ``started`` comes before the program: without an end after it, the guard was ended by force.
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
        arguments: One JSON object: ``limits``, ``pipe`` to report on, ``command``, ``namespaces``
            (whether they are wanted), ``root`` (an empty folder), ``readable`` files.
    """
    config = json.loads(arguments[0])
    limits, reports = Limits(**config["limits"]), _Reports(config["pipe"])
    if not config["namespaces"]:
        limit_process(limits, processes=False)
        os.execv(config["command"][0], config["command"])  # noqa: S606 - what we are here for
    try:
        _enter()
        first = os.fork()
    except OSError as error:
        reports.end(unavailable=str(error))
    if first == 0:
        _guard(config, limits, reports)
    os.waitpid(first, 0)


def _enter() -> None:
    """Enter new namespaces; a helper that stays outside says who is who in them."""
    ready, go = os.pipe()
    me = os.getpid()
    helper = os.fork()
    if helper == 0:
        os.read(ready, 1)
        os._exit(_map_users(me))
    kernel.own_namespaces()
    os.write(go, b"!")
    _, status = os.waitpid(helper, 0)
    if status:
        raise OSError(1, "users cannot be mapped into a namespace")


def _map_users(process: int) -> int:
    """Map the user to the owner of the room; root, who has no limit, to nobody."""
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


def _guard(config: dict[str, Any], limits: Limits, reports: _Reports) -> NoReturn:
    """Be number 1: build the room, start the program, wait for its end.

    The guard keeps its user where there is more than one in the room (see `_map_users`); the
    program gets the other. Signals from inside are ignored.
    """
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)
    refused = refusing()
    if not refused:
        reports.end(unavailable=f"there is no filter of system calls for {platform.machine()}")
    try:
        kernel.die_with_parent()
        os.umask(0o022)  # the program, who is nobody, goes through folders that root makes
        folder_bytes = min(limits.file_bytes, limits.memory_bytes // _FOLDER_SHARE)
        build_room(config["root"], config["readable"], folder_bytes, _OWNER)
        os.chdir(FOLDER)
        os.setsid()
        reports.say(started=True)
        program = os.fork()
        if program == 0:
            _become(config["command"], limits, refused)
        kernel.drop_privileges()
    except OSError as error:
        reports.end(unavailable=str(error))
    _watch(program, limits, reports)


def _become(command: list[str], limits: Limits, refused: bytes) -> NoReturn:
    """Replace this process by the program: another user, no privileges, limits of the kernel."""
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    if os.geteuid() != _OWNER:
        os.setgroups([])
        os.setresgid(_OWNER, _OWNER, _OWNER)
        os.setresuid(_OWNER, _OWNER, _OWNER)
    kernel.drop_privileges()
    kernel.die_with_parent()  # forgotten with the user
    os.nice(_NICER)
    limit_process(limits, processes=True)
    kernel.filter_calls(refused)
    os.execv(command[0], command)  # noqa: S606 - what we are here for


def _watch(program: int, limits: Limits, reports: _Reports) -> NoReturn:
    """Wait for the program until its time is over; when this process ends, so does the room."""
    until = time.monotonic() + limits.wall_s
    while time.monotonic() <= until:
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended == program:
            reports.end(code=os.waitstatus_to_exitcode(status))
        time.sleep(_LOOK_S)
    reports.end(over="time")


if __name__ == "__main__":
    main(sys.argv[1:])
