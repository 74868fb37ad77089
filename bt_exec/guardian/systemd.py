"""Notifications to systemd (sd_notify): READY, WATCHDOG, STOPPING, without libsystemd."""

from __future__ import annotations

import os
import socket
import time

__all__ = ["Notifier"]


class Notifier:
    """Sends a service's state to systemd; does nothing unless systemd started the service.

    Attributes:
        period_s: Interval of `alive` messages: half of ``WatchdogSec`` [s]; 0 for none.
    """

    def __init__(self) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "")
        mine = os.environ.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
        microseconds = os.environ.get("WATCHDOG_USEC", "")
        self.period_s = int(microseconds) / 2e6 if mine and microseconds.isdecimal() else 0.0
        self._last = 0.0

    def ready(self, status: str) -> bool:
        """Report that the service accepts commands; return whether systemd was notified."""
        return self._send(f"READY=1\nSTATUS={status}")

    def alive(self) -> bool:
        """Report that the service works, if it is time to; return whether it was reported."""
        now = time.monotonic()
        if not self.period_s or now - self._last < self.period_s:
            return False
        self._last = now
        return self._send("WATCHDOG=1")

    def stopping(self, status: str) -> bool:
        """Report that the service ends; return whether systemd was notified."""
        return self._send(f"STOPPING=1\nSTATUS={status}")

    def _send(self, text: str) -> bool:
        if not self._address:
            return False
        address = self._address
        if address.startswith("@"):  # an abstract socket
            address = "\0" + address[1:]
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as connection:
                connection.setblocking(False)
                connection.sendto(text.encode(), address)
        except OSError:
            return False
        return True
