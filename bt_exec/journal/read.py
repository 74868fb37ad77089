"""Reading of missions from the tables, also while this or another process writes them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bt_exec.events import Event, Finished, Planned, SkillEnded, SkillStarting
from bt_exec.failure import UnknownName, UsageError
from bt_exec.journal.event_row_codec import Specs, event_from_row
from bt_exec.journal.mission_row import MissionRow, has_process_ended
from bt_exec.journal.recorded_mission import (
    EventRow,
    Exchange,
    MissionRecord,
    MissionSummary,
    PlanRecord,
    SkillRun,
)
from bt_exec.journal.typed_value_decoding import build_checked
from bt_exec.planning.compiler import REPLIES
from bt_exec.spec.model import MissionSpec

if TYPE_CHECKING:
    from bt_exec.journal.recorded_mission import EventRow

__all__ = [
    "Tail",
    "decode_event",
    "mission_summary",
    "read_mission",
    "read_rows",
    "read_spec",
    "read_summaries",
]

_KNOWN = 20  # maximum number of missions that an error lists
_NEAR = 3  # maximum number of missions that an error lists for an unknown number


def read_summaries(
    connection: sqlite3.Connection,
    limit: int | None,
    only: str,
    values: Mapping[str, Any],
    keep: Callable[[MissionSummary], bool] = lambda _: True,
) -> tuple[MissionSummary, ...]:
    """Return the newest missions that satisfy a condition, newest first.

    Args:
        connection: The journal.
        limit: Maximum number; None for all.
        only: Condition in SQL; must not contain text from outside.
        values: Parameters of the condition.
        keep: Predicate on entries; rows are read only until `limit` entries satisfy it.
    """
    rows = connection.execute(
        f"SELECT * FROM missions WHERE ({only}) ORDER BY no DESC",  # noqa: S608 - no outside text
        values,
    )
    lines = filter(keep, (mission_summary(connection, row) for row in rows))
    return tuple(islice(lines, limit))


def mission_summary(connection: sqlite3.Connection, row: sqlite3.Row) -> MissionSummary:
    """Return a mission's row as a list entry."""
    return _line(MissionRow(row), begun=_has_begun(connection, row))


def _line(cells: MissionRow, *, begun: bool) -> MissionSummary:
    return cells.line(begun=begun, gone=has_process_ended(cells.text("process") or None))


def read_spec(connection: sqlite3.Connection, digest: str) -> str:
    """Return the text of a plan by its digest.

    Raises:
        UnknownName: If there is no such plan.
    """
    found = connection.execute("SELECT yaml FROM specs WHERE digest = ?", (digest,)).fetchone()
    if found is None:
        raise UnknownName("plan", digest, ())
    return str(found[0])


def read_rows(
    connection: sqlite3.Connection, mission_id: str, after: int, limit: int
) -> tuple[EventRow, ...]:
    """Return the recorded events of a mission; see `bt_exec.journal.Journal.rows`."""
    found = connection.execute(
        "SELECT e.* FROM events e JOIN missions m ON m.no = e.mission WHERE m.id = ?"
        " AND e.seq > ? ORDER BY e.seq LIMIT ?",
        (mission_id, after, limit),
    )
    rows = (EventRow(*(row[name] for name in EventRow._fields)) for row in found)
    return tuple(row for row in rows if _is_sound(row))


def _is_sound(row: EventRow) -> bool:
    """Return True if every cell of an event's row has its expected type."""
    try:
        build_checked(EventRow, row._asdict())
        return isinstance(json.loads(row.data), dict)
    except (TypeError, ValueError, RecursionError):
        return False


def read_mission(connection: sqlite3.Connection, which: str | int, frames: Path) -> MissionRecord:
    """Return the record of a mission, read in one transaction while others may write.

    Raises:
        UnknownName: If there is no such mission.
    """
    connection.execute("BEGIN")
    row = _find_row(connection, str(which).strip())
    cells = MissionRow(row)
    number, folder = cells.number, frames / (Path(cells.name()).name or "unnamed")
    specs = Specs(partial(read_spec, connection))
    events: list[Event] = []
    plans: list[PlanRecord] = []
    starts: list[tuple[int, SkillStarting]] = []
    ends: dict[tuple[str, int], SkillEnded] = {}  # by skill and call number
    unreadable: list[str] = []
    for at in connection.execute("SELECT * FROM events WHERE mission = ? ORDER BY seq", (number,)):
        try:
            data = json.loads(at["data"])
            event = event_from_row(at["kind"], dict(at), data, specs, folder)
        except Exception as error:  # noqa: BLE001 - a damaged row must not hide the others
            unreadable.append(f"{at['seq']} {at['kind']}: {error or type(error).__name__}")
            continue
        events.append(event)
        if isinstance(event, Planned):
            plans.append(PlanRecord(event, data["spec"], specs.texts[data["spec"]]))
        elif isinstance(event, SkillStarting):
            starts.append((at["plan"], event))
        elif isinstance(event, SkillEnded):
            ends[event.skill, event.call] = event
    line = _line(cells, begun=bool(events or unreadable or row["status"]))
    facts: dict[str, Any] = {
        **{name: cells.mapping(name) for name in ("settings", "seeds", "setup")},
        **{name: cells.text(name) for name in ("session", "continues", "program")},
        **{name: cells.count(name) for name in ("frames_kept", "frames_dropped")},
    }
    exchanges = tuple(_exchanges(connection, number, unreadable))
    return MissionRecord(
        line=line,
        outcome=next((e.outcome for e in reversed(events) if isinstance(e, Finished)), None)
        or (cells.outcome() if unreadable else None),
        events=tuple(events),
        plans=tuple(plans),
        skills=tuple(
            SkillRun(plan, start, ends.get((start.skill, start.call))) for plan, start in starts
        ),
        exchanges=exchanges,
        frames=folder,
        unreadable=(*cells.damaged, *unreadable),
        **facts,
    )


def _exchanges(
    connection: sqlite3.Connection, number: int, unreadable: list[str]
) -> Iterator[Exchange]:
    """Yield the exchanges of a mission in order; unreadable ones are added to `unreadable`."""
    rows = connection.execute("SELECT * FROM exchanges WHERE mission = ? ORDER BY seq", (number,))
    for row in rows:
        try:
            names = ("plan", "compiler", "model", "request_digest", "answer")
            usage = json.loads(row["usage"])
            yield build_checked(Exchange, {**{name: row[name] for name in names}, "usage": usage})
        except Exception as error:  # noqa: BLE001 - a damaged row must not hide the others
            unreadable.append(f"{row['seq']} exchange: {error or type(error).__name__}")


def _find_row(connection: sqlite3.Connection, which: str) -> sqlite3.Row:
    """Return the row of a mission, given ``last``, its identifier or its number within a day.

    If several missions have the number, the newest is returned.
    """
    if which == "last":
        queries = [  # missions that only gave a reply are used if there are no others
            "SELECT * FROM missions WHERE COALESCE(reason_code, '') NOT IN"
            " (SELECT value FROM json_each(:replies)) ORDER BY no DESC LIMIT 1",
            "SELECT * FROM missions ORDER BY no DESC LIMIT 1",
        ]
    elif which.isdecimal() and len(which) < 10:
        queries = [
            "SELECT * FROM missions WHERE number = CAST(:which AS INTEGER) OR id = :which"
            " ORDER BY no DESC LIMIT 1"
        ]
    else:
        queries = [
            "SELECT * FROM missions WHERE id = :which",
            "SELECT * FROM missions WHERE typeof(number) = 'integer'"
            " AND day || printf('-%04d', number) = :which LIMIT 1",
        ]
    values = {"which": which, "replies": json.dumps(sorted(REPLIES))}
    row: sqlite3.Row | None = None
    for query in queries:  # each uses an index, or stops at the first match
        row = row or connection.execute(query, values).fetchone()
    if row is None:
        near = f"ABS(number - {int(which)})," if which.isdecimal() and len(which) < 10 else ""
        known = connection.execute(
            f"SELECT id FROM missions ORDER BY {near} no DESC LIMIT ?",  # noqa: S608 - a number
            (_NEAR if near else _KNOWN,),
        )
        names = [str(name) for (name,) in known]
        if not names:
            raise UsageError("no mission is on record yet")
        raise UnknownName("mission", which, names)
    return row


def _has_begun(connection: sqlite3.Connection, row: sqlite3.Row) -> bool:
    """Return True if a mission has ended, or any event of it is on record."""
    first = "SELECT 1 FROM events WHERE mission = ? LIMIT 1"
    return bool(row["status"] or connection.execute(first, (row["no"],)).fetchone())


class Tail(Protocol):
    """Source of a mission's events as they are recorded.

    Attributes:
        ended: Reason why no more events follow, ``ended`` or ``interrupted``; empty while it runs.
    """

    ended: str

    def read(self) -> list[Event]:
        """Return the events since the last call, without waiting."""


def decode_event(
    row: EventRow, spec_of: Callable[[str], MissionSpec], frames: Path
) -> Event | None:
    """Return the event of a row; None for an unreadable row."""
    columns = {"t": row.t, "tick": row.tick, "path": row.path, "call": row.call}
    try:
        return event_from_row(row.kind, columns, json.loads(row.data), spec_of, frames)
    except Exception:  # noqa: BLE001 - `history check` reports damaged rows; the others are shown
        return None
