"""Damaged cells of the journal: readers work, and only the row of the cell is lost."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from bt_exec.cli.history_and_why import report_interrupted_mission
from bt_exec.cli.output_streams import to_json
from bt_exec.events import (
    Aborting,
    FactsKnown,
    Finished,
    PerceptionFailed,
    Refused,
    Rejected,
)
from bt_exec.failure import Failure, Problem, Refusal
from bt_exec.journal import Journal, Recorder
from bt_exec.mission_outcome import Outcome
from bt_exec.pack import Catalogue
from bt_exec.serve.stages_and_plan_preview import stages_of
from bt_exec.site.site import catalogue_messages
from bt_exec.tui.mission_history import history_table, mission_entry_data, record_data, record_lines
from bt_exec.tui.paint import Painter
from bt_exec.tui.recorded_mission_messages import catalogue_and_messages, mission_explanation
from bt_exec.tui.terminal_text import UNICODE
from tests.bt_exec.journal.conftest import COMMAND, events_of
from tests.cases import some

TABLES = ("missions", "events", "specs", "exchanges")
KEYS = {("missions", "no"), ("events", "mission"), ("exchanges", "mission")}
"""Columns that assign a row to a mission.

A row without one cannot be distinguished from a missing row.
"""
GARBAGE: tuple[Any, ...] = (
    *("", "x", "{", "[]", "{}", "null", "5", '"x"', "yesterday", "danced", "[1, {}]", "한글\u0000"),
    *(-1, 0, 7, 2**62, -(2**63), 1e300, -1e300, 0.5, b"\xff\xfe", b"", "\x1b[2J"),
)
LEAVES: tuple[Any, ...] = (None, "x", -1, 1e300, True, [], {}, [[]], {"x": None}, "2026", 10**400)


def _make(path: Path) -> Journal:
    """Create a journal of four missions: two ended, one interrupted, one booked."""
    journal = Journal.open(path)
    for partly in (False, True):
        with journal.begin(command=COMMAND, language="ko", site="sim", session="s") as recorder:
            recorder.record_exchange(
                compiler="claude", model="m", request="q", answer="a", usage={"tokens": 12}
            )
            for event in events_of(recorder.mission_id)[: -1 if partly else None]:
                recorder.on(event)
            if partly:
                _end_partly(recorder)
    with journal.begin(command="open the door", site="sim") as recorder:
        for event in events_of(recorder.mission_id)[:9]:
            recorder.on(event)
    journal.book(command="waits")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE missions SET process = NULL")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return journal


def _end_partly(recorder: Recorder) -> None:
    """Record an end with every field of an outcome."""
    failure = Failure("SLIPPED", "lost", "fetch/home", node="return_home", evidence={"m": [0.1]})
    because = failure.with_cause(Failure("BLOCKED"))
    undone = {"what": "home", "why": "lost", "code": "SLIPPED", "path": "fetch/home"}
    outcome = Outcome(
        *(recorder.mission_id, COMMAND, "partial", "PARTLY_DONE", "일부만 했습니다."),
        sim_seconds=2.0,
        skipped=({"name": "open_door", "reason": "already open"},),
        failures=(because.to_dict(),),
        undone=({**undone, "node": "return_home", "args": {"arm": "right"}},),
        nearest=("문을 열어",),
        problems=("root: no",),
        results={"count": 2},
        did_you_mean=("문을 열어",),
        missing=("Arm",),
        question="어느 팔로?",
    )
    problem = Problem("BAD", "no", "root", "x", ("y",), "", 1, 2)
    recorder.on(Refused(2.0, 40, Refusal("UNKNOWN", "모릅니다", ("문을 열어",))))
    recorder.on(Rejected(2.0, 40, None, (problem,)))
    recorder.on(PerceptionFailed(2.0, 40, "door", "dark"))
    recorder.on(FactsKnown(2.0, 40, "end", {"door": "open"}, {"found": 1}))
    recorder.on(Aborting(2.0, 40, "clean", "operator"))
    recorder.on(Finished(2.0, 40, outcome))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "journal.sqlite"
    _make(path)
    return path


@pytest.fixture(autouse=True)
def sentences_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load the sentences of packs once. They are not part of the journal."""
    packs = Catalogue(())
    said = catalogue_messages(packs, {})
    monkeypatch.setattr("bt_exec.tui.recorded_mission_messages.catalogue_messages", lambda *_: said)


def _shown(journal: Journal, mission: str) -> dict[str, Any]:
    """Return all output of the reading commands about a mission."""
    record = journal.mission(mission)
    _, messages = catalogue_and_messages(record)
    said = mission_explanation(record)
    rows = record_lines(record, messages, 80, UNICODE, verbose=True)
    return {
        "show": json.loads(to_json(record_data(record))),
        "lines": [text for line in rows for text, _ in line],
        "why": json.loads(to_json(said.data())),
        "why lines": [text for line in said.lines(80, UNICODE) for text, _ in line],
        "stages": json.loads(to_json(stages_of(record))),
        "rows": journal.rows(mission),
        "saved": record.saved,
        "facts": (record.facts_at_start, record.facts_at_end),
    }


def _list(journal: Journal) -> dict[str, Any]:
    lines = journal.missions(None)
    console = Console(file=io.StringIO(), width=100)
    console.print(history_table(lines, UNICODE, 100))
    return {line.id: json.loads(to_json(mission_entry_data(line))) for line in lines}


def _read_all(path: Path) -> dict[str, dict[str, Any]]:
    """Return the results of every reader for every mission."""
    journal = Journal.open(path)
    listed = _list(journal)
    assert len(listed) == 4
    found = {name: {"line": line, **_shown(journal, name)} for name, line in listed.items() if name}
    report_interrupted_mission(Painter(io.StringIO()), journal)
    assert journal.next_interrupted() is None
    _shown(journal, "last")
    with journal.begin(command="next") as recorder:
        assert recorder.mission_id not in listed
    return found


def _cells(path: Path) -> Iterator[tuple[str, str, int]]:
    with closing(sqlite3.connect(path)) as connection:
        for table in TABLES:
            columns = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
            (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            for (column,) in columns.fetchall():
                if (table, column) not in KEYS:
                    yield from ((table, column, number) for number in range(count))


def _set(path: Path, table: str, column: str, number: int, value: Any) -> str:
    """Set a cell and return its mission, or "" if SQLite refuses the value."""
    key = {"missions": "no", "specs": "digest"}.get(table, "mission, seq")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.row_factory = sqlite3.Row
        row = connection.execute(
            f"SELECT * FROM {table} ORDER BY {key} LIMIT 1 OFFSET ?", (number,)
        ).fetchone()
        names = [name.strip() for name in key.split(",")]
        where = " AND ".join(f"{name} = ?" for name in names)
        try:
            connection.execute(
                f"UPDATE {table} SET {column} = ? WHERE {where}",
                (value, *(row[name] for name in names)),
            )
        except sqlite3.IntegrityError:
            return ""
        if table == "specs":
            return "*"
        number = row["no"] if table == "missions" else row["mission"]
        (name,) = connection.execute("SELECT id FROM missions WHERE no = ?", (number,)).fetchone()
        return str(row["id"] if table == "missions" else name)


@cache
def _before(whole: Path) -> dict[str, dict[str, Any]]:
    copy = shutil.copy(whole, whole.with_name("before.sqlite"))
    return _read_all(Path(copy))


def _check(whole: Path, folder: Path, cell: tuple[str, str, int], value: Any) -> bool:
    path = folder / "journal.sqlite"
    for old in folder.glob("journal.sqlite*"):
        old.unlink()
    shutil.copy(whole, path)
    hurt = _set(path, *cell, value)
    if not hurt:
        return False
    after = _read_all(path)
    for name, shown in _before(whole).items():
        if name != hurt and hurt != "*":
            assert after[name] == shown
    return True


CELL = st.integers(0, 10**6)


COUNTS = [10, pytest.param(40, marks=pytest.mark.slow)]


@pytest.mark.slow
@pytest.mark.parametrize("count", COUNTS)
def test_only_the_row_of_a_damaged_cell_is_lost(whole: Path, tmp_path: Path, count: int) -> None:
    cells = list(_cells(whole))
    columns = sorted({cell[:2] for cell in cells})
    hurt = []

    @settings(max_examples=count, deadline=None)
    @given(st.sampled_from(columns), CELL, st.sampled_from(GARBAGE))
    def damage(column: tuple[str, str], number: int, value: Any) -> None:
        mine = [cell for cell in cells if cell[:2] == column]
        hurt.extend([1] if _check(whole, tmp_path, mine[number % len(mine)], value) else [])

    damage()
    some(hurt, least=3)


def _leaves(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    items = enumerate(value) if isinstance(value, list) else ()
    for key, inner in value.items() if isinstance(value, dict) else items:
        yield from _leaves(inner, (*place, key))


def _replaced(value: Any, place: tuple[Any, ...], leaf: Any) -> Any:
    if not place:
        return leaf
    copy = dict(value) if isinstance(value, dict) else list(value)
    if leaf is ... and len(place) == 1:
        del copy[place[0]]
    else:
        copy[place[0]] = _replaced(value[place[0]], place[1:], leaf)
    return copy


@pytest.mark.parametrize("count", COUNTS)
def test_only_the_row_of_a_damaged_value_is_lost(whole: Path, tmp_path: Path, count: int) -> None:
    with closing(sqlite3.connect(whole)) as connection:
        texts = [
            (("events", "data", number), json.loads(data))
            for number, (data,) in enumerate(
                connection.execute("SELECT data FROM events ORDER BY mission, seq")
            )
        ]
        texts += [
            (("missions", "outcome", number), json.loads(data))
            for number, (data,) in enumerate(
                connection.execute("SELECT outcome FROM missions ORDER BY no")
            )
            if data
        ]
    places = [(cell, data, place) for cell, data in texts for place in _leaves(data)]

    @settings(max_examples=count, deadline=None)
    @given(st.sampled_from(places), st.sampled_from([*LEAVES, ...]))
    def damage(where: tuple[Any, Any, tuple[Any, ...]], leaf: Any) -> None:
        cell, data, place = where
        text = json.dumps(_replaced(data, place, leaf if place or leaf is not ... else None))
        assert _check(whole, tmp_path, cell, text)

    damage()
