"""Missions of a session: identifiers, records, listeners, stops and facts."""

from __future__ import annotations

import datetime as dt
import sqlite3
import threading
from contextlib import closing
from typing import Any

import pytest

from bt_exec.events import MissionStarted
from bt_exec.failure import UsageError
from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec.mission_reporter import MissionReporter
from bt_exec.planning.compiler import REPLIES
from bt_exec.testing import FakeClock, FakeObservation
from tests.bt_exec.mission.session_robots import Heard, given, with_pack


def recalling(recalled: list[list[str]]) -> Any:
    """Return a reporter that records the missions that it was given to recall."""

    class Recalls(MissionReporter):
        def load_earlier_missions(self, today: Any) -> None:
            recalled.append([line.command for line in today()])

    return Recalls


def test_missions_without_a_journal_are_numbered_per_day(site):
    heard = Heard()
    with Session(site, fast=True, listeners=[heard]) as session:
        outcomes = [session.run("go") for _ in range(2)]
        assert session.missions == 2
    day = dt.date.today().isoformat()[:8]  # midnight may pass
    assert [o.mission_id[:8] for o in outcomes] == [day, day]
    assert [o.mission_id[-5:] for o in outcomes] == ["-0001", "-0002"]
    assert [o.journal for o in outcomes] == [None, None]
    started = [event for event in heard if isinstance(event, MissionStarted)]
    assert [event.mission_id for event in started] == [o.mission_id for o in outcomes]


def test_journal_gets_an_event_before_reporters_and_listeners(site, robots, tmp_path, monkeypatch):
    order: list[str] = []

    class Hears:
        def __init__(self, name: str) -> None:
            self.name = name

        def on(self, event: Any) -> None:
            order.append(self.name)

    class Reports(MissionReporter):
        def on(self, event: Any) -> None:
            order.append("robot")

    site = with_pack(site, robots={"arm": robots}, reporter=Reports)
    journal = Journal.open(tmp_path / "j.sqlite")
    begin = journal.begin

    def noting(**facts: Any) -> Any:
        recorder = begin(**facts)
        on = recorder.on
        recorder.on = lambda event: (order.append("record"), on(event))
        return recorder

    journal.begin = noting
    with Session(site, fast=True, journal=journal, listeners=[Hears("others")]) as session:
        outcome = session.run("go")
    assert order[:3] == ["record", "robot", "others"]
    assert outcome.journal == str(tmp_path / "j.sqlite")
    assert journal.mission("last").id == outcome.mission_id


@pytest.mark.parametrize(
    ("command", "plan", "language"),
    [
        ("go", None, "en"),
        ("가", None, "ko"),
        ("go", given(), "en"),  # language of the command
        ("", given(), "ko"),  # no command: language of the plan
    ],
)
def test_mission_is_recorded_with_its_command_world_and_language(
    site, tmp_path, command, plan, language
):
    journal = Journal.open(tmp_path / "j.sqlite")
    facts: list[dict[str, Any]] = []
    begin = journal.begin
    journal.begin = lambda **given: facts.append(given) or begin(**given)
    world = {"door": "open", "seed": "7"}
    heard = Heard()
    with Session(site, world=world, fast=True, journal=journal, listeners=[heard]) as session:
        session.run(command, plan)
    (given_facts,) = facts
    assert given_facts.pop("tell").__name__ == "warning"
    assert given_facts == {
        "command": command,
        "language": language,
        "site": "lab",
        "settings": {"packs": {"lab": {}}, "world": world, "fast": True, "faults": []},
        "seeds": {"seed": 7},
        "setup": session.setup,
        "session": session.world_id,
        "frames": False,
    }
    assert heard[0].language == language


def test_given_plan_replaces_that_of_the_compiler(site):
    with Session(site, fast=True) as session:
        outcome = session.run("whatever nobody understands", given("x"))
    assert (outcome.status, outcome.command) == ("satisfied", "whatever nobody understands")


def test_reporter_recalls_finished_missions_of_the_day(site, robots, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    recalled: list[list[str]] = []
    site = with_pack(site, robots={"arm": robots}, reporter=recalling(recalled))
    journal.begin(command="unfinished", site="lab").close()
    journal.begin(command="elsewhere", site="hall").close()
    with Session(site, fast=True, journal=journal) as session:
        session.run("go")
        session.run("go", given("second"))
        session.run("go")
    assert recalled == [[], ["go"], ["go", "go"]]


def test_recalled_missions_are_in_order_oldest_first(site, robots, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    recalled: list[list[str]] = []
    site = with_pack(site, robots={"arm": robots}, reporter=recalling(recalled))
    with Session(site, fast=True, journal=journal) as session:
        for command in ("first", "second", "third"):
            session.run(command, given())
    assert recalled[-1] == ["first", "second"]


def test_journal_is_not_read_without_a_recalling_reporter(site, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    journal.missions = None
    with Session(site, fast=True, journal=journal) as session:
        assert session.run("go").status == "satisfied"


def test_stop_outside_a_mission_stops_the_robots_and_returns_false(site, robots):
    stopped = threading.Event()
    with Session(site, fast=True) as session:
        robots.robot.stop = stopped.set
        assert session.abort() is False
        assert stopped.wait(60)
        assert session.run("go").status == "satisfied"  # it does not affect later missions
        assert session.abort() is False, "the mission has ended"


def test_stop_during_preparation_ends_the_mission_before_it_moves(site, robots, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    answers: list[bool] = []
    with Session(site, fast=True, journal=journal) as session:
        begin = journal.begin

        def interrupted(**facts: Any) -> Any:
            answers.append(session.abort("SIGTERM"))
            return begin(**facts)

        journal.begin = interrupted
        heard = Heard()
        session.listeners.append(heard)
        outcome = session.run("go")
        journal.begin = begin
        assert (answers, outcome.status, robots.robot.log) == ([True], "aborted", [])
        assert [event.reason for event in heard if hasattr(event, "how")] == ["SIGTERM"]
        assert session.run("go").status == "satisfied"  # the stop applied to the previous mission


def test_stop_during_a_mission_applies_to_that_mission(site, robots):
    answers = []

    class Aborts:
        def on(self, event: Any) -> None:
            if isinstance(event, MissionStarted):
                answers.append(session.abort("enough"))

    with Session(site, fast=True, listeners=[Aborts()]) as session:
        outcome = session.run("go")
    assert (answers, outcome.status, robots.robot.log) == ([True], "aborted", [])


def test_session_facts_come_from_robots_and_newest_observations(site, robots):
    class PerceptionWorker:
        def capture(self):
            return None

        def interpret(self, capture):
            return FakeObservation(0.0, (), {"door": "open"})

    robots.fields = {"facts": lambda: {"hand": "empty"}, "perception": PerceptionWorker()}
    with Session(site, fast=True) as session:
        assert session.facts() == {"hand": "empty"}
        session.run("go")
        assert session.facts() == {"hand": "empty", "door": "open"}


@pytest.mark.parametrize(
    ("simulated", "waits"), [(True, True), (False, False)], ids=["simulation", "real"]
)
def test_simulated_camera_is_awaited(site, robots, simulated, waits):
    robots.fields = {"perception": object(), "simulation": FakeClock() if simulated else None}
    with Session(site) as session:
        assert [(name, worker.wait) for name, worker in session.perception_workers.items()] == [
            ("lab", waits)
        ]
        assert session.clock.period_s == 0.025
        assert session.clock.simulations == ((robots.rigs[0].simulation,) if simulated else ())
        assert (
            session.perception_workers["lab"].buffer.now() == session.clock.now() or not simulated
        )


def test_robot_without_a_camera_has_no_perception_worker(site):
    with Session(site) as session:
        assert session.perception_workers == {}
        assert not session.fast
        assert not session.clock.fast


def test_site_without_robots_opens_a_session(site):
    with Session(with_pack(site, robots={})) as session:
        assert session.rigs == {}


def test_stop_during_preparation_without_a_reason_is_an_abort(site, robots, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    begin = journal.begin
    with Session(site, fast=True, journal=journal) as session:
        journal.begin = lambda **facts: (session.abort(""), begin(**facts))[1]
        assert session.run("go").status == "aborted"
    assert robots.robot.log == []


def test_invalid_facts_of_a_robot_are_a_usage_error(site, robots):
    robots.fields = {"facts": lambda: ["hand"]}
    with Session(site, fast=True) as session, pytest.raises(UsageError) as told:
        session.facts()
    said = (
        "cannot read the known facts: TypeError: facts must map strings to strings; found ['hand']"
    )
    assert str(told.value) == said


def test_replies_and_missions_of_other_days_are_not_recalled(site, robots, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    recalled: list[list[str]] = []
    site = with_pack(site, robots={"arm": robots}, reporter=recalling(recalled))
    with Session(site, fast=True, journal=journal) as session:
        for command in ("yesterday", "thanks", "today"):
            session.run(command, given())
        with closing(sqlite3.connect(journal.path)) as connection, connection:
            change = "UPDATE missions SET {} WHERE command = ?"
            connection.execute(change.format("day = '2020-01-01'"), ("yesterday",))
            code = f"reason_code = '{sorted(REPLIES)[0]}'"
            connection.execute(change.format(code), ("thanks",))
        session.run("go")
    assert recalled[-1] == ["today"]


def test_observation_request_during_a_mission_is_refused(site):
    told: list[str] = []

    class Looks:
        def on(self, event: Any) -> None:
            if isinstance(event, MissionStarted):
                with pytest.raises(UsageError) as error:
                    session.observe()
                told.append(str(error.value))

    with Session(site, fast=True, listeners=[Looks()]) as session:
        session.run("go")
        assert told == ["a mission is running in this session and makes the observations"]
        assert session.observe() == {}


def test_conversation_is_kept_until_the_world_is_reset(site):
    with Session(site, fast=True) as session:
        session.run("go")
        assert [turn.command for turn in session.conversation.context().turns] == ["go"]
        session.reset()
        assert session.conversation.context().turns == ()
        assert [turn.command for turn in session.conversation.context().earlier_missions()] == [
            "go"
        ]


def test_compiler_is_warmed_up_for_the_languages_of_a_session(site, monkeypatch):
    warmed: list[str] = []

    class Compiler:
        name = "warm"

        def compile(self, request: Any) -> Any:
            raise AssertionError

        def warm_up(self, language: str) -> None:
            warmed.append(language)

    monkeypatch.setattr("bt_exec.mission.session.make_compiler", lambda *given: Compiler())
    with Session(site, languages=("ko", "en")):
        assert warmed == ["ko", "en"]


def test_outcome_does_not_name_a_journal_that_was_removed(site, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    begin = journal.begin

    def vanishing(**facts: Any) -> Any:
        recorder = begin(**facts)
        journal.path.unlink()
        return recorder

    journal.begin = vanishing
    with Session(site, fast=True, journal=journal) as session:
        outcome = session.run("go")
    assert outcome.journal is None
    assert "was removed" in outcome.record_problem


def test_missing_rows_of_the_journal_are_reported_in_the_outcome(site, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    begin = journal.begin

    def losing(**facts: Any) -> Any:
        recorder = begin(**facts)
        close = recorder.close
        recorder.close = lambda: (close(), setattr(recorder, "incomplete", "3 rows"))[0]
        return recorder

    journal.begin = losing
    with Session(site, fast=True, journal=journal) as session:
        assert session.run("go").record_problem == "3 rows"
        journal.begin = begin
        assert session.run("go").record_problem == ""
