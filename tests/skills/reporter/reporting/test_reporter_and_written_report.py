"""Mission reporter of the building: findings of a continued mission are reported, too."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.events import MissionStarted
from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec.planning.compiler import Done
from bt_exec.site.site import load_site
from bt_exec_skills.reporter.places_and_people import make_map
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.reporter_and_written_report import NotebookReporter

pytestmark = pytest.mark.sampled

SEEN = {"target": "lounge", "query": "라운지 상황", "people": 2, "answer": "사람이 2명 있습니다."}
QUERY = {"target": "lounge", "query": SEEN["query"]}


@pytest.fixture
def memory() -> NotebookReporter:
    book = Notebook(make_map(load_site("building").packs["reporter"]))
    memory = NotebookReporter({"notebook": book})
    memory.on(MissionStarted(0.0, 0, "2026-11-20-0001", "라운지 보고 와", "ko", "building"))
    return memory


def book_of(memory: NotebookReporter) -> Notebook:
    book: Notebook = memory.services["notebook"]
    return book


def test_findings_of_the_continued_mission_are_reported(memory: NotebookReporter) -> None:
    memory.load_finished_steps([Done("a", "observe_scene", QUERY, "", SEEN, -20.0)])
    (note,) = book_of(memory).unreported_notes()
    assert (note.kind, note.place, note.t) == ("saw", "lounge", -20.0)
    assert memory.operator_messages() == "라운지를 둘러보았습니다. 사람이 2명 있습니다."


def test_repeated_observation_replaces_the_earlier_one(memory: NotebookReporter) -> None:
    memory.load_finished_steps([Done("a", "observe_scene", QUERY, "", SEEN, -20.0)])
    book_of(memory).add_note(5.0, "saw", "lounge", **{**SEEN, "people": 0})
    assert [note.facts["people"] for note in book_of(memory).current_notes()] == [0]


def test_report_already_given_to_the_user_is_not_repeated(memory: NotebookReporter) -> None:
    said: dict[str, Any] = {"person": "user", "said": "두 명이 있습니다.", "answer": ""}
    memory.load_finished_steps(
        [
            Done("a", "observe_scene", QUERY, "", SEEN),
            Done("b", "talk_to_person", {"target": "user", "topic": "보고"}, "", said),
            Done("c", "navigate", {}, "already there"),
        ]
    )
    assert book_of(memory).unreported_notes() == []
    assert memory.operator_messages() == "두 명이 있습니다."


def test_answer_and_delivery_are_recorded_as_notes(memory: NotebookReporter) -> None:
    asked = {"target": "professor", "topic": "언제?", "answer": "세 시요."}
    gave = {"object": "편지", "recipient": "professor", "place": "professor_office"}
    memory.load_finished_steps(
        [Done("a", "talk_to_person", asked), Done("b", "deliver_object", gave)]
    )
    notes = book_of(memory).unreported_notes()
    assert [(note.kind, note.place) for note in notes] == [
        ("asked", None),
        ("delivered", "professor_office"),
    ]


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (
            "en",
            "I looked around the lounge about 30 seconds ago. There are 2 people. The light is on.",
        ),
        ("ko", "30초쯤 전에 라운지를 둘러보았습니다. 사람이 2명 있습니다. 불이 켜져 있습니다."),
    ],
)
def test_resumed_patrol_reports_in_its_language_what_it_saw_before_the_stop(
    tmp_path: Any, language: str, told: str
) -> None:
    journal = Journal.open(tmp_path / "j.sqlite")
    with Session(load_site("building"), fast=True, journal=journal, world={"seed": "1"}) as session:
        session.run("go to the lounge")
        now = session.clock.now()
        session.clock.call_at(now + 25.0, lambda: session.abort("operator"))
        first = session.run("look around the lounge and report")
        assert first.status == "aborted"
        done = session.resume(journal.mission(first.mission_id), language=language)
    assert done.status == "satisfied"
    assert told in done.message
    assert "observe_scene" not in [
        run.start.skill for run in journal.mission(done.mission_id).skills
    ]
