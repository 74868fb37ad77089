"""Latest-value broadcast. Subscribers receive the newest value; older ones are dropped."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

__all__ = ["Latest"]


class Latest:
    """The newest text; published from any thread, awaited on one event loop.

    Args:
        wanted: Called when somebody begins to wait: a text of this moment is wanted.

    Attributes:
        watched: How many wait for texts now.
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
        """Give everybody a new text; it is soon theirs, and this waits for nobody."""
        self._text = text
        self._number += 1
        self._wake()

    def close(self) -> None:
        """End every wait."""
        self._closed = True
        self._wake()

    async def texts(self) -> AsyncIterator[bytes]:
        """Yield the text of this moment, and again whenever there is a newer one, until the end."""
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
                    if self._number == known and not self._closed:  # else its call was too early
                        await future
        finally:
            self.watched -= 1

    def _wake(self) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits any more
                loop.call_soon_threadsafe(self._woken)

    def _woken(self) -> None:
        waiting, self._waiting = self._waiting, set()
        for future in waiting:
            if not future.done():
                future.set_result(None)
