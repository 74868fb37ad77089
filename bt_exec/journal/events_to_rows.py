"""Conversion of events to rows, on the writer's thread. Invalid contents raise no error."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from bt_exec.events import Event, Finished, Observed, Planned, Progress, Rejected
from bt_exec.journal.event_row_codec import digest_of, extra_event_data, observation_data
from bt_exec.journal.json_text import replace_surrogates, to_bounded_json, to_json
from bt_exec.journal.png_frames import FrameStore
from bt_exec.mission_outcome import Outcome
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.model import MissionSpec

__all__ = ["STATEMENTS", "ModelExchange", "Row", "Rows"]

Row: TypeAlias = tuple[str, tuple[Any, ...]]
"""A statement, one of the values of `STATEMENTS`, with its parameters; idempotent."""

_EVENT = "INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SPEC = "INSERT OR IGNORE INTO specs VALUES (?, ?)"
_EXCHANGE = "INSERT OR REPLACE INTO exchanges VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_END = (
    "UPDATE missions SET ended_at = MAX(?, started_at), status = ?, reason_code = ?, message = ?, "
    "outcome = ? WHERE no = ?"  # the system clock may have been set back
)
_FRAMES = "UPDATE missions SET frames_kept = ?, frames_dropped = ? WHERE no = ?"

STATEMENTS: Mapping[str, str] = {
    "event": _EVENT,
    "spec": _SPEC,
    "exchange": _EXCHANGE,
    "end": _END,
    "frames": _FRAMES,
}
"""SQL statements by the names that side files use."""


PROGRESS_S = 0.5
"""Minimum time between two progress rows of one node [s, mission clock]."""
PROGRESS_ROWS = 20
"""Maximum number of progress rows per second of the mission clock, over all nodes."""


class ModelExchange(NamedTuple):
    """An exchange with a model, queued for the writer."""

    compiler: str
    model: str
    request: str
    answer: str
    usage: Mapping[str, float]


class Rows:
    """Builder of the numbered rows of one mission.

    Args:
        number: The mission's row.
        language: Language of the descriptions of observations.
        frames: Store for the frames of observations, or None to keep none.

    Attributes:
        gaps: Number of events that were too large or could not be encoded, and were shortened.
    """

    def __init__(self, number: int, language: str, frames: FrameStore | None) -> None:
        self.gaps = 0
        self._number = number
        self._language = language
        self._frames = frames
        self._seq = 0
        self._plan = 0
        self._progress_at: dict[str, float] = {}  # time of the last progress row, by path
        self._progress_rows = (0.0, 0)  # current second of the mission clock, number of rows in it

    def encode(self, item: Event | ModelExchange) -> list[Row]:
        """Return the rows of an event; a placeholder row if the event cannot be encoded.

        A progress event beyond the maximum rate has no row.
        """
        if isinstance(item, Progress) and not self._count_if_within_rate(item):
            return []
        self._seq += 1
        if isinstance(item, ModelExchange):
            return [self._exchange_row(item)]
        rows: list[Row] = []
        try:
            data, cut = to_bounded_json(extra_event_data(item, self._recorded_form(item, rows)))
            self.gaps += cut
            if isinstance(item, Finished):
                rows.append(self._end_row(item.outcome))
        except BaseException as error:  # noqa: BLE001 - events contain objects of packs
            self.gaps += 1
            data = to_json({"unwritable": f"{type(error).__name__}: {error}"})
        path, call = getattr(item, "path", None), getattr(item, "call", None)
        place = None if path is None else replace_surrogates(path)
        when = (self._number, self._seq, item.t, item.tick, self._plan)
        rows.append((_EVENT, (*when, type(item).__name__, place, call, data)))
        return rows

    def _count_if_within_rate(self, event: Progress) -> bool:
        """Return True, and count the row, if a progress event is within the maximum rate."""
        second = event.t // 1
        rows = self._progress_rows[1] if self._progress_rows[0] == second else 0
        last = self._progress_at.get(event.path)
        if rows >= PROGRESS_ROWS or (last is not None and 0 <= event.t - last < PROGRESS_S):
            return False
        self._progress_rows = (second, rows + 1)
        self._progress_at[event.path] = event.t
        return True

    @property
    def count(self) -> int:
        """Number of events and exchanges so far."""
        return self._seq

    def picture_count_row(self, frames: FrameStore) -> Row:
        """Return the row that updates the numbers of kept and dropped frames."""
        return (_FRAMES, (frames.kept, frames.dropped, self._number))

    def _recorded_form(self, event: Event, rows: list[Row]) -> dict[str, Any]:
        """Return the values recorded in place of an observation or a spec, by field.

        The row of a spec is added to `rows`.
        """
        if isinstance(event, Observed):
            frame = None if self._frames is None else event.observation.frame
            name = None
            if self._frames is not None and frame is not None:
                name = self._frames.offer(self._seq, frame)
            return {"observation": observation_data(event.observation, self._language, name)}
        if isinstance(event, Planned):
            self._plan = event.spec.mission.plan_version
            return {"spec": self._add_spec_row(event.spec, rows)}
        if isinstance(event, Rejected) and event.spec is not None:
            return {"spec": self._add_spec_row(event.spec, rows)}
        return {}

    def _add_spec_row(self, spec: MissionSpec, rows: list[Row]) -> str:
        """Add the row of a spec; return its digest."""
        text = replace_surrogates(dump_yaml(spec))
        digest = digest_of(text)
        rows.append((_SPEC, (digest, text)))
        return digest

    def _end_row(self, end: Outcome) -> Row:
        """Return the row that completes a mission with its outcome."""
        words = (
            replace_surrogates(end.status),
            replace_surrogates(end.reason_code),
            replace_surrogates(end.message),
        )
        return (_END, (time.time(), *words, to_json(end.to_dict()), self._number))

    def _exchange_row(self, raw: ModelExchange) -> Row:
        """Return the row of an exchange with a model."""
        names = (
            replace_surrogates(raw.compiler),
            replace_surrogates(raw.model),
            digest_of(raw.request),
        )
        usage, cut = to_bounded_json(raw.usage)
        self.gaps += cut
        values = (*names, replace_surrogates(raw.answer), usage)
        return (_EXCHANGE, (self._number, self._seq, self._plan, *values))
