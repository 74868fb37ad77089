"""Repeated missions in their recorded world, on a scripted site."""

from __future__ import annotations

import dataclasses
import sqlite3
from contextlib import closing
from typing import Any, NamedTuple

import pytest

from bt_exec.events import Observed
from bt_exec.failure import Interrupted, UsageError
from bt_exec.journal import Journal
from bt_exec.mission import rerun
from bt_exec.mission.rerun import recorded_site, restore_world, verify
from bt_exec.mission.session import Session
from bt_exec.planning.compiler import Plan
from bt_exec.rig import Rig
from bt_exec.skill import Running, Steps, skill
from bt_exec.testing import FakeClock, FakeObservation, ScriptedRobot, scripted_skill
from tests.bt_exec.mission.session_robots import Heard, given, with_pack

WORLD = {"door": "open", "seed": "7"}
FOREVER = [scripted_skill("a", [("forever",)])]


class Written(NamedTuple):
    path: str


class Compiles:
    """Compiler that accepts one command."""

    name = "fixed"

    def __init__(self) -> None:
        self.asked = 0

    def compile(self, request):
        self.asked += 1
        return Plan(given(request.command, request.language))


class Still:
    """Camera that always shows the same."""

    def capture(self) -> None:
        return None

    def interpret(self, _: None) -> FakeObservation:
        return FakeObservation(0.0)


@pytest.fixture
def journal(tmp_path) -> Journal:
    return Journal.open(tmp_path / "j.sqlite")


@pytest.fixture
def lab(site, monkeypatch):
    """Site that is found by its name."""
    compiler = Compiles()
    monkeypatch.setattr(rerun, "load_site", lambda name: site)
    monkeypatch.setattr("bt_exec.mission.session.make_compiler", lambda *_: compiler)
    return site


def record(lab, journal, *commands, **options):
    """Run commands in one session and return the records, oldest first."""
    with Session(lab, world=WORLD, fast=True, journal=journal, **options) as session:
        names = [session.run(command).mission_id for command in commands]
    return [journal.mission(name) for name in names]


def test_mission_runs_again_as_recorded(lab, journal):
    (mission,) = record(lab, journal, "go")
    found = verify(journal, mission.id)
    assert found.agrees
    assert found.events == len([e for e in mission.events if type(e).__name__ != "Progress"])
    assert found.changed == ()


def test_later_mission_of_a_session_runs_again_after_the_earlier_ones(lab, journal, robots):
    *_, last = record(lab, journal, "go", "go again", "go once more")
    before = len(robots.rigs)
    assert verify(journal, last.id).agrees
    assert len(robots.rigs) == before + 1  # one world for all three
    assert robots.robot.log == ["a start", "a done"] * 3


def test_earlier_missions_keep_their_recorded_time(lab, journal, monkeypatch):
    first, second = record(lab, journal, "go", "go again")
    turns = []
    compile_ = Compiles.compile

    def heard(self, request):
        turns.append(request.context.turns)
        return compile_(self, request)

    monkeypatch.setattr(Compiles, "compile", heard)
    assert verify(journal, second.id).agrees
    (turn,) = turns[-1]
    assert turn.at == first.line.started_at


def test_injected_faults_are_repeated(lab, journal):
    (mission,) = record(lab, journal, "go", faults=["a:1=TIMEOUT"])
    assert mission.failures
    assert verify(journal, mission.id).agrees


def test_first_difference_of_a_rerun_is_reported(lab, journal, monkeypatch):
    (mission,) = record(lab, journal, "go")
    other = dataclasses.replace(
        with_pack(lab, skills=(scripted_skill("a", [("2", "SLIPPED")]),)),
        limits=lab.limits.model_copy(update={"replans": 0}),
    )
    monkeypatch.setattr(rerun, "load_site", lambda name: other)
    found = verify(journal, mission.id)
    assert not found.agrees
    assert found.difference is not None
    assert found.difference.recorded.startswith("SkillEnded a")
    assert found.difference.found


def test_written_file_may_have_another_name_in_the_new_run(lab, journal, tmp_path, monkeypatch):
    @skill
    def a(robot: Any) -> Steps[Written]:
        """Write a file under a free name."""
        yield Running()
        path = tmp_path / f"report-{len(list(tmp_path.glob('report-*')))}.md"
        path.touch()
        return Written(str(path))

    writes = with_pack(lab, skills=(a,))
    monkeypatch.setattr(rerun, "load_site", lambda name: writes)
    (mission,) = record(writes, journal, "go")
    assert mission.status == "satisfied", mission.outcome
    assert verify(journal, mission.id).difference is None
    assert len(list(tmp_path.glob("report-*"))) == 2


def test_recorded_stop_is_repeated_at_its_tick(site, journal, lab, monkeypatch):
    slow = with_pack(lab, skills=tuple(FOREVER))
    monkeypatch.setattr(rerun, "load_site", lambda name: slow)
    with Session(slow, world=WORLD, fast=True, journal=journal) as session:
        session.clock.call_at(0.5, lambda: session.abort("operator"))
        name = session.run("go").mission_id
    assert journal.mission(name).status == "aborted"
    found = verify(journal, name)
    assert found.agrees, found


@pytest.mark.parametrize("number", [2, 5])
def test_stop_at_an_observation_is_repeated_after_it(journal, lab, monkeypatch, robots, number):
    robots.fields["perception"] = Still()
    slow = with_pack(lab, skills=tuple(FOREVER))
    monkeypatch.setattr(rerun, "load_site", lambda name: slow)
    heard = Heard()
    with Session(slow, world=WORLD, fast=True, journal=journal, listeners=[heard]) as session:

        class Stops:
            def on(self, event):
                seen = [one for one in heard if isinstance(one, Observed)]
                if isinstance(event, Observed) and len(seen) == number:
                    session.abort("operator")

        session.listeners.append(Stops())
        name = session.run("go").mission_id
    record = journal.mission(name)
    assert record.status == "aborted"
    assert sum(isinstance(event, Observed) for event in record.events) == number
    found = verify(journal, name)
    assert found.agrees, found


def test_session_is_restored_at_the_last_recorded_moment(lab, journal, monkeypatch):
    slow = with_pack(lab, skills=tuple(FOREVER))
    monkeypatch.setattr(rerun, "load_site", lambda name: slow)
    with Session(slow, world=WORLD, fast=True, journal=journal) as session:
        session.clock.call_at(0.5, lambda: session.abort("operator"))
        name = session.run("go").mission_id
    heard = Heard()
    with Session(slow, fast=True, journal=journal, listeners=[heard]) as session:
        found = restore_world(session, journal, journal.mission(name))
        assert found.agrees
        assert session.world == WORLD
        assert session.clock.now() == pytest.approx(0.5)
        assert session.journal is journal
    assert heard == []


def test_interrupt_during_restoration_ends_it(lab, journal, monkeypatch):
    slow = with_pack(lab, skills=tuple(FOREVER))
    monkeypatch.setattr(rerun, "load_site", lambda name: slow)
    with Session(slow, world=WORLD, fast=True, journal=journal) as session:
        session.clock.call_at(0.5, lambda: session.abort("operator"))
        name = session.run("go").mission_id

    def interrupt(self, event):
        raise Interrupted

    monkeypatch.setattr("bt_exec.mission.rerun._Stops.on", interrupt)
    with Session(slow, fast=True, journal=journal) as session:
        with pytest.raises(Interrupted):
            restore_world(session, journal, journal.mission(name))
        assert session.journal is journal


def test_restored_mission_is_reported_as_interrupted_not_as_stopped(lab, journal):
    (mission,) = record(lab, journal, "go")
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        connection.execute("UPDATE missions SET status = NULL, ended_at = NULL, outcome = NULL")
        connection.execute("DELETE FROM events WHERE kind IN ('Finished', 'FactsKnown') AND tick")
    with Session(lab, fast=True, journal=journal) as session:
        restore_world(session, journal, journal.mission(mission.id))
        (turn,) = session.conversation.context().turns
    assert (turn.status, turn.message) == ("interrupted", "")
    assert turn.at == mission.line.started_at


def test_mission_without_events_is_restored_at_the_start_of_its_world(lab, journal, robots):
    settings = {"packs": lab.settings(), "world": WORLD}
    booking = journal.book(command="go", site="lab", session="s", settings=settings)
    record = journal.mission(booking.mission_id)
    with Session(lab, fast=True, journal=journal) as session:
        found = restore_world(session, journal, record)
        assert (found.agrees, found.events) == (True, 0)
        assert session.world == WORLD
        assert robots.robot.log == []
        assert session.resume(record).ok


def test_plans_of_a_model_are_taken_from_the_journal(lab, journal):
    with Session(lab, world=WORLD, fast=True, journal=journal) as session:
        compiler = session.compiler
        real = compiler.compile

        def asks(request):
            facts = {"compiler": "m", "model": "m", "request": "q", "answer": "a", "usage": {}}
            request.record(**facts)
            return real(request)

        compiler.compile = asks
        name = session.run("go").mission_id
    compiler.compile = lambda request: pytest.fail("the model was asked again")
    assert verify(journal, name).agrees


def test_real_robot_is_not_driven_again(lab, journal, monkeypatch):
    (mission,) = record(lab, journal, "go")
    real = with_pack(lab, robots={"arm": lambda settings, world: Rig(ScriptedRobot())})
    monkeypatch.setattr(rerun, "load_site", lambda name: real)
    monkeypatch.setattr(rerun, "_is_simulated", lambda *_: False)
    with pytest.raises(UsageError, match="lab is a real robot"):
        verify(journal, mission.id)


def test_recorded_settings_are_used(lab, journal, monkeypatch):
    rates = lab.rates.model_copy(update={"tick_hz": 10})
    (mission,) = record(dataclasses.replace(lab, rates=rates), journal, "go")
    assert recorded_site(mission).rates.tick_hz == 10
    assert lab.rates.tick_hz == 40


def test_record_of_an_older_version_is_refused(lab, journal):
    with journal.begin(command="go", site="lab") as recorder:
        pass
    with pytest.raises(UsageError, match="recorded by an older version"):
        verify(journal, recorder.mission_id)


def test_clock_callback_is_called_once_at_its_time(lab):
    calls: list[float] = []
    with Session(lab, world=WORLD, fast=True) as session:
        clock = session.clock
        assert isinstance(clock.simulations[0], FakeClock)
        clock.call_at(0.05, lambda: calls.append(clock.now()))
        for _ in range(4):
            clock.advance()
        clock.call_at(0.11, lambda: calls.append(clock.now()))
        clock.call_at(None)
        clock.advance()
    assert calls == [pytest.approx(0.05)]
