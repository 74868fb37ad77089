"""Start of a program's process, reading of its output, and its result."""

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

__all__ = ["SANDBOX_PACKAGE", "Ending", "Ran", "interpreter_path", "launch"]

SANDBOX_PACKAGE = "bt_exec_skills.image.sandbox"
"""Package whose modules run inside the sandbox."""

Ending = Literal["returned", "failed", "time", "memory", "output", "killed", "not_run"]

_MOST_WORDS = 300
# time to build the sandbox on a busy machine, in addition to the program's time limit
_START_S = 10.0
_LATE_S = 0.5  # time after the limit in which the guard reports a timeout


class Ran(NamedTuple):
    """Result of a program's run.

    Attributes:
        ending: ``returned``; ``failed`` after an error in the program; ``time``, ``memory`` or
            ``output`` if the program exceeded that limit; ``killed`` if the program or its guard
            was killed; ``not_run`` without a sandbox.
        result: Returned value, or None.
        why: Reason in English if the program did not return: the last line of its output, or why
            there is no sandbox.
        isolated: Whether the program ran in a sandbox and not only with resource limits.
    """

    ending: Ending
    result: Any = None
    why: str = ""
    isolated: bool = True


def interpreter_path() -> str:
    """Return the path of the Python interpreter, with links of a virtual environment resolved."""
    return str(Path(sys.executable).resolve())


def launch(
    config: Mapping[str, Any], environment: Mapping[str, str], work: Path, limits: Limits
) -> Ran:
    """Run a program with the launcher; when it returns, all processes of the program have ended.

    Args:
        config: Configuration of `bt_exec_skills.image.sandbox.launcher.main`, without ``pipe``.
        environment: Complete environment of the program.
        work: Working directory.
        limits: Resource limits of the run.
    """
    isolated = bool(config["namespaces"])
    report, pipe = os.pipe()
    words = json.dumps({**config, "pipe": pipe})
    try:
        process = subprocess.Popen(  # noqa: S603 - the launcher, with its configuration
            [interpreter_path(), "-S", "-P", "-m", f"{SANDBOX_PACKAGE}.launcher", words],
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
    reading = _Reading(process, report, limits, isolated=isolated)
    with os.fdopen(report, "rb", closefd=True), process:
        try:
            over = reading.read()
        finally:
            with contextlib.suppress(ProcessLookupError):  # already ended
                os.killpg(process.pid, signal.SIGKILL)
        reading.read_remaining_reports()
    said = reading.reports
    if "unavailable" in said or (isolated and "started" not in said and not over):
        why = (
            said.get("unavailable")
            or _last_line(reading.standard_error)
            or "the launcher ended without a report"
        )
        return Ran("not_run", None, why, isolated=False)
    if isolated and not over and not {"code", "over"} & said.keys():
        return Ran("killed", None, "its guard was terminated", isolated)
    code: Any = said.get("code", process.returncode)
    return _result_of_end(
        over or said.get("over"), code, reading.result, reading.standard_error, isolated=isolated
    )


class _Reading:
    """Reader of the output and reports of a process, until it ends or exceeds a limit.

    Args:
        process: Process, started with pipes.
        report: Pipe with the reports of the guard, one JSON object a line.
        limits: Limits of the process.
        isolated: Whether there is a guard, which needs time to build the sandbox.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], report: int, limits: Limits, *, isolated: bool
    ) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self._process, self._report, self._limits = process, report, limits
        self._streams = (process.stdout.fileno(), process.stderr.fileno())
        self._parts: dict[int, list[bytes]] = {one: [] for one in (*self._streams, report)}
        self._until = time.monotonic() + limits.wall_s + (_START_S if isolated else 0.0)
        self._started = not isolated

    def read(self) -> Ending | None:
        """Read until the process ends or exceeds a limit, and return that limit, or None."""
        with DefaultSelector() as waiting:
            for stream in self._parts:
                waiting.register(stream, EVENT_READ)
            while waiting.get_map():
                for key, _ in waiting.select(max(0.0, self._until - time.monotonic())):
                    if not self._read_available(key.fd):
                        waiting.unregister(key.fd)
                if sum(len(part) for one in self._streams for part in self._parts[one]) > (
                    self._limits.output_bytes
                ):
                    return "output"
                if time.monotonic() > self._until:
                    return "time"
        try:
            self._process.wait(max(0.0, self._until - time.monotonic()))
        except subprocess.TimeoutExpired:
            return "time"
        return None

    def _read_available(self, stream: int) -> bool:
        """Read the available data of a stream; return False at its end."""
        data = os.read(stream, 65536)
        self._parts[stream].append(data)
        if stream == self._report and not self._started and "started" in self.reports:
            self._started = True
            self._until = time.monotonic() + self._limits.wall_s + _LATE_S
        return bool(data)

    def read_remaining_reports(self) -> None:
        """Read the remaining reports after the process has ended."""
        while data := os.read(self._report, 65536):
            self._parts[self._report].append(data)

    @property
    def reports(self) -> dict[str, Any]:
        """The reports of the guard so far, merged into one mapping."""
        found: dict[str, Any] = {}
        for line in b"".join(self._parts[self._report]).split(b"\n")[:-1]:
            found |= json.loads(line)
        return found

    @property
    def result(self) -> bytes:
        """The program's result so far, as written by the runner."""
        return b"".join(self._parts[self._streams[0]])

    @property
    def standard_error(self) -> bytes:
        """The program's standard error so far."""
        return b"".join(self._parts[self._streams[1]])


def _result_of_end(
    over: Ending | None, code: int, out: bytes, err: bytes, *, isolated: bool
) -> Ran:
    if over is not None:
        return Ran(over, None, f"over its limit of {over}", isolated)
    if code == -signal.SIGXCPU:
        return Ran("time", None, "over its limit of processor time", isolated)
    if code < 0:
        return Ran("killed", None, signal.strsignal(-code) or str(code), isolated)
    if code > 0:
        last = _last_line(err)
        ending: Ending = "memory" if last.startswith("MemoryError") else "failed"
        return Ran(ending, None, last, isolated)
    try:
        return Ran("returned", json.loads(out), "", isolated)
    except (ValueError, RecursionError):
        return Ran("failed", None, "its return value is not JSON", isolated)


def _last_line(err: bytes) -> str:
    lines = err.decode(errors="replace").strip().splitlines()
    return lines[-1][:_MOST_WORDS] if lines else ""
