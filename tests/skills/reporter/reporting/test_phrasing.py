"""Notebook, its reports in both languages, and the written report."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

from bt_exec.events import Finished, MissionStarted, SkillEnded
from bt_exec.failure import Failure
from bt_exec.journal import read_png
from bt_exec.language.messages import Messages
from bt_exec.mission_outcome import Outcome
from bt_exec.site.site import load_site
from bt_exec.testing import check_pack
from bt_exec_skills.reporter.pack import PACK
from bt_exec_skills.reporter.perception.findings_at_place import FindingsAccumulator, noise_state
from bt_exec_skills.reporter.perception.observation import PlacedDetection, ReporterObservation
from bt_exec_skills.reporter.reporting.notebook import Note, Notebook, PastMission
from bt_exec_skills.reporter.reporting.phrasing import (
    answer_of,
    elapsed_time_text,
    note_sentence,
    report_of,
)
from bt_exec_skills.reporter.reporting.question_aspects import ASPECTS, aspects_of, expects_answer
from bt_exec_skills.reporter.reporting.reporter_and_written_report import NotebookReporter, Report
from tests.cases import some


def write_report(book, language, folder):
    report = Report(book, language, folder)
    for _ in report.write():
        pass
    return report.path


@pytest.mark.parametrize(
    ("query", "aspects"),
    [
        ("복도에서 사람 수 확인", ("people",)),
        ("복도에 몇 명 있는지", ("people",)),
        ("불이 켜져 있는지", ("light",)),
        ("복도에 불 켜져있나", ("light",)),
        ("조명과 소란 여부", ("light", "noise")),
        ("불편한 점", ASPECTS),
        ("이상 없는지 확인", ASPECTS),
        ("라운지 상황", ASPECTS),
        ("how many people are there?", ("people",)),
        ("is the light on", ("light",)),
        ("is it loud?", ("noise",)),
        ("anything unusual?", ASPECTS),
        ("", ASPECTS),
        ("is there a little boy?", ASPECTS),
        ("is it slightly noisy?", ("noise",)),
        ("are the lights on, is it crowded?", ("people", "light")),
        ("lounge의 light가 켜졌나", ("light",)),
        ("복도에서 사람 수, 사람 존재 여부, 소란스러운 행동이 있는지 확인", ("people", "noise")),
        ("복도 조명이 켜져 있는지, 꺼진 구간이 있는지 확인", ("light",)),
        ("라운지의 사람 수, 혼잡도, 이상 상황 확인", ("people", "unusual")),
    ],
)
def test_aspects_of_an_observation_query_are_recognised(query, aspects):
    assert aspects_of(query) == aspects


@pytest.mark.parametrize(
    ("topic", "is_question"),
    [
        ("다음 회의 일정 문의", True),
        ("프로젝트 언제 할지", True),
        ("복도에서 관찰한 사람 수와 소란 여부에 대한 보고", False),
        ("교수님의 '언제 할지' 질문에 대한 답변 보고", False),
        ("오늘 수행한 미션들의 요약을 설명", False),
        ("Ask when the meeting is", True),
        ("report on the corridor", False),
        ("the task is finished", False),
        ("the mask is ready", False),
        ("which mask he wants", True),
        ("물어보신 자료 보냈다", False),
        ("언제 오셔도 괜찮다고", False),
        ("빨리 오시라고", False),
        ("회의 갈 거냐고", True),
        ("다음 회의 일정을 문의합니다", True),
        ("회의가 언제인지 궁금합니다.", True),
        ("회의가 언제입니까", True),
        ("언제 오는 방문자", True),
        ("늦어도 괜찮다고 하셨나요?", True),
    ],
)
def test_questions_are_recognised(topic, is_question):
    assert expects_answer(topic) is is_question


def gathered(site, name, *people, light=None):
    found = FindingsAccumulator(name, site.places[name])
    pose = site.places[name].poses[0]
    for turn in range(7):  # everything, before people arrived
        found.add(ReporterObservation(0.0, pose._replace(yaw=float(turn)), ()))
    seen = tuple(PlacedDetection("person", (0, 0, 9, 9), 1.0, None, at) for at in people)
    found.add(ReporterObservation(0.0, pose, seen, light or {}))
    return found


def test_answer_has_the_same_facts_in_both_languages(site):
    part = {("corridor_center", k): level for k, level in enumerate((150, 20, 150))}
    found = gathered(site, "corridor_center", (9.0, 1.0), (9.3, 1.2), (12.0, 2.0), light=part)
    assert found.light_state == "partly"
    told = {
        language: answer_of(found.observation("", 70.4), ASPECTS, language, site)
        for language in ("en", "ko")
    }
    assert told == {
        "en": "There are 2 people. The light is on, except in the middle. It is loud (70 dB). "
        "Nothing unusual is in view.",
        "ko": "사람이 2명 있습니다. 불이 켜져 있지만 꺼진 구간이 있습니다(가운데). "
        "시끄럽습니다(70 dB). 이상한 점은 보이지 않습니다.",
    }


@pytest.mark.parametrize(
    ("people", "told"),
    [
        (
            (),
            (
                "I saw nobody, but part of the place was hidden.",
                "보이는 사람은 없지만 가려진 곳이 있습니다.",
            ),
        ),
        (((9.0, 6.0),), ("There is at least one person.", "사람이 적어도 1명 있습니다.")),
        (
            ((9.0, 6.0), (10.0, 4.0)),
            ("There are at least 2 people.", "사람이 적어도 2명 있습니다."),
        ),
    ],
)
def test_count_in_a_partly_seen_place_is_a_lower_bound(site, people, told):
    found = FindingsAccumulator("lounge", site.places["lounge"])
    seen = tuple(PlacedDetection("person", (0, 0, 9, 9), 1.0, None, at) for at in people)
    found.add(ReporterObservation(0.0, site.places["lounge"].poses[0], seen))
    assert not found.complete
    assert told == tuple(
        answer_of(found.observation("", 40.0), ("people",), lang, site) for lang in ("en", "ko")
    )


def test_english_sentences_begin_with_a_capital(site):
    facts = {"skill": "talk_to_person", "code": "NO_ANSWER", "target": "professor", "topic": "when"}
    told = note_sentence(Note(31.0, "failed", None, facts), site, "en")
    assert told == "I got no answer from the professor to “when”. The professor did not answer."
    taken = Note(5.0, "delivered", None, {"object": "letter", "recipient": "professor"})
    assert note_sentence(taken, site, "en") == "The professor took the letter."


def test_blocked_return_is_reported(site):
    note = Note(
        9.0, "failed", None, {"skill": "navigate", "code": "BLOCKED_PATH", "target": "basecamp"}
    )
    assert note_sentence(note, site, "en") == "I did not get back to basecamp. The path is blocked."
    assert (
        note_sentence(note, site, "ko") == "베이스캠프로 돌아오지 못했습니다. 길이 막혀 있습니다."
    )


def test_strangers_are_distinguished_by_position(site):
    found = gathered(site, "lounge", (8.0, 5.0), (8.5, 5.2), (9.5, 5.0))
    assert len(found.people) == 2


def test_noise_state_depends_on_the_level():
    assert [noise_state(db) for db in (46.9, 47, 62.9, 63)] == ["quiet", "normal", "normal", "loud"]


def test_elapsed_times_are_formatted_in_both_languages():
    assert [elapsed_time_text(65.2, language) for language in ("en", "ko")] == ["1:05", "1분 5초"]
    assert elapsed_time_text(9, "ko") == "9초"


def test_report_contains_only_new_notes_and_the_latest_attempt(site):
    book = Notebook(site)
    assert report_of(book, "ko") == "새로 보고드릴 내용이 없습니다."
    book.add_note(3.0, "failed", None, skill="navigate", target="lounge", code="BLOCKED_PATH")
    book.add_note(9.0, "went", "lounge", target="lounge")
    book.add_note(
        12.0, "saw", "lounge", target="lounge", query="people", answer="There is nobody there."
    )
    assert report_of(book, "en", 52.0) == (
        "I looked around the lounge about 40 seconds ago. There is nobody there."
    )
    assert (
        report_of(book, "ko", 75.0) == "1분쯤 전에 라운지를 둘러보았습니다. There is nobody there."
    )
    assert "about 6 minutes ago" in report_of(book, "en", 372.0)
    book.mark_reported()
    book.add_note(20.0, "asked", "basecamp", target="professor", topic="Tuesday", answer="Fine.")
    assert report_of(book, "en") == ("I asked the professor: “Tuesday”. The answer was: “Fine.”")
    book.mark_reported()
    # on a repeated request, everything is reported again
    assert "There is nobody there." in report_of(book, "en")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_failure_has_a_sentence(site, language):
    args = {
        "navigate": {"target": "lounge"},
        "observe_scene": {"target": "lounge", "query": "people"},
        "talk_to_person": {"target": "professor", "topic": "Tuesday"},
        "deliver_object": {"object": "tea", "recipient": "professor"},
        "fail_and_report": {"reason": "no way"},
    }
    for skill in PACK.skills:
        for code in some(skill.fails):
            book = Notebook(site)
            given = args.get(skill.name, {})
            book.add_note(3.0, "failed", None, skill=skill.name, code=code, message="why", **given)
            told = report_of(book, language)
            assert code not in told
            assert "FAILED" not in told
            assert "professor_office" not in told


def test_new_mission_clears_the_notes_and_external_failures_are_noted(site):
    book = Notebook(site)
    book.add_note(1.0, "saw", "lounge", target="lounge", query="x", answer="Old.")
    book.on(MissionStarted(5.0, 0, "m-1", "복도 보고 와", "ko", "building"))
    assert (book.notes, book.command, book.mission_id) == ([], "복도 보고 와", "m-1")
    assert book.language("english text") == "ko"
    args = {"target": "lounge", "query": "people"}
    failure = Failure("CAMERA_FAULT", "made to fail", "a/b", "skill", "observe_scene", args)
    book.on(SkillEnded(7.0, 3, "a/b", "observe_scene", 1, "failed", 0.0, {}, failure))
    book.on(SkillEnded(8.0, 4, "a/b", "observe_scene", 2, "failed", 0.0, {}, failure))
    assert len(book.notes) == 1  # the same failure once
    assert report_of(book, book.language()) == (
        "라운지를 둘러보지 못했습니다. 카메라로 볼 수 없습니다."
    )
    book.on(Finished(9.0, 5, Outcome("m-1", "복도 보고 와", "blocked", "SKILL_FAILED", "끝.")))
    book.on(MissionStarted(10.0, 0, "m-2", "오늘 있었던 일 요약해줘", "ko", "building"))
    assert report_of(book, "ko") == "지금까지 한 일입니다: “복도 보고 와” — 그때의 보고: “끝.”"


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ("lunch is ready", "I told the people at the lounge: “lunch is ready”."),
        ("Is lunch ready?", "I asked the people at the lounge: “Is lunch ready?”. The answer was:"),
    ],
)
def test_message_and_question_of_a_continued_mission_are_reported_differently(site, topic, said):
    book = Notebook(site)
    facts = {"target": "lounge", "topic": topic, "said": topic, "answer": "Thank you."}
    book.add_earlier_note(1.0, "talk_to_person", facts)
    assert report_of(book, "en", 1.0).startswith(said)


def test_written_report_escapes_markup(site, tmp_path):
    book = Notebook(site)
    book.start_mission("look | <b>at</b> *it*", "en", "2026-11-20-0007", 10.0)
    frame = np.full((6, 8, 3), 90, np.uint8)
    book.add_note(15.0, "went", "lounge", target="lounge")
    book.add_note(
        22.0, "saw", "lounge", frame, target="lounge", query="x", answer="There is nobody there."
    )
    book.add_note(30.0, "failed", None, skill="navigate", target="break_room", code="BLOCKED_PATH")
    path = write_report(book, "en", tmp_path / "made" / "here")
    assert path.name == "2026-11-20-0007.md"
    assert path.read_text(encoding="utf-8") == (
        "# Mission report\n"
        "\n"
        "**Command:** look \\| \\<b\\>at\\</b\\> \\*it\\*\n"
        "\n"
        "## What was found\n"
        "\n"
        "- I looked around the lounge. There is nobody there.\n"
        "- I did not reach the break room. The path is blocked.\n"
        "\n"
        "## Timeline\n"
        "\n"
        "| Time | Place | What happened |\n"
        "|---|---|---|\n"
        "| 0:05 | the lounge | I reached the lounge. |\n"
        "| 0:12 | the lounge | I looked around the lounge. There is nobody there. |\n"
        "| 0:20 | – | I did not reach the break room. The path is blocked. |\n"
        "\n"
        "## Pictures\n"
        "\n"
        "![the lounge](2026-11-20-0007-1.png)\n"
        "\n"
        "the lounge\n"
    )
    assert np.array_equal(read_png(path.with_name("2026-11-20-0007-1.png")), frame)
    assert write_report(book, "ko", path.parent).name == "2026-11-20-0007-2.md"


def test_every_code_has_a_sentence():
    assert PACK.messages is not None
    messages = Messages.load([PACK.messages])
    check_pack(PACK, messages)
    for reason in some(each.skip_reason for each in PACK.conditions if each.skip_reason):
        assert reason in messages


def test_summary_leaves_out_earlier_summaries(site):
    book = Notebook(site)
    for language in ("en", "ko"):
        book.past[:] = [PastMission("check the lounge", "satisfied", "There is nobody there.")]
        told = report_of(book, language)
        book.past.append(PastMission("오늘 있었던 일 요약해줘", "satisfied", told))
        assert report_of(book, language) == told
        del book.past[0]
        assert report_of(book, language) == report_of(Notebook(site), language)


def test_known_persons_are_reported_by_name(site):
    found = gathered(site, "professor_office")
    names = {}
    for who, at in (("professor", (2.5, 5.4)), ("user", (4.0, 6.0)), ("visitor-1", (1.0, 6.0))):
        seen = (PlacedDetection("person", (0, 0, 9, 9), 1.0, who, at),)
        found.add(ReporterObservation(1.0, site.places["professor_office"].poses[0], seen))
        names[who] = tuple(
            answer_of(found.observation("", 40.0), ("people",), language, site)
            for language in ("en", "ko")
        )
    assert names == {
        "professor": ("There is one person (the professor).", "사람이 1명 있습니다(교수님)."),
        "user": (
            "There are 2 people (the professor, you).",
            "사람이 2명 있습니다(교수님, 사용자).",
        ),
        "visitor-1": (
            "There are 3 people (including the professor, you).",
            "사람이 3명 있습니다(교수님, 사용자 포함).",
        ),
    }


def test_findings_are_the_final_message_if_nothing_was_reported(site):
    book = Notebook(site)
    memory = NotebookReporter({"notebook": book})
    book.start_mission("check the lounge", "en")
    assert memory.operator_messages() == ""
    book.add_note(
        1.0, "failed", None, skill="navigate", target="corridor_center", code="BLOCKED_PATH"
    )
    book.add_note(2.0, "went", "lounge", target="lounge")
    book.add_note(
        9.0, "saw", "lounge", target="lounge", query="people", answer="There is nobody there."
    )
    assert memory.operator_messages() == "I looked around the lounge. There is nobody there."
    book.mark_reported()
    assert memory.operator_messages() == ""


def test_mission_with_only_a_drive_reports_the_place_of_the_robot(site):
    book = Notebook(site)
    book.past[:] = [PastMission("check the lounge", "satisfied", "There is nobody there.")]
    book.start_mission("교수님께 갔다 와서 알려줘", "ko")
    book.add_note(12.0, "went", "professor_office", target="professor_office")
    book.add_note(25.0, "went", "basecamp", target="basecamp")
    assert report_of(book, "ko", 42.0) == "30초쯤 전에 교수님 연구실에 갔습니다."
    assert report_of(book, "en") == "I went to the professor's office."
    book.add_note(40.0, "went", "lounge", target="lounge")
    book.add_note(
        48.0, "saw", "lounge", target="lounge", query="people", answer="There is nobody there."
    )
    assert report_of(book, "en") == (
        "I went to the professor's office. I looked around the lounge. There is nobody there."
    )


def test_earlier_missions_are_reported_on_request_after_a_drive(site):
    book = Notebook(site)
    book.past[:] = [PastMission("check the lounge", "satisfied", "There is nobody there.")]
    for command in ("what happened today?", "tell me"):
        book.start_mission(command, "en")
        book.add_note(9.0, "went", "basecamp", target="basecamp")
        assert "“check the lounge”" in report_of(book, "en")


def test_failed_report_to_a_person_is_left_out_of_the_next_report_to_them(site):
    book = Notebook(site)
    book.start_mission("check the lounge and report back", "en")
    book.add_note(
        9.0, "saw", "lounge", target="lounge", query="people", answer="There is nobody there."
    )
    facts = {"skill": "talk_to_person", "target": "user", "topic": "report", "code": "STOPPED"}
    book.add_note(12.0, "failed", "basecamp", **facts)
    assert report_of(book, "en") == "I looked around the lounge. There is nobody there."
    book.mark_reported()
    book.add_note(20.0, "failed", "basecamp", **facts)
    assert report_of(book, "en") == "I looked around the lounge. There is nobody there."


def test_report_of_earlier_missions_is_chronological_and_omits_refusals(site):
    book = Notebook(site)
    at = datetime(2026, 11, 20, 9, 5)
    book.past[:] = [
        PastMission("복도 보고 와", "satisfied", "사람이 없습니다.", at),
        PastMission("날아 봐", "refused", "알아듣지 못했습니다.", at.replace(hour=11)),
        PastMission("", "satisfied", "했습니다.", at.replace(hour=14)),
    ]
    assert report_of(book, "ko") == (
        "지금까지 한 일입니다:\n"
        "09:05 “복도 보고 와” — 그때의 보고: “사람이 없습니다.”\n"
        "14:05 명령 없이 받은 계획 — 그때의 보고: “했습니다.”"
    )
    assert "14:05 a plan without a command — done." in report_of(book, "en")
    del book.past[2], book.past[0]
    assert report_of(book, "ko") == report_of(Notebook(site), "ko")


def test_many_missions_are_summarised(site):
    book = Notebook(site)
    at = datetime(2026, 11, 20, 9, 0)
    ended = ["satisfied"] * 6 + ["blocked", "partial", "satisfied"]
    book.past[:] = [
        PastMission(f"errand {number}", status, f"Said {number}.", at.replace(hour=9 + number))
        for number, status in enumerate(ended)
    ]
    assert report_of(book, "en") == (
        "What was done so far:\n"
        "9 missions: 7 done, 1 partly done, 1 not done.\n"
        "Not done, or only partly done:\n"
        "15:00 “errand 6” — my report was: “Said 6.”\n"
        "16:00 “errand 7” — my report was: “Said 7.”\n"
        "Most recently:\n"
        "17:00 “errand 8” — my report was: “Said 8.”"
    )
    korean = report_of(book, "ko")
    assert "임무 9건: 7건 완료, 1건 일부 완료, 1건 하지 못함." in korean
    assert "Said" not in korean  # a message in another language is replaced by the status


def test_interrupted_missions_and_failures_beyond_the_listed_ones_are_counted(site):
    book = Notebook(site)
    at = datetime(2026, 11, 20, 9, 0)
    ended = ["blocked"] * 6 + ["interrupted"]
    book.past[:] = [
        PastMission(f"errand {n}", status, "" if status == "interrupted" else "Said.", at)
        for n, status in enumerate(ended)
    ]
    told = report_of(book, "en").splitlines()
    assert told[1] == "7 missions: 1 interrupted, 6 not done."
    assert told[-2:] == [
        "09:00 “errand 6” — interrupted.",
        "Earlier missions that are not listed: 2.",
    ]


@pytest.mark.parametrize(
    ("query", "who", "told"),
    [
        ("is the professor in", (), "No, the professor is not there. There is nobody there."),
        ("교수님 계신지", ("professor",), "네, 교수님께서 계십니다. 사람이 1명 있습니다(교수님)."),
        (
            "the professor's office: people",
            (),
            "There is nobody there. The professor is not there.",
        ),
        ("교수님 연구실에서 사람 수", (), "사람이 없습니다. 교수님께서는 자리에 안 계십니다."),
    ],
)
def test_requested_person_who_is_absent_is_mentioned(site, query, who, told):
    found = gathered(site, "professor_office")
    for name in who:
        seen = (PlacedDetection("person", (0, 0, 9, 9), 1.0, name, (2.5, 5.4)),)
        found.add(ReporterObservation(1.0, site.places["professor_office"].poses[0], seen))
    language = "ko" if "교수" in query else "en"
    wanted = site.people_in(query)
    assert answer_of(found.observation("", 40.0), ("people",), language, site, wanted) == told


def test_failed_return_is_not_reported_if_the_robot_is_at_the_base(site):
    book = Notebook(site)
    book.start_mission("look and report", "ko")
    facts = {"skill": "navigate", "target": "basecamp", "code": "BLOCKED_PATH"}
    book.add_note(9.0, "failed", None, **facts)
    assert "돌아오지 못했습니다" in report_of(book, "ko")
    book.where = lambda: "basecamp"
    assert "돌아오지 못했습니다" not in report_of(book, "ko")


@pytest.mark.parametrize(
    ("name", "args", "language", "said"),
    [
        ("talk_to_person", {"target": "lounge", "topic": "점심"}, "ko", "말씀드리기(라운지): 점심"),
        ("talk_to_person", {"target": "user", "topic": "점심"}, "ko", "말씀드리기(사용자): 점심"),
        ("people_there", {"least": 3}, "en", "there are 3 or more people"),
        ("people_there", {"most": 2}, "en", "there are people, 2 or fewer"),
    ],
)
def test_steps_and_conditions_have_phrases(name, args, language, said):
    assert load_site("building").messages.phrase(name, language, args) == said
