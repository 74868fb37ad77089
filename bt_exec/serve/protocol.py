"""HTTP/1.1 protocol with read timeouts, so that slow clients cannot occupy connections."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["HEAD_S", "STALL_S", "BoundedProtocol"]

HEAD_S = 10.0
"""Time limit for receiving the head of a request [s]."""
STALL_S = 30.0
"""Time limit for a client to read a full buffer [s]."""


class BoundedProtocol(H11Protocol):
    """uvicorn's protocol with time limits for slow request heads and slow readers."""

    _head: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the timer for the first head."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Start the timer for the rest of the next head with its first byte."""
        if self._head is None:
            self._wait_for_head()
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers."""
        for timer in (self._head, self._stall):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the timer for a client that does not read."""
        super().pause_writing()
        self._stall = self.loop.call_later(STALL_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Cancel the timer of a client that reads again."""
        super().resume_writing()
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    def _wait_for_head(self) -> None:
        self._head = self.loop.call_later(HEAD_S, self._too_slow)

    def _too_slow(self) -> None:
        self._head = None
        cycle: Any = self.cycle  # None before the first request
        if cycle is None or cycle.response_complete:
            self.transport.abort()
