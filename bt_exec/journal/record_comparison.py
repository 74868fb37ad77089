"""Comparison of two records of one mission, such as the original and the record of a rerun."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bt_exec.journal.journal import Journal
from bt_exec.journal.recorded_mission import EventRow

__all__ = ["Difference", "compare_records"]

_VOLATILE: Mapping[str, tuple[str, ...]] = {
    "MissionStarted": ("mission_id", "settings"),
    "Planned": ("usage",),
    "Finished": (
        "wall_seconds",
        "cause",
        "journal",
        "mission_id",
        "model_requests",
        "record_problem",
    ),
    "Observed": ("frame",),
    "SkillEnded": ("held_s",),
}
"""Fields that differ between two runs of one mission: wall time, identifiers, costs."""


@dataclass(frozen=True)
class Difference:
    """First event in which two runs of a mission differ.

    Attributes:
        t: Recorded time [s, mission clock].
        tick: Recorded tick.
        recorded: The recorded event: kind, node and the fields that differ; empty if the record has
            ended.
        found: The event of the new run, in the same form.
    """

    t: float
    tick: int
    recorded: str
    found: str


def compare_records(
    old: tuple[Journal, str], new: tuple[Journal, str], *, timed: bool, ended: bool
) -> tuple[int, Difference | None]:
    """Return the number of events that agree, and the first difference if there is one.

    Args:
        old: Journal and identifier of the recorded mission.
        new: Journal and identifier of its repetition.
        timed: Whether times are compared, too.
        ended: Whether the recorded mission has ended; further events of the new one then count as a
            difference.
    """
    before, after = _compared_rows(*old), _compared_rows(*new)
    ids = (new[1], old[1])
    for index, was in enumerate(before):
        now = after[index] if index < len(after) else None
        difference = _row_difference(was, now, ids, timed=timed)
        if difference is not None:
            return index, difference
    if ended and len(after) > len(before):
        more = after[len(before)]
        return len(before), Difference(more.t, more.tick, "", _in_words(more, {}))
    return len(before), None


def _compared_rows(journal: Journal, mission_id: str) -> list[EventRow]:
    """Return all rows of a mission except progress events, of which only some are recorded."""
    found: list[EventRow] = []
    after = 0
    while rows := journal.rows(mission_id, after=after):
        found += [row for row in rows if row.kind != "Progress"]
        after = rows[-1].seq
    return found


def _row_difference(
    was: EventRow, now: EventRow | None, ids: tuple[str, str], *, timed: bool
) -> Difference | None:
    """Return the difference between a recorded and a new row; None if they agree.

    Args:
        was: Recorded row.
        now: New row; None if the new record has ended.
        ids: Identifiers of the new and the recorded mission.
        timed: Whether times are compared.
    """
    if now is None:
        return Difference(was.t, was.tick, _in_words(was, {}), "")
    before, after = _comparable_fields(was, ("", "")), _comparable_fields(now, ids)
    differing = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    same = was.kind == now.kind and was.path == now.path and was.call == now.call
    if timed:
        same = same and was.tick == now.tick and abs(was.t - now.t) < 1e-6
    if same and not differing:
        return None
    shown = differing if was.kind == now.kind else ()
    return Difference(
        was.t,
        was.tick,
        _in_words(was, {key: before.get(key) for key in shown}),
        _in_words(now, {key: after.get(key) for key in shown}),
    )


def _comparable_fields(row: EventRow, ids: tuple[str, str]) -> dict[str, Any]:
    """Return the fields of a row, except fields that differ between any two runs.

    The first of `ids` is replaced by the second.
    """
    data: dict[str, Any] = json.loads(row.data.replace(*ids) if ids[0] else row.data)
    parts = [data, data.get("outcome"), data.get("observation")]
    for part in parts:
        if isinstance(part, dict):
            for name in _VOLATILE.get(row.kind, ()):
                part.pop(name, None)
    return {key: _with_path_suffixes(value) for key, value in data.items()}


def _with_path_suffixes(value: Any) -> Any:
    """Return data with file paths reduced to suffixes, because each run writes other files."""
    if isinstance(value, dict):
        return {key: _with_path_suffixes(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_with_path_suffixes(one) for one in value]
    is_path = isinstance(value, str) and value.startswith("/")
    return f"file{Path(value).suffix}" if is_path else value


def _in_words(row: EventRow, data: Mapping[str, Any]) -> str:
    said = json.dumps(data, ensure_ascii=False) if data else ""
    return " ".join(filter(None, (row.kind, row.path or "", said[:200])))
