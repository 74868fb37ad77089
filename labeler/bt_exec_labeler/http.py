"""Serving of a web application until it is stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

from bt_exec.serve.server import AppServer

__all__ = ["serve_until_stopped"]


def serve_until_stopped(server: AppServer, began: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        server: Server that was not started yet.
        began: Called when it answers.

    Raises:
        UsageError: If it does not start.
    """
    asked = threading.Event()

    def stop(*_: Any) -> None:
        asked.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.start()
        began()
        while server.alive and not asked.wait(0.2):
            pass
    finally:
        server.stop()
        for number, handler in before.items():
            signal.signal(number, handler)
