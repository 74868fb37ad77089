"""Following of a record while this or another process writes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bt_exec.events import Event, Finished
from bt_exec.journal.codec import Specs, event_of
from bt_exec.spec.model import MissionSpec

if TYPE_CHECKING:
    from bt_exec.journal.journal import Journal
    from bt_exec.journal.record import EventRow

__all__ = ["JournalTail", "Tail", "decoded"]


class Tail(Protocol):
    """Source of a mission's events as they are recorded.

    Attributes:
        ended: Why no more events will come: ``ended``, ``interrupted``; empty while it runs.
    """

    ended: str

    def read(self) -> list[Event]:
        """Return the events since the last call, without waiting."""


class JournalTail:
    """Follower of a mission in the journal.

    Args:
        journal: The journal; another process may write it.
        mission_id: The whole identifier of the mission.
    """

    def __init__(self, journal: Journal, mission_id: str) -> None:
        self.ended = ""
        self._journal = journal
        self._mission_id = mission_id
        self._after = 0
        self._specs = Specs(journal.spec)

    def read(self) -> list[Event]:
        """Return the events since the last call; unreadable rows are skipped."""
        gone = self._is_gone()
        found: list[Event] = []
        while rows := self._journal.rows(self._mission_id, after=self._after):
            for row in rows:
                event = decoded(row, self._specs, self._journal.frames / self._mission_id)
                found += [] if event is None else [event]
            self._after = rows[-1].seq
        if any(isinstance(event, Finished) for event in found):
            self.ended = "ended"
        elif gone:
            self.ended = "interrupted"
        return found

    def _is_gone(self) -> bool:
        line = self._journal.line(self._mission_id)
        return line is None or line.interrupted


def decoded(row: EventRow, spec_of: Callable[[str], MissionSpec], frames: Path) -> Event | None:
    """Return the event of a row; None for an unreadable row."""
    columns = {"t": row.t, "tick": row.tick, "path": row.path, "call": row.call}
    try:
        return event_of(row.kind, columns, json.loads(row.data), spec_of, frames)
    except Exception:  # noqa: BLE001 - `history check` reports damaged rows; the others are shown
        return None
