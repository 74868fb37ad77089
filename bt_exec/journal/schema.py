"""Tables of the journal, and their creation and migration.

::

    missions    one row for each mission; `status` is NULL while unfinished (running, or killed)
    events      all events in order; `data` holds the event's other fields as JSON,
                `plan` the plan version in force, `path` the node, `call` the skill call
    specs       every spec once, as YAML, by the SHA-256 of that text
    exchanges   raw answers of models to compilers, with the digests of the requests

    plans, transitions, skill_starts, skill_ends, verdicts, looks, turns, progress, facts
                views of `events`, for use with `sqlite3`

Rows are only added. The end of a mission completes the last columns of its row.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from bt_exec.failure import UsageError

__all__ = ["APPLICATION_ID", "MIGRATIONS", "NOT_RESUMED", "connect", "prepare"]

APPLICATION_ID = 0x62744A31  # "btJ1": distinguishes journals from other SQLite databases
NOT_RESUMED = (
    "NOT EXISTS (SELECT 1 FROM missions AS later WHERE later.continues = missions.id"
    " AND later.status IS NOT 'refused')"
)
"""Condition that no other mission resumed a mission. Refused resumptions do not count."""
BUSY_S = 1.0  # maximum time that a statement waits for another writing process [s]
_OPEN_S = 5.0  # maximum time that opening waits for another migrating process [s]


def _create_view_statement(name: str, where: str, **fields: str) -> str:
    """Return the statement that creates a view of some events.

    Args:
        name: Name of the view.
        where: SQL condition that selects the events.
        fields: Name of the view's column for each field of the events' data.
    """
    shown = "".join(f", json_extract(e.data, '$.{key}') AS {as_}" for key, as_ in fields.items())
    return (
        f"CREATE VIEW {name} AS SELECT m.id AS mission, e.seq, e.t, e.tick, e.plan, e.path, e.call"  # noqa: S608 - no outside text
        f"{shown} FROM events e JOIN missions m ON m.no = e.mission WHERE {where}"
    )


MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE missions (
            no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, day TEXT NOT NULL,
            number INTEGER NOT NULL, command TEXT NOT NULL, language TEXT NOT NULL,
            site TEXT NOT NULL, settings TEXT NOT NULL, seeds TEXT NOT NULL,
            program TEXT NOT NULL, started_at REAL NOT NULL, ended_at REAL, status TEXT,
            reason_code TEXT, message TEXT, outcome TEXT, frames_kept INTEGER NOT NULL DEFAULT 0,
            frames_dropped INTEGER NOT NULL DEFAULT 0, UNIQUE (day, number))""",
        "CREATE INDEX missions_by_number ON missions (number)",
        """CREATE TABLE events (
            mission INTEGER NOT NULL REFERENCES missions (no), seq INTEGER NOT NULL, t REAL,
            tick INTEGER NOT NULL, plan INTEGER NOT NULL, kind TEXT NOT NULL, path TEXT,
            call INTEGER, data TEXT NOT NULL, PRIMARY KEY (mission, seq)) WITHOUT ROWID""",
        "CREATE TABLE specs (digest TEXT PRIMARY KEY, yaml TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE exchanges (
            mission INTEGER NOT NULL REFERENCES missions (no), seq INTEGER NOT NULL,
            plan INTEGER NOT NULL, compiler TEXT NOT NULL, model TEXT NOT NULL,
            request_digest TEXT NOT NULL, answer TEXT NOT NULL, usage TEXT NOT NULL,
            PRIMARY KEY (mission, seq)) WITHOUT ROWID""",
        _create_view_statement(
            "plans", "e.kind = 'Planned'", spec="digest", calls="calls", usage="usage"
        ),
        _create_view_statement(
            "transitions",
            "e.kind = 'NodeChanged'",
            state="state",
            detail="detail",
            failure="failure",
        ),
        _create_view_statement(
            "skill_starts", "e.kind = 'SkillStarting'", skill="skill", args="args"
        ),
        _create_view_statement(
            "skill_ends",
            "e.kind = 'SkillEnded'",
            skill="skill",
            state="state",
            seconds="seconds",
            result="result",
            failure="failure",
        ),
        _create_view_statement(
            "verdicts",
            "e.kind = 'Asked'",
            role="role",
            question="question",
            **{"verdict.holds": "holds", "verdict.why": "why"},
        ),
        _create_view_statement(
            "looks",
            "e.kind IN ('Looked', 'LookFailed')",
            pack="pack",
            message="error",
            **{"scene.text": "text", "scene.frame": "frame", "scene.data": "scene"},
        ),
        _create_view_statement("turns", "e.kind = 'Turn'", report="report"),
    ),
    (
        "ALTER TABLE missions ADD COLUMN process TEXT",  # see `bt_exec.journal.mission_row`
        "ALTER TABLE missions ADD COLUMN told_at REAL",  # when its interruption was reported
    ),
    (  # "scene" was renamed to "observation"
        """UPDATE events SET kind = 'Observed', data = json_set(json_remove(data, '$.scene'),
            '$.observation', json_extract(data, '$.scene')) WHERE kind = 'Looked'""",
        "UPDATE events SET kind = 'PerceptionFailed' WHERE kind = 'LookFailed'",
        "DROP VIEW looks",
        _create_view_statement(
            "looks",
            "e.kind IN ('Observed', 'PerceptionFailed')",
            pack="pack",
            message="error",
            **{
                "observation.text": "text",
                "observation.frame": "frame",
                "observation.data": "observation",
            },
        ),
    ),
    (  # data that a replay needs in addition to the events
        "ALTER TABLE missions ADD COLUMN session TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE missions ADD COLUMN continues TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE missions ADD COLUMN setup TEXT NOT NULL DEFAULT '{}'",
        "CREATE INDEX missions_by_session ON missions (session) WHERE session != ''",
        _create_view_statement(
            "progress", "e.kind = 'Progress'", progress="progress", doing="doing"
        ),
        _create_view_statement(
            "facts", "e.kind = 'FactsKnown'", moment="moment", facts="facts", saved="saved"
        ),
    ),
    (  # indexes for searches among many missions
        "CREATE INDEX missions_by_site ON missions (site)",
        "CREATE INDEX missions_by_status ON missions (status)",
        "CREATE INDEX missions_by_command ON missions (command)",
        "DROP TABLE IF EXISTS search",  # created again by the next search, with `search_open`
    ),
)
"""Statements that migrate from each schema version to the next; append, never edit."""


def connect(path: Path, *, busy_s: float = BUSY_S) -> sqlite3.Connection:
    """Open a connection for use by one thread at a time; transactions are explicit."""
    connection = sqlite3.connect(
        path, timeout=busy_s, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error:
        connection.close()
        raise
    except UnicodeDecodeError as error:  # SQLite's message quotes a damaged schema
        connection.close()
        raise sqlite3.DatabaseError("it is damaged: it contains text that is not UTF-8") from error
    return connection


def prepare(path: Path) -> None:
    """Ensure that `path` is a writable journal of this version, creating or migrating it.

    Raises:
        UsageError: If that is not possible; the message gives the reason.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _restrict(path)
        connection = connect(path, busy_s=_OPEN_S)
    except FileExistsError as error:
        raise UsageError(f"the journal {path} cannot be opened: its folder is missing") from error
    except (OSError, sqlite3.Error) as error:
        why = str(getattr(error, "strerror", error)).lower()
        raise UsageError(f"the journal {path} cannot be opened: {why}") from error
    try:
        connection.execute("BEGIN IMMEDIATE")
        _migrate(connection, path)
        connection.execute("COMMIT")
        _use_wal(connection)
    except sqlite3.Error as error:
        raise UsageError(f"the journal {path} cannot be written: {error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"the journal {path} is damaged: it contains text that is not UTF-8. Move the file "
            "away to start a new one, or name another file"
        ) from error
    finally:
        connection.close()


def _restrict(path: Path) -> None:
    """Make the journal readable by its owner only, because it contains personal data.

    A missing file is created, and its folder entry is synced to disk. Files that SQLite adds get
    the permissions of the journal.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        # open() is avoided: closing the file would release this process's locks on it
        for file in (path, *(path.with_name(path.name + more) for more in ("-wal", "-shm"))):
            with contextlib.suppress(OSError):
                found = file.stat()
                if found.st_mode & 0o077 and found.st_uid == os.getuid():
                    file.chmod(0o600)
    else:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _missing_parts(connection: sqlite3.Connection, version: int) -> list[str]:
    """Return clauses about the tables and columns that a journal of schema `version` lacks."""
    with closing(sqlite3.connect(":memory:")) as whole:
        for statements in MIGRATIONS[:version]:
            for statement in statements:
                whole.execute(statement)
        expected = _columns(whole)
    found = _columns(connection)
    tables = [table for table in expected if table not in found]
    columns = [
        f"{table}.{column}"
        for table, wanted in expected.items()
        for column in wanted
        if table in found and column not in found[table]
    ]
    kinds = (("table", tables), ("column", columns))
    return [_missing_clause(kind, names) for kind, names in kinds if names]


def _missing_clause(kind: str, names: list[str]) -> str:
    """Return a clause such as "the columns missions.a, missions.b are missing"."""
    if len(names) == 1:
        return f"the {kind} {names[0]} is missing"
    return f"the {kind}s {', '.join(names)} are missing"


def _columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the columns of every table and view; an unreadable view has none."""
    names = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
    columns: dict[str, list[str]] = {}
    for (name,) in names.fetchall():
        try:
            found = connection.execute("SELECT name FROM pragma_table_info(?)", (name,)).fetchall()
        except sqlite3.Error:  # a view of a missing table; the missing table is reported instead
            continue
        columns[name] = [column for (column,) in found]
    return columns


def _use_wal(connection: sqlite3.Connection) -> None:
    """Turn on the write-ahead log, with retries, because SQLite does not wait for locks here."""
    deadline = time.monotonic() + _OPEN_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Migrate the tables to this version, within the caller's transaction."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    owner: int = connection.execute("PRAGMA application_id").fetchone()[0]
    empty = connection.execute("SELECT NOT EXISTS (SELECT 1 FROM sqlite_master)").fetchone()[0]
    if owner != APPLICATION_ID and not empty:
        raise UsageError(f"{path} is the database of another program; name another file")
    if version > len(MIGRATIONS):
        raise UsageError(
            f"the journal {path} was written by a newer bt-exec (schema {version}; this one knows "
            f"{len(MIGRATIONS)}); update bt-exec or name another file"
        )
    if missing := _missing_parts(connection, version):
        raise UsageError(
            f"the journal {path} is damaged: {' and '.join(missing)}. Move the file away "
            "to start a new one, or name another file"
        )
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")  # raises for read-only files
