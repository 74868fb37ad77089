"""Simulated driver in a separate process: an arm that moves until it is stopped, with a log.

It runs without bt-exec. Each command is one line over a unix socket: ``go``, ``stop``, ``still``.
The log has one line for each start and end of a motion: the time of the machine [s], and ``go`` or
``stop``.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import time
from pathlib import Path


def call(address: str, word: str) -> str:
    """Send one command to the arm and return its answer."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        connection.connect(address)
        connection.sendall(word.encode() + b"\n")
        return connection.makefile().readline().strip()


def stop(address: str) -> None:
    """Stop the arm; used by the guardian."""
    if call(address, "stop") != "ok":
        raise OSError("the arm did not stop")


class Arm:
    """Arm that logs the start and end of its motions."""

    def __init__(self, record: Path) -> None:
        self._record = record.open("a", buffering=1)
        self._lock = threading.Lock()
        self.moving = False
        self.deaf = False

    def take(self, word: str) -> str:
        with self._lock:
            if word == "deaf":
                self.deaf = True
            changes = word == ("stop" if self.moving else "go")
            if changes and not self.deaf:
                self.moving = not self.moving
                self._record.write(f"{time.monotonic():.4f} {word}\n")
            if word == "still":
                return "no" if self.moving else "yes"
        return "ok"


def serve(address: str, record: Path) -> None:
    """Serve until standard input is closed."""
    arm = Arm(record)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(64)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    print("ready", flush=True)

    def converse(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):  # the client has died
            for line in connection.makefile():
                answer = arm.take(line.strip())
                connection.sendall(f"{answer}\n".encode())

    while True:
        connection, _ = listening.accept()
        threading.Thread(target=converse, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]))
