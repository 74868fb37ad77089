"""The process of a program, seen from outside: started, read, killed, judged."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Any, Literal, NamedTuple

from bt_exec_skills.image.sandbox.limits import Limits

__all__ = ["ROOM", "Ending", "Ran", "launch", "python"]

ROOM = "bt_exec_skills.image.sandbox"
"""The package whose modules run inside."""

Ending = Literal["returned", "failed", "time", "memory", "output", "killed", "not_run"]

_MOST_WORDS = 300
_START_S = 10.0  # for a busy machine to build the room, beside the program's own time


class Ran(NamedTuple):
    """How a program ran.

    Attributes:
        ending: ``returned``; ``failed`` with an error of its own; ``time``, ``memory``,
            ``output``: over that limit; ``killed`` by the kernel; ``not_run``: no room for it.
        result: What it returned; None if it did not.
        why: In English, where it did not return: its last line, or why there is no room.
        isolated: Whether it had a room of its own, and not only limits.
    """

    ending: Ending
    result: Any = None
    why: str = ""
    isolated: bool = True


def python() -> str:
    """Return the interpreter itself, not a link to it in an environment."""
    return str(Path(sys.executable).resolve())


def launch(
    config: Mapping[str, Any], environment: Mapping[str, str], work: Path, limits: Limits
) -> Ran:
    """Run a program as its configuration says; nothing of it is left when this returns.

    Args:
        config: See `bt_exec_skills.image.sandbox.launcher.main`, without its pipe.
        environment: All that it finds in its environment.
        work: Where it starts.
        limits: What it may use.
    """
    isolated = bool(config["namespaces"])
    report, pipe = os.pipe()
    words = json.dumps({**config, "pipe": pipe})
    try:
        process = subprocess.Popen(  # noqa: S603 - the launcher, with its configuration
            [python(), "-S", "-P", "-m", f"{ROOM}.launcher", words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=work,
            start_new_session=True,
            pass_fds=(pipe,),
        )
    finally:
        os.close(pipe)
    with os.fdopen(report, "rb") as reports, process:
        try:
            out, err, over = _read(process, limits, isolated=isolated)
        finally:
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.killpg(process.pid, signal.SIGKILL)
        said = json.loads(reports.read() or b"{}")
    if isolated and not over and not said:
        said = {"unavailable": _last(err) or "the launcher ended without a word"}
    if "unavailable" in said:
        return Ran("not_run", None, said["unavailable"], isolated=False)
    code = said.get("code", process.returncode)
    return _ended(over or said.get("over"), code, out, err, isolated=isolated)


def _read(
    process: subprocess.Popen[bytes], limits: Limits, *, isolated: bool
) -> tuple[bytes, bytes, Ending | None]:
    """Return what a process prints and returns, until it ends or is over a limit."""
    assert process.stdout is not None
    assert process.stderr is not None
    until = time.monotonic() + limits.wall_s + (_START_S if isolated else 0.0)
    parts: dict[int, list[bytes]] = {process.stdout.fileno(): [], process.stderr.fileno(): []}
    size = 0
    with DefaultSelector() as waiting:
        for stream in parts:
            waiting.register(stream, EVENT_READ)
        over: Ending | None = None
        while waiting.get_map() and over is None:
            for key, _ in waiting.select(max(0.0, until - time.monotonic())):
                data = os.read(key.fd, 65536)
                parts[key.fd].append(data)
                size += len(data)
                if not data:
                    waiting.unregister(key.fd)
            if size > limits.output_bytes:
                over = "output"
            elif time.monotonic() > until:
                over = "time"
    if over is None:
        try:
            process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            over = "time"
    out, err = (b"".join(some) for some in parts.values())
    return out, err, over


def _ended(over: Ending | None, code: int, out: bytes, err: bytes, *, isolated: bool) -> Ran:
    if over is not None:
        return Ran(over, None, f"over its limit of {over}", isolated)
    if code == -signal.SIGXCPU:
        return Ran("time", None, "over its limit of processor time", isolated)
    if code < 0:
        return Ran("killed", None, signal.strsignal(-code) or str(code), isolated)
    if code > 0:
        return Ran("failed", None, _last(err), isolated)
    try:
        return Ran("returned", json.loads(out), "", isolated)
    except (ValueError, RecursionError):
        return Ran("failed", None, "what it returned is no JSON", isolated)


def _last(err: bytes) -> str:
    lines = err.decode(errors="replace").strip().splitlines()
    return lines[-1][:_MOST_WORDS] if lines else ""
