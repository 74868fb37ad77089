"""Search of missions: filters, and words in commands, messages and codes."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bt_exec.events import Finished, SkillStarting
from bt_exec.failure import Failure
from bt_exec.journal import Journal
from bt_exec.journal import search as searching
from bt_exec.journal.schema import connect
from bt_exec.journal.search import Wanted
from bt_exec.mission_outcome import Outcome

SKILLS = ("open_door", "return_home")
STUCK = Failure("DOOR_STUCK", "stopped at 12 deg", "a/open_door", node="open_door").to_dict()


def add(journal: Journal, command: str, status: str = "", message: str = "", **more: object) -> str:
    site = str(more.pop("site", "lab"))
    with journal.begin(command=command, site=site) as recorder:
        if status:
            code = "OK" if status == "satisfied" else "SKILL_FAILED"
            outcome = Outcome(recorder.mission_id, command, status, code, message, **more)  # type: ignore[arg-type]
            recorder.on(Finished(1.0, 1, outcome))
    return recorder.mission_id


@pytest.fixture
def filled(journal: Journal) -> Journal:
    add(journal, "open the door", "satisfied", "The door is open.")
    add(journal, "문 안의 자재를 가져와", "blocked", "문이 움직이지 않습니다.", failures=(STUCK,))
    add(journal, "fly 100% away", "refused", "I do not know “fly”.", site="yard")
    add(journal, "look around")
    return journal


def numbers(journal: Journal, **wanted: object) -> list[int]:
    found = journal.find(Wanted(**wanted))  # type: ignore[arg-type]
    return [int(line.id.rpartition("-")[2]) for line in found]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, [4, 3, 2, 1]),
        ({"site": "yard"}, [3]),
        ({"status": "blocked"}, [2]),
        ({"status": "running"}, []),
        ({"status": "waiting"}, [4]),
        ({"failed": True}, [3, 2]),
        ({"command": "THE DOOR"}, [1]),
        ({"command": "100%"}, [3]),
        ({"command": "%"}, [3]),
        ({"command": "_"}, []),
        ({"day": dt.date(2020, 1, 1)}, []),
        ({"text": "door"}, [2, 1]),  # in mission 2 a part of a code
        ({"text": "DOOR_STUCK"}, [2]),
        ({"text": "open_door"}, [2]),
        ({"text": "움직이지"}, [2]),
        ({"text": "자재"}, [2]),  # 자재를: matched by its beginning
        ({"text": "the open"}, [1]),
        ({"text": "around"}, [4]),
        ({"text": "ound"}, [4]),  # a part of the command
        ({"text": 'no "fly"'}, [3]),
        ({"text": "door", "status": "satisfied"}, [1]),
        ({"text": "nothing of the kind"}, []),
        ({"text": "AND OR NOT ("}, []),
        ({"text": "***"}, []),
    ],
)
def test_find_returns_missions_that_match_all_filters(
    filled: Journal, wanted: dict[str, object], expected: list[int]
) -> None:
    assert numbers(filled, **wanted) == expected


def test_search_finds_missions_recorded_since_the_last_search(filled: Journal) -> None:
    assert numbers(filled, text="kettle") == []
    add(filled, "boil the kettle", "satisfied", "Done.")
    assert numbers(filled, text="kettle") == [5]


def test_search_finds_the_end_of_a_mission_that_ran_during_the_last_search(
    journal: Journal,
) -> None:
    with journal.begin(command="go", site="lab") as recorder:
        assert numbers(journal, text="arrived") == []
        outcome = Outcome(recorder.mission_id, "go", "satisfied", "OK", "It arrived.")
        recorder.on(Finished(1.0, 1, outcome))
    assert numbers(journal, text="arrived") == [1]


def test_search_without_fts5_covers_commands_and_messages(
    filled: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "_TABLES", ["CREATE VIRTUAL TABLE search USING fts99 (a)"])
    assert numbers(filled, text="door is open") == [1]
    assert numbers(filled, text="SKILL_FAILED") == [3, 2]


def test_only_the_messages_of_a_damaged_outcome_are_lost(filled: Journal) -> None:
    with closing(sqlite3.connect(filled.path)) as connection, connection:
        connection.execute("UPDATE missions SET outcome = '{' WHERE no = 1")
    assert numbers(filled, text="자재") == [2]


def test_limit_counts_listed_missions(filled: Journal) -> None:
    assert [line.command for line in filled.find(Wanted(failed=True), 1)] == ["fly 100% away"]


def test_last_action_skips_missions_without_motion(journal: Journal, script) -> None:
    assert journal.last_mission_with_action("lab", SKILLS) is None
    with journal.begin(command="fetch", site="lab") as recorder:
        for event in script(recorder.mission_id):
            recorder.on(event)
    add(journal, "is the door open?", "satisfied", "No.")
    line = journal.last_mission_with_action("lab", SKILLS)
    assert line is not None
    assert line.command == "fetch"
    assert journal.last_mission_with_action("yard", SKILLS) is None
    assert journal.last_mission_with_action("lab", ["talk"]) is None


def test_interrupted_mission_is_the_last_action_and_a_running_one_is_not(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with journal.begin(command="open the door", site="lab") as recorder:
        recorder.on(SkillStarting(0.5, 1, "0", "open_door", {}, 1))
    assert journal.last_mission_with_action("lab", SKILLS) is None
    monkeypatch.setattr("bt_exec.journal.read.has_process_ended", lambda process: True)
    line = journal.last_mission_with_action("lab", SKILLS)
    assert line is not None
    assert (line.command, line.shown_status) == ("open the door", "interrupted")


# -- many missions -------------------------------------------------------------------------------


def instructions(journal: Journal, monkeypatch: pytest.MonkeyPatch, ask: Any) -> int:
    """Return how many times SQLite executes 20 instructions for a query."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    def watched(*args: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*args, **options)
        connection.set_progress_handler(step, 20)
        return connection

    with monkeypatch.context() as patch:
        patch.setattr("bt_exec.journal.journal.connect", watched)
        ask(journal)
    return count


QUESTIONS: dict[str, Any] = {
    "newest": lambda journal: journal.missions(5),
    "newest of a site": lambda journal: journal.missions(5, site="yard"),
    "a day": lambda journal: journal.missions(None, site="lab", day=dt.date(2020, 1, 1)),
    "sites": Journal.sites,
    "last action": lambda journal: journal.last_mission_with_action("yard", SKILLS),
    "by number": lambda journal: journal.mission("1"),
    "by name": lambda journal: journal.mission_summary(journal.missions(1)[0].id),
    "site": lambda journal: journal.find(Wanted(site="yard"), 5),
    "unknown site": lambda journal: journal.find(Wanted(site="nowhere"), 5),
    "status": lambda journal: journal.find(Wanted(status="refused"), 5),
    "failed": lambda journal: journal.find(Wanted(failed=True), 5),
    "day": lambda journal: journal.find(Wanted(site="lab", day=dt.date(2020, 1, 1)), 5),
    "before": lambda journal: journal.find(Wanted(before=journal.missions(1)[0].id), 5),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_cost_of_a_query_does_not_grow_with_the_journal(filled, monkeypatch, question):
    ask = QUESTIONS[question]
    few = instructions(filled, monkeypatch, ask)
    with closing(connect(filled.path)) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(missions)")]
        own = {"no": "1000 + value", "id": "'2019-01-01-' || (1000 + value)", "day": "'2019-01-01'"}
        own["number"] = "1000 + value"
        values = ", ".join(own.get(name, name) for name in names)
        connection.execute(
            "WITH RECURSIVE s (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s"
            f" WHERE value < 1000) INSERT INTO missions ({', '.join(names)})"
            f" SELECT {values} FROM missions, s WHERE no = 1"
        )
    assert instructions(filled, monkeypatch, ask) < few + 100


def test_all_missions_of_the_day_are_copied_for_a_rerun(journal: Journal, tmp_path: Path) -> None:
    for _ in range(52):
        add(journal, "open the door", "satisfied", "The door is open.")
    other = Journal.open(tmp_path / "other.sqlite")
    journal.copy_missions_before(_of_another_session(journal), other)
    assert len(other.missions(None)) == 52


def test_last_action_is_copied_for_a_rerun(journal: Journal, tmp_path: Path) -> None:
    with journal.begin(command="open the door", site="lab") as recorder:
        recorder.on(SkillStarting(0.5, 1, "0", "open_door", {}, 1))
        recorder.on(
            Finished(1.0, 1, Outcome(recorder.mission_id, "open the door", "satisfied", "OK", ""))
        )
    acted = recorder.mission_id
    for _ in range(60):
        add(journal, "is it open?", "satisfied", "Yes.")
    with closing(connect(journal.path)) as connection, connection:
        connection.execute("UPDATE missions SET day = '2019-01-01' WHERE id = ?", (acted,))
    other = Journal.open(tmp_path / "other.sqlite")
    journal.copy_missions_before(_of_another_session(journal), other)
    found = other.last_mission_with_action("lab", SKILLS)
    assert found is not None
    assert found.id == acted


def _of_another_session(journal: Journal) -> str:
    with journal.begin(command="what was done?", site="lab", session="new") as recorder:
        return recorder.mission_id
