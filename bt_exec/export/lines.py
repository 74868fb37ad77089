"""Export as JSON Lines: the mission, its plans and its events, one object per line.

::

    {"line": "mission", "mission_id": …, "command": …, "setup": …, "outcome": …}
    {"line": "plan", "digest": …, "version": …, "yaml": …}
    {"line": "event", "seq": …, "t": …, "tick": …, "plan": …, "kind": …, "path": …, "data": …}
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bt_exec.journal import EventRow, Journal, MissionRecord
from bt_exec.journal.json_text import to_json
from bt_exec.tui.history import line_data

__all__ = ["event_rows", "header_of", "write_lines"]


def write_lines(journal: Journal, record: MissionRecord, path: Path) -> None:
    """Write a mission as JSON lines.

    Raises:
        OSError: If the file cannot be written.
    """
    with path.open("x", encoding="utf-8") as file:
        file.write(to_json({"line": "mission", **header_of(record)}) + "\n")
        for plan in record.plans:
            facts = {"digest": plan.digest, "version": plan.version, "yaml": plan.text}
            file.write(to_json({"line": "plan", **facts}) + "\n")
        for row in event_rows(journal, record.id):
            data = {**row._asdict(), "data": json.loads(row.data)}
            file.write(to_json({"line": "event", **data}) + "\n")


def header_of(record: MissionRecord) -> dict[str, Any]:
    """Return the data of a mission besides its plans and events."""
    return {
        **line_data(record.line),
        "program": record.program,
        "session": record.session,
        "continues": record.continues,
        "settings": dict(record.settings),
        "seeds": dict(record.seeds),
        "setup": dict(record.setup),
        "outcome": None if record.outcome is None else record.outcome.to_dict(),
        "unreadable": list(record.unreadable),
    }


def event_rows(journal: Journal, mission_id: str) -> Iterator[EventRow]:
    """Yield the recorded events of a mission."""
    after = 0
    while rows := journal.rows(mission_id, after=after):
        yield from rows
        after = rows[-1].seq
