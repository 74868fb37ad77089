"""Two robots of the door pack on one site, working at the same time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bt_exec import Journal, Session
from bt_exec.cli.compile import observed_situation
from bt_exec.events import SkillEnded, SkillStarting
from bt_exec.mission.pack_reporters import Reporters
from bt_exec.mission.rerun import verify
from bt_exec.mission_reporter import MissionReporter
from bt_exec.rig import Rig
from bt_exec.site.site import load_site
from bt_exec.testing import ScriptedRobot

SITE = """
site: two_doors
packs:
  robot_a: {pack: door, robot: sim, detector: oracle, called: {en: [robot A], ko: [로봇 A]}}
  robot_b: {pack: door, robot: sim, detector: oracle, called: {en: [robot B], ko: [로봇 B]}}
"""


class Log(list):
    """Listener that keeps the starts and ends of skills."""

    def on(self, event):
        if isinstance(event, SkillStarting | SkillEnded):
            self.append((type(event).__name__, event.skill))


@pytest.fixture
def site(tmp_path):
    file = tmp_path / "two_doors.yaml"
    file.write_text(SITE, encoding="utf-8")
    return load_site(str(file))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            "Robot A, open the door, and robot B, tell me whether the door is open.",
            "Robot A: The door is open. Robot B: The door is closed.",
        ),
        ("로봇 A는 문을 열고 로봇 B는 팔을 접어", "로봇 A: 문이 열려 있습니다."),
    ],
)
def test_each_robot_executes_its_part(site, command, message):
    with Session(site, fast=True) as session:
        outcome = session.run(command)
        facts = session.facts()
    assert outcome.status == "satisfied"
    assert message in outcome.message
    assert (facts["robot_a/door"], facts["robot_b/door"]) == ("open", "closed")


@pytest.mark.slow  # tests/bt_exec/site/test_robots.py runs two robots in the fast tests
def test_robots_move_at_the_same_time(site, tmp_path):
    log = Log()
    journal = Journal.open(tmp_path / "journal.sqlite")
    with Session(site, fast=True, listeners=[log], journal=journal) as session:
        outcome = session.run("everyone, open the door")
    assert outcome.status == "satisfied"
    assert log[:2] == [("SkillStarting", f"robot_{one}.open_door") for one in "ab"]
    assert verify(journal, outcome.mission_id).agrees


@pytest.mark.slow
def test_failure_of_one_robot_causes_a_replan_for_that_robot(site):
    faults = ["robot_a.open_door:1=DOOR_STUCK"]
    with Session(site, fast=True, faults=faults) as session:
        outcome = session.run("everyone, open the door")
        facts = session.facts()
    assert outcome.status == "satisfied"
    assert outcome.replans == 1
    assert facts["robot_a/door"] == facts["robot_b/door"] == "open"


@pytest.mark.slow
def test_command_without_a_name_moves_nothing(site):
    with Session(site, fast=True, defer=True) as session:
        refused = session.run("open the door")
        assert refused.reason_code == "WHICH_ROBOT"
        assert session.run("robot B").status == "satisfied"
        assert session.facts()["robot_a/door"] == "closed"


def test_situation_outside_a_mission_contains_every_robot(site):
    found = observed_situation(site, site.compiler, ["robot_b.door=open"])
    assert (found.facts["robot_a/door"], found.facts["robot_b/door"]) == ("closed", "open")
    assert set(found.labels_by) == {"robot_a", "robot_b"}


class Says(MissionReporter):
    """Reporter with one fixed sentence."""

    def operator_messages(self):
        return "I am here."


def test_sentences_of_each_robot_begin_with_its_name(site):
    packs = [replace(pack, reporter=Says) for pack in site.catalogue.packs]
    rigs = {pack.name: Rig(ScriptedRobot()) for pack in packs}
    told = Reporters(packs, rigs).operator_messages(
        lambda robot, said: site.messages.sentence_for_robot(robot, said, "ko")
    )
    assert told == "로봇 A: I am here. 로봇 B: I am here."
