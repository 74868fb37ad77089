"""Sessions that open their robots only for a command that the compiler accepts."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.events import FactsKnown
from bt_exec.failure import Refusal, UsageError
from bt_exec.journal import Journal
from bt_exec.language.meaning import Act, Meaning, Unclear
from bt_exec.mission.rerun import verify
from bt_exec.mission.session import Session
from bt_exec.mission_reporter import MissionReporter
from bt_exec.planning.compiler import Plan, Reply, Request
from tests.bt_exec.mission.session_robots import Heard, given, with_pack


class Reading:
    """Compiler that accepts the command "go" and greets."""

    name = "reading"
    reads_alone = True

    def read(self, request: Request) -> Meaning | Unclear | Reply:
        if request.command == "hello":
            return Reply("COURTESY", "Hello.")
        if request.command == "where are we":
            return Reply("WHERE", "Here.")
        if request.command == "crash":
            raise RuntimeError("no words")
        return Meaning("en", (Act("t"),)) if request.command == "go" else Unclear("NOT_UNDERSTOOD")

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        found = self.read(request)
        if isinstance(found, Reply):
            return found
        if isinstance(found, Unclear):
            return Refusal(found.code, "not understood")
        return Plan(given(request.command))


@pytest.fixture
def deferred(site, robots) -> Any:
    """Return a function that creates a session without opened robots."""

    def make(**options: Any) -> Session:
        session = Session(site, fast=True, defer=True, **options)
        session.compiler = Reading()
        assert robots.made == []
        return session

    return make


@pytest.mark.parametrize(("command", "status"), [("dance", "refused"), ("hello", "satisfied")])
def test_command_without_plan_opens_no_robot(deferred, robots, command, status):
    heard = Heard()
    with deferred(listeners=[heard]) as session:
        outcome = session.run(command)
    assert (outcome.status, robots.made) == (status, [])
    assert not any(event.facts for event in heard if isinstance(event, FactsKnown))
    assert {event.t for event in heard} == {0.0}


@pytest.mark.parametrize("command", ["dance", "hello"])
def test_reporter_is_not_started_without_the_services_of_its_robot(site, robots, command, caplog):
    made: list[Any] = []

    def reporter(services: Any) -> MissionReporter:
        made.append(services["notebook"])
        return MissionReporter(services)

    robots.fields["services"] = {"notebook": "the notebook"}
    site = with_pack(site, services={"notebook": str}, reporter=reporter)
    with Session(site, fast=True, defer=True) as session:
        session.compiler = Reading()
        session.run(command)
        assert (made, caplog.text) == ([], "")
        session.run("go")
    assert made == ["the notebook"]


@pytest.mark.parametrize("command", ["go", "where are we", "crash", "where are you?"])
def test_command_with_a_possible_plan_opens_the_robot_once(deferred, robots, command):
    with deferred() as session:
        session.run("dance")
        session.run(command)
        session.run("go")
    assert len(robots.made) == 1


def test_given_plan_opens_the_robot(deferred, robots):
    with deferred() as session:
        assert session.run("dance", given("dance")).status == "satisfied"
    assert len(robots.made) == 1


def test_compiler_that_needs_the_situation_opens_the_robot(deferred, robots):
    with deferred() as session:
        session.compiler.reads_alone = False
        assert session.run("dance").status == "refused"
    assert len(robots.made) == 1


def test_unavailable_robot_is_reported_when_opened(deferred, robots):
    robots.error = OSError("no route to the robot")
    with deferred() as session:
        assert session.run("dance").status == "refused"
        with pytest.raises(UsageError, match="no route to the robot"):
            session.run("go")
        with pytest.raises(UsageError, match="closed"):
            session.run("go")


def test_closed_session_without_robots_refuses_commands(deferred):
    with deferred() as session:
        pass
    with pytest.raises(UsageError, match="closed"):
        session.run("dance")


def test_refused_mission_is_verified_without_robots(tmp_path):
    journal = Journal.open(tmp_path / "journal.sqlite")
    with Session("door", fast=True, journal=journal, defer=True) as session:
        outcome = session.run("dance the tango")
        assert (outcome.status, session.rigs) == ("refused", {})
    assert verify(journal, outcome.mission_id).agrees
