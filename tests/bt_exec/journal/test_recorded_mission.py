from __future__ import annotations

import datetime as dt
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime

import pytest

from bt_exec.events import (
    Event,
    Observed,
    Planned,
    Refused,
    Rejected,
    SkillStarting,
    Turn,
)
from bt_exec.failure import Problem, Refusal, UnknownName, UsageError
from bt_exec.journal import Journal, MissionRecord
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.model import MissionSpec

Script = Callable[[str], list[Event]]


def record(journal: Journal, script: Script, **facts: object) -> MissionRecord:
    with journal.begin(command="문 안의 자재를 가져와", language="ko", **facts) as recorder:  # type: ignore[arg-type]
        for event in script(recorder.mission_id):
            recorder.on(event)
    return journal.mission(recorder.mission_id)


def test_events_are_read_in_order(
    journal: Journal, script: Script, kept: Callable[[Event], Event]
) -> None:
    mission = record(journal, script)
    events = script(mission.id)
    assert mission.events == tuple(kept(e) for e in events)
    assert mission.unreadable == ()


def test_record_contains_the_settings_outcome_and_events(journal: Journal, script: Script) -> None:
    mission = record(
        journal, script, site="sim", settings={"door": {"arm": "right"}}, seeds={"a": 7}
    )
    assert (mission.status, mission.line.reason_code) == ("satisfied", "OK")
    assert mission.line.message == "다 했습니다."
    assert mission.outcome is not None
    assert mission.outcome.ticks == 40
    assert (mission.line.site, mission.settings, mission.seeds) == (
        "sim",
        {"door": {"arm": "right"}},
        {"a": 7},
    )
    assert [(s.plan, s.start.skill, s.end and s.end.state) for s in mission.skills] == [
        (1, "open_door", "failed"),
        (2, "return_home", "done"),
    ]
    assert [failure.code for failure in mission.failures] == ["DOOR_STUCK"]
    assert mission.node_states(1) == {"fetch": "failed", "fetch/open_door": "failed"}
    assert mission.node_states() == {"fetch/open_door": "kept", "fetch": "done"}
    assert mission.turns == ({"say": "자재를 가져왔습니다."},)
    assert [asked.verdict.why for asked in mission.verdicts] == ["door closed"]
    assert len(mission.observations) == 1
    assert len(mission.transitions) == 6
    assert mission.line.ended_at is not None
    assert mission.line.ended_at >= mission.line.started_at
    assert mission.outcome is not None
    assert mission.line.seconds == mission.outcome.sim_seconds


def test_plans_are_read_as_text_and_as_specs(
    journal: Journal, script: Script, make_spec: Callable[[int], MissionSpec]
) -> None:
    mission = record(journal, script)
    assert [plan.version for plan in mission.plans] == [1, 2]
    assert [plan.text for plan in mission.plans] == [dump_yaml(make_spec(v)) for v in (1, 2)]
    assert mission.plans[0].event.spec == make_spec(1)
    assert len({plan.digest for plan in mission.plans}) == 2
    assert re.fullmatch("[0-9a-f]{64}", mission.plans[0].digest)


def test_refusals_and_rejections_keep_their_reasons(
    journal: Journal, make_spec: Callable[[int], MissionSpec]
) -> None:
    refused = Refused(0.1, 0, Refusal("NOT_UNDERSTOOD", "I know no window.", ("open the door",), 2))
    problem = Problem("UNKNOWN_SKILL", "no", "root", "fly", ("walk", "run"), "a", 1, 2)
    rejected = Rejected(0.2, 0, make_spec(3), (problem,))
    nothing = Rejected(0.2, 0, None, ())
    with journal.begin(command="x") as recorder:
        for event in (refused, rejected, nothing):
            recorder.on(event)
    mission = journal.mission("last")
    assert mission.refusals == (refused, rejected, nothing)
    assert mission.plans == ()


def test_mission_ids_are_the_day_and_a_running_number(journal: Journal) -> None:
    names = []
    for _ in range(3):
        with journal.begin(command="x") as recorder:
            names.append(recorder.mission_id)
    day = datetime.now().strftime("%Y-%m-%d")
    assert names[0].startswith(day[:8])  # midnight may pass
    assert [name[-5:] for name in names] == ["-0001", "-0002", "-0003"]
    assert [line.id for line in journal.missions(2)] == names[:0:-1]


def test_missions_are_listed_by_site_and_day(journal: Journal) -> None:
    for site in ("building", "door", "building", "building"):
        journal.begin(command=site, site=site).close()
    today = journal.missions()[0].started_at.date()
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute("UPDATE missions SET day = '2020-01-01' WHERE no = 1")
    found = journal.missions(None, site="building", day=today)
    assert [line.id[-5:] for line in found] == ["-0004", "-0003"]
    assert len(journal.missions(1, site="building")) == 1
    assert [line.site for line in journal.missions(day=dt.date(2020, 1, 1))] == ["building"]


@pytest.mark.parametrize("which", ["last", 2, "2", "0002", " 2 "])
def test_mission_is_found_by_its_number_and_as_the_last_one(
    journal: Journal, which: str | int
) -> None:
    for command in ("one", "two"):
        journal.begin(command=command).close()
    assert journal.mission(which).command == "two"


def test_mission_number_refers_to_the_newest_day(journal: Journal) -> None:
    journal.begin(command="today").close()
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute("UPDATE missions SET day = '2020-01-01', id = '2020-01-01-0001'")
    journal.begin(command="today again").close()
    assert journal.mission(1).command == "today again"
    assert journal.mission("2020-01-01-0001").command == "today"


@pytest.mark.parametrize(
    "which", ["3", "0000000001", "99999999999999999999", "-1", "", "2020-01-01-0001"]
)
def test_unknown_mission_error_lists_the_known_ones(journal: Journal, which: str) -> None:
    with journal.begin(command="x") as recorder:
        pass
    with pytest.raises(UnknownName) as error:
        journal.mission(which)
    assert str(error.value) == (
        f"there is no mission {which!r}; known, nearest first: {recorder.mission_id}"
    )


def test_empty_journal_has_no_last_mission(journal: Journal) -> None:
    with pytest.raises(UsageError, match="no mission is on record yet"):
        journal.mission("last")
    assert journal.missions() == ()


def test_mission_without_an_end_is_unfinished(journal: Journal) -> None:
    with journal.begin(command="x") as recorder:
        recorder.on(SkillStarting(0.0, 1, "a", "grasp", {}, 1))
        mission = journal.mission("last")  # while it runs
    assert mission.status == "unfinished"
    assert mission.outcome is None
    assert mission.skills[0].end is None
    assert journal.missions()[0].status == "unfinished"


def test_invalid_unicode_does_not_stop_the_recording(journal: Journal) -> None:
    wild = "문\x00\ud800🚪"
    with journal.begin(command=wild, settings={wild: wild}) as recorder:
        recorder.on(SkillStarting(0.0, 1, wild, wild, {wild: wild}, 1))
    mission = journal.mission("last")
    tame = "문\x00?🚪"
    assert mission.command == tame
    assert mission.settings == {tame: tame}
    assert mission.events == (SkillStarting(0.0, 1, tame, tame, {tame: tame}, 1),)


def test_event_that_cannot_be_written_is_reported_and_the_others_are_kept(journal: Journal) -> None:
    class BrokenScene:
        t = 0.0
        frame = None

        def record(self) -> dict[str, object]:
            raise RuntimeError("broken scene")

    with journal.begin(command="x") as recorder:
        recorder.on(Observed(0.0, 1, "door", BrokenScene()))  # type: ignore[arg-type]
        recorder.on(Turn(0.0, 1, {"a": 1}))
    mission = journal.mission("last")
    assert mission.turns == ({"a": 1},)
    assert mission.unreadable == ("1 Observed: RuntimeError: broken scene",)


def test_exchanges_are_stored_unchanged(
    journal: Journal, make_spec: Callable[[int], MissionSpec]
) -> None:
    with journal.begin(command="x") as recorder:
        recorder.record_exchange(
            compiler="claude", model="m", request="q", answer="{broken", usage={"tokens": 12}
        )
        recorder.on(Planned(0.0, 1, make_spec(1), 1))
    (exchange,) = journal.mission("last").exchanges
    assert (exchange.plan, exchange.compiler, exchange.model) == (0, "claude", "m")
    assert (exchange.answer, exchange.usage) == ("{broken", {"tokens": 12})
    assert exchange.request_digest.startswith("8e35c2cd")  # echo -n q | sha256sum


def test_views_are_readable_with_sqlite3(journal: Journal, script: Script) -> None:
    mission = record(journal, script)
    views = {
        "plans": 2,
        "transitions": 6,
        "skill_starts": 2,
        "skill_ends": 2,
        "verdicts": 1,
        "looks": 1,
        "turns": 1,
    }
    with closing(sqlite3.connect(journal.path)) as connection:
        for view, count in views.items():
            rows = connection.execute(f"SELECT * FROM {view} WHERE mission = ?", (mission.id,))
            assert len(rows.fetchall()) == count, view
        skills = connection.execute("SELECT path, call, skill, plan FROM skill_starts").fetchall()
    assert skills == [
        ("fetch/open_door", 1, "open_door", 1),
        ("fetch/home/return_home", 1, "return_home", 2),
    ]


def test_events_after_the_end_are_not_recorded(journal: Journal) -> None:
    recorder = journal.begin(command="x")
    recorder.close()
    recorder.close()
    recorder.on(Turn(0.0, 1, {}))
    recorder.on(SkillStarting(0.0, 1, "a", "b", {}, 1))
    recorder.record_exchange(compiler="", model="", request="", answer="", usage={})
    assert recorder.flush()
    assert journal.mission("last").events == ()
