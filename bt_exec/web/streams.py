"""Server-sent events, and a broadcast of the newest text to all subscribers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

__all__ = ["Latest", "format_event"]


def format_event(data: str, event: str = "", number: int | None = None) -> bytes:
    """Return a server-sent event.

    Args:
        data: JSON on one line.
        event: Type of the event; a comment line is sent if empty.
        number: The ``id`` of the event.
    """
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}{f'event: {event}' if event else ': '}\ndata: {data}\n\n".encode()


class Latest:
    """Broadcast of the newest text; published from any thread, received on one event loop.

    Args:
        wanted: Called for each new subscriber; it should cause a current text to be published.

    Attributes:
        watched: Number of current subscribers.
    """

    def __init__(self, wanted: Callable[[], None]) -> None:
        self._wanted = wanted
        self.watched = 0
        self._text = b""
        self._number = 0
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[asyncio.Future[None]] = set()

    def publish(self, text: bytes) -> None:
        """Publish a new text to all subscribers, without waiting for them."""
        self._text = text
        self._number += 1
        self._wake()

    def close(self) -> None:
        """End the iteration of every subscriber."""
        self._closed = True
        self._wake()

    async def texts(self) -> AsyncIterator[bytes]:
        """Yield each newly published text until `close`; a slow subscriber skips texts."""
        self._loop = asyncio.get_running_loop()
        self.watched += 1
        known = self._number
        self._wanted()
        try:
            while True:
                if self._number != known:
                    known = self._number
                    yield self._text
                elif self._closed:
                    return
                else:
                    future = self._loop.create_future()
                    self._waiting.add(future)
                    # a text may have been published before the future was added
                    if self._number == known and not self._closed:
                        await future
        finally:
            self.watched -= 1

    def _wake(self) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended: there are no subscribers
                loop.call_soon_threadsafe(self._woken)

    def _woken(self) -> None:
        waiting, self._waiting = self._waiting, set()
        for future in waiting:
            if not future.done():
                future.set_result(None)
