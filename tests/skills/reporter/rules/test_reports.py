"""Missions in the building: the final report agrees with the simulated world."""

from __future__ import annotations

import dataclasses
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bt_exec.events import Finished, SkillEnded
from bt_exec.journal import Journal
from bt_exec.language.messages import language_of
from bt_exec.mission.session import Session
from bt_exec.mission_outcome import Outcome
from bt_exec_skills.reporter.reporting.phrasing import catalogue_sentence
from tests.cases import cases

PLACES = {
    "corridor_center": ("복도", "the corridor"),
    "lounge": ("라운지", "the lounge"),
    "break_room": ("휴게실", "the break room"),
    "restroom_front": ("화장실 앞", "the restroom"),
}
LAMPS = {"corridor_center": ("corridor_west", "corridor_center", "corridor_east")}
ANSWERS = ["다음 주 월요일", "내일 오후 세 시에 보자", "아직 모르겠네"]


class Witness:
    """Listener that compares every observation with the world, and keeps the reports."""

    def __init__(self) -> None:
        self.world: Any = None
        self.looks: list[dict[str, Any]] = []
        self.told: list[str] = []

    def on(self, event: object) -> None:
        if isinstance(event, SkillEnded) and event.state == "done":
            if event.skill == "observe_scene":
                found = event.result
                place = found["place"]
                truth = self.world.truth(place)
                lamps = {self.world.lights[one] for one in LAMPS.get(place, (place,))}
                light = {(True,): "on", (False,): "off"}.get(tuple(lamps), "partly")
                assert (place, found["people"]) == (place, truth.people)
                assert (place, found["light"]) == (place, light)
                assert (place, found["unusual"]) == (place, tuple(sorted(set(truth.unusual))))
                self.looks.append(dict(found))
            if event.skill == "talk_to_person" and event.result["person"] == "user":
                self.told.append(event.result["said"])


Run = Callable[..., tuple[Any, Witness, Any]]


@pytest.fixture(scope="module")
def run(building) -> Iterator[Run]:
    """Run a command in a world, and return the outcome, the witness and the session."""
    settings = building.packs["reporter"].model_copy(update={"reports": "none"})
    rates = building.rates.model_copy(update={"idle_look_hz": 0})  # no plan is running
    site = dataclasses.replace(building, packs={"reporter": settings}, rates=rates)
    sessions: list[Session] = []

    def run(command: str, faults=(), journal=None, **world: str) -> tuple[Any, Witness, Session]:
        witness = Witness()
        session = Session(
            site, world=world, fast=True, faults=faults, listeners=[witness], journal=journal
        )
        sessions.append(session)
        witness.world = session.rigs["reporter"].robot.world
        return session.run(command), witness, session

    yield run
    for session in sessions:
        session.close()


@pytest.fixture(scope="module")
def morning(run, tmp_path_factory) -> tuple[Any, Path]:
    """Return the outcome of a mission, and the folder of its journal."""
    folder = tmp_path_factory.mktemp("morning")
    journal = Journal.open(folder / "journal.sqlite")
    outcome, _, _ = run("교수님 방에 사람 있는지 보고 와", journal=journal, seed="3")
    return outcome, folder


@pytest.fixture
def journal(morning, tmp_path) -> Journal:
    """Return a copy of the journal of that mission."""
    shutil.copytree(morning[1], tmp_path / "copy")
    return Journal.open(tmp_path / "copy" / "journal.sqlite")


def _told_the_truth(outcome, witness, language):
    assert (outcome.status, outcome.planner_calls, outcome.replans) == ("satisfied", 1, 0)
    assert outcome.message.startswith(witness.told[-1])
    assert language_of(outcome.message) == language
    for look in witness.looks:  # none, if the command was only a question
        assert look["answer"] in outcome.message


def _patrol(run, seed):
    choice = random.Random(seed)
    language = choice.choice(["ko", "en"])
    places = choice.sample(sorted(PLACES), 2)
    names = [PLACES[place][language == "en"] for place in places]
    command = {
        "ko": f"{names[0]}, {names[1]} 사람 몇 명 있는지, 불 켜져 있는지 보고 와서 알려줘",
        "en": f"check {names[0]} and {names[1]} and report back",
    }[language]
    outcome, witness, _ = run(command, seed=str(seed))
    _told_the_truth(outcome, witness, language)
    assert [look["place"] for look in witness.looks] == places
    for look in witness.looks:
        count = look["people"]
        said = catalogue_sentence(f"PEOPLE_{count if count < 2 else 'N'}", language, n=count)
        assert said.lower() in outcome.message.lower()


def _question(run, seed):
    answer = ANSWERS[seed % len(ANSWERS)]
    outcome, witness, _ = run(
        "교수님께 가서 프로젝트 언제 할지 여쭤보고 내게 다시 알려줘.",
        seed=str(seed),
        professor="present",
        answer=answer,
    )
    _told_the_truth(outcome, witness, "ko")
    assert f"“{answer}”" in outcome.message


@pytest.mark.slow
def test_patrol_report_matches_the_world(run):
    _patrol(run, 1)


def test_answer_of_the_professor_is_reported(run):
    _question(run, 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(cases(50, 21)))
def test_many_reports_match_the_state_of_the_world(run, seed):
    (_question if seed % 3 == 2 else _patrol)(run, seed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "world", "status", "known", "unknown"),
    [
        (
            "교수님께 회의 언제인지 여쭤보고 와",
            {"professor": "absent"},
            "blocked",
            (),
            ("회의 언제인지", "대답을 듣지 못했습니다"),
        ),
        (
            "ask the professor when the meeting is and report back",
            {"professor": "present", "answer": "none"},
            "blocked",
            (),
            ("when the meeting is", "no answer"),
        ),
        (
            "라운지랑 교수님 방에 사람 있는지 보고 와",
            {"blocked": "lounge", "professor": "present"},
            "partial",
            ("교수님 연구실", "1명"),
            ("라운지", "가지 못했습니다"),
        ),
        (
            "라운지 불 켜져 있는지 보고 와",
            {"lens": "dark"},
            "blocked",
            (),
            ("라운지", "볼 수 없습니다"),
        ),
    ],
)
def test_failures_are_reported(run, command, world, status, known, unknown):
    outcome, witness, _ = run(command, seed="3", **world)
    assert outcome.status == status
    assert outcome.message.startswith(witness.told[-1])
    assert len(outcome.undone) == 1
    for words in (*known, *unknown):
        assert words in outcome.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("observe_scene=CAMERA_FAULT", "둘러보지 못했습니다"),
        ("navigate:1=BLOCKED_PATH", "가지 못했습니다"),
        ("observe_scene=TIMEOUT", "둘러보지 못했습니다"),
    ],
)
def test_external_faults_are_reported(run, fault, words):
    outcome, _, _ = run("교수님 방 불 켜져 있는지 보고 와", [fault], seed="3")
    if ":" in fault:  # a fault that occurs once is overcome by a retry
        assert (outcome.status, outcome.undone) == ("satisfied", ())
    else:
        assert (outcome.status, outcome.exit_code) == ("blocked", 3)
        assert words in outcome.message


def test_failure_without_a_report_fails_the_mission(run):
    outcome, _, _ = run("라운지 둘러봐", ["navigate=UNREACHABLE"], seed="3")
    assert outcome.status == "blocked"


def test_past_missions_come_from_the_journal(run, morning, journal):
    second, witness, _ = run("오늘 있었던 일 요약해줘", journal=journal, seed="4")
    assert (second.status, second.reason_code) == ("satisfied", "OK")
    assert "교수님 방에 사람 있는지 보고 와" in second.message
    assert morning[0].message in second.message
    assert not witness.looks
    assert second.sim_seconds < 10


def test_many_refusals_do_not_hide_finished_missions(run, morning, journal):
    for _ in range(60):
        with journal.begin(command="날아", language="ko", site="building") as recorder:
            outcome = Outcome("x", "날아", "refused", "NOT_UNDERSTOOD", "모르는 말입니다.")
            recorder.on(Finished(0.0, 0, outcome))
        journal.begin(command="문 열어", language="ko", site="door").close()
    second, _, _ = run("오늘 있었던 일 요약해줘", journal=journal, seed="4")
    clock = f"{journal.missions(None)[-1].started_at:%H:%M} “교수님 방에 사람 있는지 보고 와”"
    assert f"{clock} — 그때의 보고: “{morning[0].message}”" in second.message
    assert "날아" not in second.message


def test_report_about_the_past_is_empty_without_missions(run):
    outcome, _, _ = run("오늘 있었던 일 요약해줘", seed="3")
    assert outcome.status == "satisfied"
    assert catalogue_sentence("NOTHING_NEW", "ko") in outcome.message
