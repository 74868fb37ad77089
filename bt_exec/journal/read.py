"""How missions are read from the tables."""

from __future__ import annotations

import json
import sqlite3
from datetime import date, datetime
from pathlib import Path

from bt_exec.events import Event, Finished, Planned, SkillEnded, SkillStarting
from bt_exec.failure import UnknownName
from bt_exec.journal.codec import event_of
from bt_exec.journal.process import is_gone
from bt_exec.journal.record import (
    EventRow,
    Exchange,
    MissionLine,
    MissionRecord,
    PlanRecord,
    SkillRun,
)
from bt_exec.planning.compiler import REPLIES
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec

__all__ = ["read_lines", "read_mission", "read_rows"]

_KNOWN = 20  # missions that an error lists
_NEAR = 3  # missions that an error lists where a number was looked up


class _Specs:
    """The specs of a mission, each read once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.texts: dict[str, str] = {}
        self._specs: dict[str, MissionSpec] = {}
        self._connection = connection

    def __call__(self, digest: str) -> MissionSpec:
        """Return the spec with that digest."""
        if digest not in self._specs:
            found = self._connection.execute("SELECT yaml FROM specs WHERE digest = ?", (digest,))
            (self.texts[digest],) = found.fetchone()
            document = load_text(self.texts[digest], f"the plan {digest[:12]}").document
            assert isinstance(document, MissionSpec)
            self._specs[digest] = document
        return self._specs[digest]


def read_lines(
    connection: sqlite3.Connection,
    limit: int | None,
    site: str | None,
    day: date | None,
    *,
    mission_id: str | None = None,
    only: str = "TRUE",
) -> tuple[MissionLine, ...]:
    """Return the newest missions, newest first; see `bt_exec.journal.Journal.missions`.

    Args:
        connection: The journal.
        limit: How many at most; None for all.
        site: Only those of this site.
        day: Only those that began on this day.
        mission_id: Only the one of this name.
        only: A further condition in SQL, our own words.
    """
    wanted = {"site": site, "day": None if day is None else day.isoformat(), "id": mission_id}
    rows = connection.execute(
        "SELECT * FROM missions WHERE (:site IS NULL OR site = :site)"  # noqa: S608 - our own words
        f" AND (:day IS NULL OR day = :day) AND (:id IS NULL OR id = :id) AND ({only})"
        " ORDER BY no DESC LIMIT :limit",
        {**wanted, "limit": -1 if limit is None else limit},  # -1: as many as there are
    )
    return tuple(_line(row, begun=_begun(connection, row)) for row in rows)


def read_rows(
    connection: sqlite3.Connection, mission_id: str, after: int, limit: int
) -> tuple[EventRow, ...]:
    """Return events of a mission as they stand on record; see `bt_exec.journal.Journal.rows`."""
    found = connection.execute(
        "SELECT e.* FROM events e JOIN missions m ON m.no = e.mission WHERE m.id = ?"
        " AND e.seq > ? ORDER BY e.seq LIMIT ?",
        (mission_id, after, limit),
    )
    return tuple(EventRow(*(row[name] for name in EventRow._fields)) for row in found)


def read_mission(connection: sqlite3.Connection, which: str | int, frames: Path) -> MissionRecord:
    """Return a mission, in one consistent view even while it is being written.

    Raises:
        UnknownName: If there is no such mission.
    """
    connection.execute("BEGIN")
    row = _find(connection, str(which).strip())
    number, folder = row["no"], frames / row["id"]
    specs = _Specs(connection)
    events: list[Event] = []
    plans: list[PlanRecord] = []
    starts: list[tuple[int, SkillStarting]] = []
    ends: dict[tuple[str, int], SkillEnded] = {}  # calls are counted for each skill
    unreadable: list[str] = []
    for at in connection.execute("SELECT * FROM events WHERE mission = ? ORDER BY seq", (number,)):
        try:
            data = json.loads(at["data"])
            event = event_of(at["kind"], dict(at), data, specs, folder)
        except Exception as error:  # noqa: BLE001 - a damaged row must not hide the others
            unreadable.append(f"{at['seq']} {at['kind']}: {error}")
            continue
        events.append(event)
        if isinstance(event, Planned):
            plans.append(PlanRecord(event, data["spec"], specs.texts[data["spec"]]))
        elif isinstance(event, SkillStarting):
            starts.append((at["plan"], event))
        elif isinstance(event, SkillEnded):
            ends[event.skill, event.call] = event
    outcome = next((e.outcome for e in reversed(events) if isinstance(e, Finished)), None)
    return MissionRecord(
        line=_line(row, begun=bool(events or unreadable or row["status"])),
        settings=json.loads(row["settings"]),
        seeds=json.loads(row["seeds"]),
        program=row["program"],
        outcome=outcome,
        events=tuple(events),
        plans=tuple(plans),
        skills=tuple(
            SkillRun(plan, start, ends.get((start.skill, start.call))) for plan, start in starts
        ),
        exchanges=_exchanges(connection, number),
        frames=folder,
        frames_kept=row["frames_kept"],
        frames_dropped=row["frames_dropped"],
        unreadable=tuple(unreadable),
    )


def _exchanges(connection: sqlite3.Connection, number: int) -> tuple[Exchange, ...]:
    """Return the exchanges of a mission, in order."""
    rows = connection.execute("SELECT * FROM exchanges WHERE mission = ? ORDER BY seq", (number,))
    return tuple(
        Exchange(
            row["plan"],
            row["compiler"],
            row["model"],
            row["request_digest"],
            row["answer"],
            json.loads(row["usage"]),
        )
        for row in rows
    )


def _find(connection: sqlite3.Connection, which: str) -> sqlite3.Row:
    """Return the row of a mission by ``last``, number of the day (the newest such), or id."""
    if which == "last":
        rows = connection.execute(  # nobody asks about thanks, unless there is nothing else
            "SELECT * FROM missions ORDER BY COALESCE(reason_code, '') IN"
            " (SELECT value FROM json_each(?)), no DESC LIMIT 1",
            (json.dumps(sorted(REPLIES)),),
        )
    elif which.isdecimal() and len(which) < 10:
        rows = connection.execute(
            "SELECT * FROM missions WHERE number = ? ORDER BY no DESC LIMIT 1",
            (int(which),),
        )
    else:
        rows = connection.execute("SELECT * FROM missions WHERE id = ?", (which,))
    row: sqlite3.Row | None = rows.fetchone()
    if row is None:
        near = f"ABS(number - {int(which)})," if which.isdecimal() and len(which) < 10 else ""
        known = connection.execute(
            f"SELECT id FROM missions ORDER BY {near} no DESC LIMIT ?",  # noqa: S608 - a number
            (_NEAR if near else _KNOWN,),
        )
        raise UnknownName("mission", which, [name for (name,) in known])
    return row


def _begun(connection: sqlite3.Connection, row: sqlite3.Row) -> bool:
    """Whether a mission has ended, or anything of it is on record."""
    first = "SELECT 1 FROM events WHERE mission = ? LIMIT 1"
    return bool(row["status"] or connection.execute(first, (row["no"],)).fetchone())


def _line(row: sqlite3.Row, *, begun: bool) -> MissionLine:
    """Return a mission's row as a line of a list."""
    ended = row["ended_at"]
    return MissionLine(
        id=row["id"],
        command=row["command"],
        language=row["language"],
        site=row["site"],
        status=row["status"] or "unfinished",
        reason_code=row["reason_code"] or "",
        message=row["message"] or "",
        started_at=datetime.fromtimestamp(row["started_at"]).astimezone(),
        ended_at=None if ended is None else datetime.fromtimestamp(ended).astimezone(),
        seconds=json.loads(row["outcome"]).get("sim_seconds") if row["outcome"] else None,
        interrupted=row["status"] is None and is_gone(row["process"]),
        begun=begun,
    )
