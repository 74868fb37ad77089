"""Starts one program in its room; a process of its own: ``python -m …launcher CONFIG``.

Three processes stand behind one another. The first enters new namespaces and waits. The second is
number 1 of the new namespace of processes: it builds the room, gives up its privileges and watches
the third, which is the program. When number 1 ends, the kernel kills every process of the room;
it ends with the program, at the limits, and when the first is killed.
"""

from __future__ import annotations

import json
import os
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


class _Reports:
    """Says how it ended, on a pipe that the program does not get: one JSON object, the first."""

    def __init__(self, pipe: int) -> None:
        os.set_inheritable(pipe, False)
        self._pipe = pipe

    def end(self, **said: Any) -> NoReturn:
        os.write(self._pipe, json.dumps(said).encode())
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
    """Be number 1: build the room, start the program, watch it, end."""
    try:
        kernel.die_with_parent()
        os.umask(0o022)  # the program, who is nobody, goes through folders that root makes
        build_room(config["root"], config["readable"], limits.file_bytes, _OWNER)
        if os.geteuid() != _OWNER:
            os.setgroups([])
            os.setresgid(_OWNER, _OWNER, _OWNER)
            os.setresuid(_OWNER, _OWNER, _OWNER)
        kernel.drop_privileges()
        kernel.die_with_parent()  # forgotten with the user
        os.chdir(FOLDER)
        os.setsid()
        program = os.fork()
        if program == 0:
            _become(config["command"], limits)
    except OSError as error:
        reports.end(unavailable=str(error))
    _watch(program, limits, reports)


def _become(command: list[str], limits: Limits) -> NoReturn:
    limit_process(limits, processes=True)
    if program := refusing():
        kernel.filter_calls(program)
    os.execv(command[0], command)  # noqa: S606 - what we are here for


def _watch(program: int, limits: Limits, reports: _Reports) -> NoReturn:
    until = time.monotonic() + limits.wall_s
    while True:
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended == program:
            reports.end(code=os.waitstatus_to_exitcode(status))
        if ended:
            continue
        if time.monotonic() > until:
            reports.end(over="time")
        if _memory() > limits.memory_bytes:
            reports.end(over="memory")
        time.sleep(_LOOK_S)


def _memory() -> int:
    """Return what all processes of the room hold in memory [bytes]; 0 if there is no ``/proc``."""
    pages = 0
    for file in Path("/proc").glob("[1-9]*/statm"):
        try:
            pages += int(file.read_text().split()[1])
        except (OSError, IndexError):
            continue  # it has ended
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main(sys.argv[1:])
