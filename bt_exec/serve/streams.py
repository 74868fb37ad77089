"""Server-sent events of missions; all followers of a mission share one reader of its record.

Recorded events have their number as ``id``, so that a reconnecting client can continue after the
last received event, even if the service was restarted. ``Progress`` events are live only: they have
no ``id``, and only the newest one is sent.
"""

from __future__ import annotations

import asyncio
import bisect
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from bt_exec.journal import EventRow, Journal
from bt_exec.journal.json_text import to_json
from bt_exec.web.streams import format_event

__all__ = ["Feeds"]

_PERIOD_S = 0.1  # polling period of the record [s]
_BEAT_S = 15.0  # interval of keep-alive messages [s]
_CHECK_S = 1.0  # polling period for the end of a mission's process [s]
_ROWS = 500  # rows per read
_CLOSED = "closed"  # `_Tail.ended` if the service closes; no ``end`` event is sent then
_CHUNK = 64  # maximum number of events per write


class Feeds:
    """Event streams of the missions that clients follow.

    Args:
        journal: Journal of the missions.
        live: Returns True if the mission with the given identifier runs or waits in this service.
        progress: Returns progress and phase of the running mission's skills, by path.
    """

    def __init__(
        self,
        journal: Journal,
        live: Callable[[str], bool],
        progress: Callable[[], dict[str, tuple[float | None, str]]],
    ) -> None:
        self._journal = journal
        self._live = live
        self._progress = progress
        self._tails: dict[str, _Tail] = {}
        self.followed = 0
        self._closed = asyncio.Event()

    def close(self) -> None:
        """End every stream after the events recorded so far."""
        self._closed.set()

    async def has_no_more_events(self, mission_id: str, after: int) -> bool:
        """Return True if a mission has ended and its record has no event after number `after`."""
        line = await asyncio.to_thread(self._journal.mission_summary, mission_id)
        if line is None or (line.ended_at is None and not line.interrupted):
            return False
        return not await asyncio.to_thread(self._journal.rows, mission_id, after=after, limit=1)

    async def follow(self, mission_id: str, after: int) -> AsyncIterator[bytes]:
        """Yield the events numbered above `after` until the mission has ended."""
        tail = self._tails.get(mission_id)
        if tail is None:
            tail = self._tails[mission_id] = _Tail()
            tail.task = asyncio.create_task(self._read(mission_id, tail))
        tail.users += 1
        self.followed += 1
        try:
            async for chunk in self._events_after(tail, after):
                yield chunk
        finally:
            self.followed -= 1
            tail.users -= 1
            if not tail.users:
                self._tails.pop(mission_id, None)
                if tail.task is not None:
                    tail.task.cancel()

    async def _events_after(self, tail: _Tail, after: int) -> AsyncIterator[bytes]:
        index, live = -1, tail.live_number
        while True:
            if index < 0 and (tail.read or tail.ended):
                index = bisect.bisect_right(tail.numbers, after)
            while 0 <= index < len(tail.frames):
                chunk = b"".join(tail.frames[index : index + _CHUNK])
                index = min(index + _CHUNK, len(tail.frames))
                yield chunk
            if tail.ended:
                if tail.ended != _CLOSED:
                    yield format_event(to_json({"status": tail.ended}), "end")
                return
            if tail.live_number != live:
                live = tail.live_number
                yield tail.live
            changed = tail.changed
            try:
                await asyncio.wait_for(changed.wait(), _BEAT_S)
            except TimeoutError:
                yield b": still here\n\n"

    async def _read(self, mission_id: str, tail: _Tail) -> None:
        """Read new rows of a record repeatedly until the mission has ended."""
        after, checked = 0, 0.0
        shown: dict[str, Any] = {}
        loop = asyncio.get_running_loop()
        while not tail.ended:
            closed, ours = self._closed.is_set(), self._live(mission_id)
            rows = await asyncio.to_thread(self._journal.rows, mission_id, after=after, limit=_ROWS)
            for row in rows:
                after = row.seq
                tail.append_event(row)
            if len(rows) == _ROWS:
                continue
            if not rows and not ours and loop.time() - checked >= _CHECK_S:
                checked = loop.time()
                line = await asyncio.to_thread(self._journal.mission_summary, mission_id)
                if line is None or line.interrupted:
                    tail.ended = "interrupted"
            if closed:
                tail.ended = tail.ended or _CLOSED
            if ours:
                now = dict(self._progress())
                changed = {path: one for path, one in now.items() if shown.get(path) != one}
                shown = now
                if changed:
                    tail.send_progress(changed)
            if rows or tail.ended or not tail.read:
                tail.read = True
                tail.wake_followers()
            if not tail.ended:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._closed.wait(), _PERIOD_S)


class _Tail:
    """Events read from the record of one mission, shared by all its followers."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.frames: list[bytes] = []
        self.live = b""
        self.live_number = 0
        self.read = False  # whether the rows recorded before the first read have been read
        self.ended = ""
        self.users = 0
        self.task: asyncio.Task[None] | None = None
        self.changed = asyncio.Event()

    def wake_followers(self) -> None:
        """Notify all followers that there are new events."""
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()

    def append_event(self, row: EventRow) -> None:
        """Append a recorded event; progress is left out, because it is sent live."""
        if row.kind == "Progress":
            return
        self.numbers.append(row.seq)
        self.frames.append(_server_sent_event(row))
        if row.kind == "Finished":
            self.ended = "ended"

    def send_progress(self, progress: dict[str, tuple[float | None, str]]) -> None:
        """Replace the live progress of skills, and notify the followers."""
        self.live = b"".join(
            format_event(to_json({"path": path, "progress": share, "doing": doing}), "Progress")
            for path, (share, doing) in progress.items()
        )
        self.live_number += 1
        self.wake_followers()


def _server_sent_event(row: EventRow) -> bytes:
    """Return a recorded event as a server-sent event."""
    head = {"t": row.t, "tick": row.tick, "plan": row.plan, "path": row.path, "call": row.call}
    known = to_json({key: value for key, value in head.items() if value is not None})
    return format_event(f'{known[:-1]},"data":{row.data}}}', row.kind, row.seq)
