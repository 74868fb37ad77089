"""Side files: rows that a locked or full journal could not store, imported later."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bt_exec.events import Event
from bt_exec.journal import Journal
from bt_exec.journal.events_to_rows import STATEMENTS
from bt_exec.journal.unwritten_row_files import side_files, write_side_file

Script = Callable[[str], list[Event]]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bt_exec.journal.schema.connect.__kwdefaults__", {"busy_s": 0.01})


@contextmanager
def held(journal: Journal) -> Iterator[None]:
    """Hold a write transaction in another process."""
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def recorded_under_a_lock(journal: Journal, script: Script) -> str:
    recorder = journal.begin(command="x", language="ko", tell=lambda text: None)
    with held(journal):
        for event in script(recorder.mission_id):
            recorder.on(event)
        recorder.close()
    path = side_files(journal.path)[0]
    count = len(path.read_text(encoding="utf-8").splitlines()) - 1
    assert recorder.incomplete == (
        f"{recorder.mission_id}의 기록 {count}행을 쓰지 못했습니다(데이터베이스가 잠겨 있습니다). "
        f"{count}행은 {journal.path}.{recorder.mission_id}.rows에 남겨 두었습니다"
    )
    return recorder.mission_id


def test_side_file_is_imported_when_the_journal_is_opened(
    journal: Journal, script: Script, kept: Callable[[Event], Event]
) -> None:
    mission = recorded_under_a_lock(journal, script)
    assert journal.mission("last").status == "unfinished"
    again = Journal.open(journal.path)
    assert again.waiting == ()
    assert side_files(journal.path) == ()
    record = again.mission("last")
    assert record.status == "satisfied"
    assert record.events == tuple(kept(event) for event in script(mission))
    assert record.unreadable == ()


def test_complete_record_creates_no_side_file_report(journal: Journal, script: Script) -> None:
    with journal.begin(command="x") as recorder:
        for event in script(recorder.mission_id):
            recorder.on(event)
    assert recorder.incomplete == ""
    assert side_files(journal.path) == ()


def test_side_file_of_an_unknown_mission_is_kept_and_reported(
    journal: Journal, script: Script
) -> None:
    recorded_under_a_lock(journal, script)
    path = side_files(journal.path)[0]
    other = Journal.open(journal.path.with_name("other.sqlite"))  # without this mission
    moved = other.path.with_name(path.name.replace("journal", "other", 1))
    path.rename(moved)
    assert Journal.open(other.path).waiting == (
        f"unsaved rows of the record are kept in {moved}: "
        f"the journal has no mission {moved.suffixes[-2][1:]}",
    )
    assert moved.exists()


@pytest.mark.parametrize(
    "text",
    [
        *("", "\0", "[]", '["x", 1]\n["drop", ["missions"]]', '["x"]', "{}", "7"),
        '["x", 1]\n["spec", ["a", "b"]]\n["drop", ["missions"]]',
    ],
)
def test_foreign_file_is_ignored_and_reported(journal: Journal, text: str) -> None:
    path = journal.path.with_name("journal.sqlite.x.rows")
    path.write_text(text)
    assert Journal.open(journal.path).waiting == (
        f"unsaved rows of the record are kept in {path}: it contains no journal rows",
    )
    assert path.read_text() == text


def test_temporary_folder_is_used_when_the_disk_is_full(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, full = Path.write_text, journal.path.parent

    def write_text(self: Path, *args: str, **more: str) -> int:
        if self.parent == full:
            raise OSError(28, "No space left on device")
        return real(self, *args, **more)

    monkeypatch.setattr(Path, "write_text", write_text)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    rows = [(STATEMENTS["spec"], ("digest", "yaml"))]
    path = write_side_file(journal.path, "2026-11-21-0007", 1, rows)
    assert path is not None
    assert path.parent == tmp_path
    assert path.name.startswith("journal.sqlite.")  # with the digest of the path
    assert path.name.endswith(".2026-11-21-0007.rows")
    assert side_files(journal.path) == (path,)
    assert side_files(journal.path.parent / "elsewhere" / "journal.sqlite") == ()
    assert path.read_text() == '["2026-11-21-0007",1]\n["spec",["digest","yaml"]]\n'
    full = tmp_path
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(full))
    assert write_side_file(tmp_path / "journal.sqlite", "x", 1, rows) is None


def test_side_file_statements_have_their_documented_names() -> None:
    assert sorted(STATEMENTS) == ["end", "event", "exchange", "frames", "spec"]


def test_file_of_another_user_is_not_touched(
    journal: Journal, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded_under_a_lock(journal, script)
    (path,) = side_files(journal.path)
    monkeypatch.setattr("os.getuid", lambda: path.stat().st_uid + 1)
    assert side_files(journal.path) == ()
    monkeypatch.delattr("os.getuid")  # a platform without users
    assert side_files(journal.path) == (path,)


def test_side_file_is_independent_of_the_default_encoding(
    journal: Journal, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("io.text_encoding", lambda given, level=2: given or "euc-kr")
    mission = recorded_under_a_lock(journal, script)
    assert Journal.open(journal.path).waiting == ()
    assert journal.mission(mission).line.message == "다 했습니다."


def test_side_files_are_sorted_and_partial_ones_excluded(journal: Journal) -> None:
    folder = journal.path.parent
    for name in ("journal.sqlite.b.rows", "journal.sqlite.a.rows", "journal.sqlite.c.part"):
        (folder / name).touch()
    (folder / "other.sqlite.a.rows").touch()
    names = [path.name for path in side_files(journal.path)]
    assert names == ["journal.sqlite.a.rows", "journal.sqlite.b.rows"]


def test_partly_written_side_file_is_removed(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "temporary"))
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if self.parent == journal.path.parent:
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    path = write_side_file(journal.path, "m", 1, [])
    where = hashlib.sha256(str(journal.path.resolve()).encode()).hexdigest()[:12]
    assert path == tmp_path / "temporary" / f"journal.sqlite.{where}.m.rows"
    assert [each.name for each in journal.path.parent.glob("*.part")] == []
