"""Deadline and connection of one question, shared by the caller and the reading thread."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any

from bt_exec_llm.client.errors import ModelFailure

__all__ = ["Connection"]


class Connection:
    """Connection of a question; any thread may close it at any time.

    Args:
        deadline: Latest time of the answer [s], on `time.monotonic`.
    """

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def cut(self) -> None:
        """Close the connection, which wakes up a blocked reader."""
        self.ended.set()
        with self._lock:
            _shut(self._socket)

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Record the sockets that the HTTP library opens."""
        if not event.endswith(("connect_tcp.complete", "start_tls.complete")):
            return
        opened = info["return_value"].get_extra_info("socket")
        with self._lock:
            self._socket = opened
            if self.ended.is_set():
                _shut(opened)

    def rest(self) -> float:
        """Return the remaining time [s]."""
        return max(0.0, self.deadline - time.monotonic())

    def check(self) -> None:
        """Raise if the deadline has passed or the connection was closed."""
        if self.ended.is_set():
            raise ModelFailure("MODEL_CANCELLED", "asked to stop")
        if self.rest() <= 0:
            raise ModelFailure("MODEL_TIMEOUT", "the answer was still coming in")


def _shut(opened: socket.socket | None) -> None:
    if opened is not None:
        with contextlib.suppress(OSError):
            # SSLSocket.shutdown would discard the TLS session while another thread reads
            socket.socket.shutdown(opened, socket.SHUT_RDWR)
