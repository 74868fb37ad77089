"""Client side of a guardian: starts the process, tests it and sends the heartbeat."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bt_exec.failure import PartBroken, UsageError
from bt_exec.guardian.stop_action import Guard

__all__ = ["GUARD_LOST", "STALLED", "Guardian", "take_report"]

GUARD_LOST, STALLED = "GUARD_LOST", "STALLED"
"""Codes of a mission whose guardian ended, and of one whose loop stalled."""

_PROGRAM = Path(__file__).with_name("program.py")
_READY_S = 5.0  # time limit for the guardian process to be ready [s]
_TRIAL_S = 3.0  # time limit for the trial of a stop, in addition to `Guard.within_s` [s]
_RELEASE_S = 2.0  # time limit for the guardian to confirm its release [s]
_QUIT_S = 0.3  # time limit for the guardian process to end [s]
_SILENT = 4.0  # time without a message until the guardian counts as lost [`within_s`]


class Guardian:
    """A guardian process and the heartbeat to it.

    Args:
        robot: Name of the robot, for messages. An earlier, released guardian of the robot is ended.
        guards: Stop actions; all of them are executed.
        report: File to which the guardian writes its report if its messages cannot be read.
        locks: Lock files of the robots (`bt_exec.mission.robot_lock`).

    Attributes:
        accounts: Reports of the guardian's actions that `take_actions` has not returned yet.
        lost: Whether the guardian process has ended, or was ended because it sent no messages.
        released: Whether other processes may drive the robot.

    Raises:
        UsageError: If the process cannot be started.
    """

    def __init__(
        self, robot: str, guards: Sequence[Guard], report: Path, locks: Iterable[Path] = ()
    ) -> None:
        self.robot = robot
        self.report = report
        self.within_s = min(guard.within_s for guard in guards)
        self.accounts: list[dict[str, Any]] = []
        self.lost = self.released = False
        self._pid = os.getpid()
        self._armed = False
        self._sent = self._heard = 0.0
        self._text = b""
        self._tried: dict[str, Any] = {}
        if robot in _STARTED and _STARTED[robot].released:
            _STARTED[robot].quit()
        settings = {
            "parent": self._pid,
            "within_s": self.within_s,
            "path": [str(Path(folder or ".").absolute()) for folder in sys.path],
            "report": str(report),
            "robot": robot,
            "stops": [guard.data for guard in guards],
            "locks": [str(path) for path in locks],
        }
        try:
            self._start(settings)
        except (OSError, MemoryError) as error:
            raise UsageError(f"the guardian of {robot} cannot be started: {error}") from error
        _STARTED[robot] = self

    def _start(self, settings: dict[str, Any]) -> None:
        self.report.parent.mkdir(parents=True, exist_ok=True)
        self._socket, theirs = socket.socketpair()
        try:
            with theirs:
                number = theirs.fileno()
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(_PROGRAM), str(number)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=(number,),
                    start_new_session=True,
                )
        except BaseException:
            self._socket.close()
            raise
        try:
            self._socket.sendall(json.dumps(settings).encode() + b"\n")
            self._socket.setblocking(False)
            ready = self._receive_until(_READY_S, lambda: self._heard > 0)
        except (OSError, PartBroken):
            ready = False
        if not ready:
            self.quit()
            raise UsageError(f"the guardian of {self.robot} did not become ready")

    # -- the mission -----------------------------------------------------------------------------

    def try_stop(self) -> str:
        """Make the guardian stop the robot as a trial; return an error message, or ""."""
        self._tried.clear()
        try:
            self._send(b"T")
            limit_s = _TRIAL_S + self.within_s
            if not self._receive_until(limit_s, lambda: bool(self._tried)):
                self.quit()
                return f"the guardian did not answer within {limit_s:g} s"
        except PartBroken as error:
            return str(error)
        return str(self._tried["trouble"])

    def arm(self) -> None:
        """Make the guardian expect heartbeats from now on.

        Raises:
            PartBroken: If the guardian is lost.
        """
        self._send(b"A")
        self._armed = True
        self._sent, self._heard = 0.0, time.monotonic()

    def beat(self, now: float) -> None:
        """Send a heartbeat; called every tick.

        Args:
            now: Time on a clock that may include suspension of the machine [s].

        Raises:
            PartBroken: If the guardian is lost, or has stopped the robot.
        """
        if now - self._sent < self.within_s / 8:
            return
        self._sent = now
        before = len(self.accounts)
        self._receive()
        self._send(b"B")
        if len(self.accounts) > before:
            why = f"stalled, and the guardian stopped the robot ({self.accounts[-1]['why']})"
            raise PartBroken("the loop", why, STALLED)
        silent_s = time.monotonic() - self._heard
        if silent_s > _SILENT * self.within_s:
            self.quit()
            raise PartBroken("the guardian", f"was silent for {silent_s:.1f} s", GUARD_LOST)

    def disarm(self) -> None:
        """Make the guardian stop expecting heartbeats; its loss is ignored from now on."""
        if self._armed:
            self._armed = False
            with contextlib.suppress(PartBroken):
                self._receive()
                self._send(b"D")

    def release(self) -> None:
        """Allow other processes to drive the robot; the guardian waits for this process to end."""
        self.released = True
        self._heard = 0.0
        with contextlib.suppress(PartBroken):
            self._send(b"R")
            if not self._receive_until(_RELEASE_S, lambda: self._heard > 0):
                self.quit()  # the guardian is suspended or hangs and would outlive this process

    def quit(self) -> None:
        """End the guardian."""
        if os.getpid() != self._pid or self.lost:
            return
        self.lost = True
        if _STARTED.get(self.robot) is self:
            del _STARTED[self.robot]
        with contextlib.suppress(OSError):
            self._socket.send(b"Q")
        with contextlib.suppress(OSError):
            self._socket.close()
        try:
            self._process.wait(_QUIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def take_actions(self) -> list[dict[str, Any]]:
        """Return the guardian's actions since the last call and remove its report file."""
        with contextlib.suppress(PartBroken):
            self._receive()
        found, self.accounts = self.accounts, []
        if found:
            self.report.unlink(missing_ok=True)
        return found

    # -- messages --------------------------------------------------------------------------------

    def _send(self, letter: bytes) -> None:
        try:
            self._socket.send(letter)
        except BlockingIOError:
            return  # the guardian does not read; `beat` detects that it no longer answers
        except OSError as error:
            raise self._guardian_ended(str(error)) from error

    def _receive(self) -> None:
        try:
            data = self._socket.recv(65536)
        except BlockingIOError:
            return
        except OSError as error:
            raise self._guardian_ended(str(error)) from error
        if not data:
            raise self._guardian_ended("its connection is closed")
        self._heard = time.monotonic()
        self._text += data
        *lines, self._text = self._text.split(b"\n")
        for line in filter(None, lines):
            message = json.loads(line)
            if "stopped" in message:
                self.accounts.append(message["stopped"])
            elif "tried" in message:
                self._tried = message["tried"]

    def _guardian_ended(self, why: str) -> PartBroken:
        self.quit()
        return PartBroken("the guardian", f"has ended: {why}", GUARD_LOST)

    def _receive_until(self, limit_s: float, done: Any) -> bool:
        """Receive messages for up to `limit_s` [s] until `done` is true; return whether it is."""
        until = time.monotonic() + limit_s
        while not done():
            left = until - time.monotonic()
            if left <= 0:
                return False
            select.select([self._socket], [], [], left)
            self._receive()
        return True


_STARTED: dict[str, Guardian] = {}
"""Guardians of this process, by robot; each runs until this process ends."""


def take_report(file: Path) -> dict[str, Any] | None:
    """Return and remove the report of a guardian; None if there is none."""
    try:
        report = json.loads(file.read_bytes())
        file.unlink(missing_ok=True)
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) and isinstance(report.get("why"), str) else None


@atexit.register
def _announce_exit() -> None:
    """Notify the guardians that this process ends, without waiting for them."""
    for guardian in _STARTED.values():
        guardian._process.returncode = 0  # no ResourceWarning for a running process
        if guardian._pid == os.getpid():
            with contextlib.suppress(OSError):
                guardian._socket.shutdown(socket.SHUT_WR)
