from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bt_exec.events import FactsKnown, Observed, PerceptionFailed
from bt_exec.failure import UsageError
from bt_exec.journal import Journal, default_path, record_argument, schema
from bt_exec.journal.schema import APPLICATION_ID, MIGRATIONS


def test_default_path_is_in_the_data_folder_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path().parts[-2:] == ("bt-exec", "journal.sqlite")
    journal = Journal.open()
    assert journal.path == default_path()
    assert journal.path.exists()


def test_new_journal_is_created_with_its_application_id_in_wal_mode(journal: Journal) -> None:
    with closing(sqlite3.connect(journal.path)) as connection:
        found = [
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("user_version", "application_id", "journal_mode")
        ]
    assert found == [len(MIGRATIONS), APPLICATION_ID, "wal"]


def test_opening_again_keeps_the_contents(journal: Journal) -> None:
    journal.begin(command="x").close()
    assert Journal.open(journal.path).mission("last").command == "x"


def test_folder_name_may_contain_hangul_and_special_characters(tmp_path: Path) -> None:
    path = tmp_path / "로봇 #1?mode=ro" / "j.sqlite"
    Journal.open(path).begin(command="x").close()
    assert path.exists()


def test_relative_path_is_independent_of_later_folder_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    journal = Journal.open(Path("j.sqlite"))
    monkeypatch.chdir("/")
    journal.begin(command="x").close()
    assert (tmp_path / "j.sqlite").exists()


def test_missing_folders_are_created(tmp_path: Path) -> None:
    path = tmp_path / "one" / "two" / "j.sqlite"
    assert Journal.open(path).missions() == ()
    assert path.exists()


def refusal(path: Path) -> str:
    with pytest.raises(UsageError) as error:
        Journal.open(path)
    return str(error.value)


def test_folder_as_a_path_is_refused(tmp_path: Path) -> None:
    assert (
        refusal(tmp_path)
        == f"the journal {tmp_path} cannot be opened: unable to open database file"
    )


def test_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    path = tmp_path / "file" / "journal.sqlite"
    assert refusal(path) == f"the journal {path} cannot be opened: its folder is missing"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder_is_reported(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    path = tmp_path / "journal.sqlite"
    assert refusal(path) == f"the journal {path} cannot be opened: unable to open database file"


def test_read_only_database_is_reported(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    real = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda path, **more: real(f"file:{path}?mode=ro", uri=True, **more)
    )
    assert refusal(journal.path) == (
        f"the journal {journal.path} cannot be written: attempt to write a readonly database"
    )
    with pytest.raises(UsageError, match="cannot be used: attempt to write a readonly database"):
        journal.begin(command="x")


def test_file_that_is_not_a_database_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, and long enough to have a header" * 20)
    before = path.read_bytes()
    assert refusal(path) == f"the journal {path} cannot be opened: file is not a database"
    assert path.read_bytes() == before


def test_database_of_another_program_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE mine (a)")
    before = path.read_bytes()
    assert refusal(path) == f"{path} is the database of another program; name another file"
    assert path.read_bytes() == before


def test_newer_journal_is_not_touched(journal: Journal) -> None:
    with closing(sqlite3.connect(journal.path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert refusal(journal.path) == (
        f"the journal {journal.path} was written by a newer bt-exec (schema 99; this one knows "
        f"{len(MIGRATIONS)}); update bt-exec or name another file"
    )


def test_older_journal_is_migrated(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    journal.begin(command="old").close()
    added = ("ALTER TABLE exchanges ADD COLUMN seconds REAL", "CREATE TABLE extra (a)")
    monkeypatch.setattr("bt_exec.journal.schema.MIGRATIONS", (*MIGRATIONS, added))
    assert Journal.open(journal.path).mission("last").command == "old"
    with closing(sqlite3.connect(journal.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)
        assert connection.execute("SELECT * FROM extra").fetchall() == []


def test_failed_migration_changes_nothing(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = ("CREATE TABLE extra (a)", "NONSENSE")
    monkeypatch.setattr("bt_exec.journal.schema.MIGRATIONS", (*MIGRATIONS, added))
    assert "syntax error" in refusal(journal.path)
    with closing(sqlite3.connect(journal.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'extra'").fetchall()


def test_damage_found_later_is_a_usage_error(journal: Journal) -> None:
    journal.path.write_bytes(b"x" * 5000)
    for use in (journal.missions, lambda: journal.mission("last")):
        with pytest.raises(UsageError, match=r"cannot be (used|opened): file is not a database"):
            use()


COLUMNS = ["mission", "seq", "t", "tick", "plan", "path", "call"]


@pytest.mark.parametrize(
    ("view", "columns"),
    [
        ("plans", ["digest", "calls", "usage"]),
        ("transitions", ["state", "detail", "failure"]),
        ("skill_starts", ["skill", "args"]),
        ("skill_ends", ["skill", "state", "seconds", "result", "failure"]),
        ("verdicts", ["role", "question", "holds", "why"]),
        ("looks", ["pack", "error", "text", "frame", "observation"]),
        ("turns", ["report"]),
    ],
)
def test_views_have_the_documented_columns(journal: Journal, view: str, columns: list[str]) -> None:
    with closing(sqlite3.connect(journal.path)) as connection:
        found = connection.execute(f"SELECT name FROM pragma_table_info('{view}')").fetchall()
    assert [name for (name,) in found] == [*COLUMNS, *columns]


def test_busy_timeout_is_one_second_and_five_seconds_at_open() -> None:
    assert (schema.BUSY_S, schema._OPEN_S) == (1.0, 5.0)


def test_busy_timeout_of_readers_is_longer_than_that_of_writers(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    real = sqlite3.connect

    def noting(path: Path, **more: object) -> sqlite3.Connection:
        if "timeout" in more:
            waits.append(more["timeout"])  # type: ignore[arg-type]
        return real(path, **more)  # type: ignore[arg-type, no-any-return, call-overload]

    monkeypatch.setattr(sqlite3, "connect", noting)
    journal.missions()
    assert waits == [5.0]
    schema.prepare(journal.path)
    assert waits == [5.0, 5.0]
    schema.connect(journal.path).close()
    assert waits[-1] == 1.0


def test_process_that_opens_the_same_journal_is_awaited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite does not wait by itself when it enables the write-ahead log."""
    waited: list[float] = []

    class Locked:
        tries = 0

        def execute(self, statement: str) -> None:
            self.tries += 1
            if self.tries < 4:
                raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(schema.time, "sleep", waited.append)
    connection = Locked()
    schema._use_wal(connection)  # type: ignore[arg-type]
    assert (connection.tries, waited) == (4, [0.02] * 3)


@pytest.mark.parametrize(("why", "late"), [("disk I/O error", 0.0), ("database is locked", 5.1)])
def test_busy_error_is_raised_after_five_seconds_and_other_errors_at_once(
    monkeypatch: pytest.MonkeyPatch, why: str, late: float
) -> None:
    times = iter([100.0, 100.0 + late])

    class Broken:
        def execute(self, statement: str) -> None:
            raise sqlite3.OperationalError(why)

    monkeypatch.setattr(schema.time, "monotonic", lambda: next(times))
    monkeypatch.setattr(schema.time, "sleep", pytest.fail)
    with pytest.raises(sqlite3.OperationalError, match=why):
        schema._use_wal(Broken())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("damage", "missing"),
    [
        ("DROP TABLE exchanges", "the table exchanges is"),
        ("DROP VIEW turns", "the table turns is"),
        ("ALTER TABLE missions DROP COLUMN outcome", "the column missions.outcome is"),
        (
            "ALTER TABLE exchanges DROP COLUMN model; ALTER TABLE exchanges DROP COLUMN usage",
            "the columns exchanges.model, exchanges.usage are",
        ),
        (
            "DROP TABLE specs; ALTER TABLE missions DROP COLUMN seeds",
            "the table specs is missing and the column missions.seeds is",
        ),
    ],
)
@pytest.mark.parametrize("version", [1, len(MIGRATIONS)])
def test_incomplete_journal_is_refused(
    tmp_path: Path, damage: str, missing: str, version: int
) -> None:
    path = journal_of_version(version, tmp_path / "j.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(damage)
    before = path.read_bytes()
    assert refusal(path) == (
        f"the journal {path} is damaged: {missing} missing. Move the file away to start "
        "a new one, or name another file"
    )
    assert path.read_bytes() == before


def journal_of_version(version: int, path: Path) -> Path:
    """Return an empty journal of a schema version, as created by the program of that version."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in (s for statements in MIGRATIONS[:version] for s in statements):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {version}")
    return path


def test_statements_of_released_schemas_are_unchanged() -> None:
    """Journals of these versions exist, so their statements must not change.

    Add a migration instead.
    """
    digests = [hashlib.sha256("\n".join(s).encode()).hexdigest()[:12] for s in MIGRATIONS]
    assert digests[:4] == ["a20b7a4abb5f", "b4fa05087f7f", "87d04cf5c73e", "61129b96c638"]


def test_journal_of_schema_three_is_migrated_with_its_missions(tmp_path: Path) -> None:
    path = journal_of_version(3, tmp_path / "j.sqlite")
    end = {"mission_id": "m", "command": "go", "status": "satisfied", "reason_code": "OK"}
    outcome = json.dumps({**end, "message": "Done."})
    started = {"mission_id": "m", "command": "go", "language": "en", "site": "s"}
    rows = [("MissionStarted", json.dumps(started)), ("Finished", f'{{"outcome": {outcome}}}')]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO missions (id, day, number, command, language, site, settings, seeds,"
            " program, started_at, ended_at, status, reason_code, message, outcome, process)"
            " VALUES ('m', 'd', 1, 'go', 'en', 's', '{}', '{}', '0.1.0', 0, 1, 'satisfied',"
            " 'OK', 'Done.', ?, NULL)",
            (outcome,),
        )
        for seq, row in enumerate(rows, start=1):
            connection.execute(
                "INSERT INTO events VALUES (1, ?, 0.5, 1, 1, ?, NULL, NULL, ?)", (seq, *row)
            )
    journal = Journal.open(path)
    old = journal.mission("m")
    assert (old.status, old.unreadable, len(old.events)) == ("satisfied", (), 2)
    assert (old.session, old.continues, old.setup, old.facts_at_end) == ("", "", {}, {})
    setup = {"rates": {"tick_hz": 20.0}}
    with journal.begin(command="go on", session="w", continues="m", setup=setup) as recorder:
        recorder.on(FactsKnown(0.0, 0, "start", {"door": "open"}, {"cup": 1}))
    new = journal.mission("last")
    assert (new.session, new.continues, new.setup) == ("w", "m", setup)
    assert (new.facts_at_start, new.saved) == ({"door": "open"}, {"cup": 1})


def test_observations_of_the_first_version_are_readable(tmp_path: Path) -> None:
    path = journal_of_version(1, tmp_path / "j.sqlite")
    scene = {"t": 1.5, "data": {"n": 1}, "seen": ["door"], "established": {}, "text": "A door."}
    old = [
        ("Looked", {"pack": "door", "scene": {**scene, "frame": None}}),
        ("LookFailed", {"pack": "door", "message": "no camera"}),
    ]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO missions (id, day, number, command, language, site, settings, seeds,"
            " program, started_at) VALUES ('m', 'd', 1, 'look', 'en', 's', '{}', '{}', '{}', 0)"
        )
        for seq, (kind, data) in enumerate(old, start=1):
            connection.execute(
                "INSERT INTO events VALUES (1, ?, 0.5, 1, 1, ?, NULL, NULL, ?)",
                (seq, kind, json.dumps(data)),
            )
    observed, failed = Journal.open(path).mission("last").events
    assert isinstance(observed, Observed)
    assert (observed.observation.labels(), observed.observation.t) == (("door",), 1.5)
    assert isinstance(failed, PerceptionFailed)
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT pack, text, error FROM looks ORDER BY seq").fetchall()
    assert rows == [("door", "A door.", None), ("door", None, "no camera")]


@pytest.mark.parametrize("place", [b"missions", b"events", b"VIEW"])
def test_journal_with_an_invalid_schema_is_reported_as_damaged(
    tmp_path: Path, place: bytes
) -> None:
    path = tmp_path / "journal.sqlite"
    Journal.open(path).begin(command="x").close()
    for side in ("-wal", "-shm"):
        assert not path.with_name(path.name + side).exists()
    raw = path.read_bytes()
    at = raw.index(place)
    path.write_bytes(raw[:at] + b"\xff\xfe" + raw[at + 2 :])
    with pytest.raises(
        UsageError, match=r"the journal .*journal.sqlite (is|cannot be opened: it is) damaged"
    ):
        Journal.open(path).missions()


def test_suggested_command_names_a_journal_outside_the_default_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert record_argument("2026-11-20-0007", default_path()) == "7"
    assert record_argument("2026-11-20-0007") == "7"
    assert record_argument("2026-11-20-0007", "/a b/j.sqlite") == "7 --journal '/a b/j.sqlite'"
