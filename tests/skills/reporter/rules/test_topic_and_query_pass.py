"""Topics of reports, derived from the plan, in both languages."""

from __future__ import annotations

import pytest

from bt_exec_skills.reporter.rules.topic_and_query_pass import fill_topics, report_topic

GO, TEA = "navigate corridor_center", "deliver_object professor tea"
PEOPLE, LIGHT = "observe_scene corridor_center people", "observe_scene lounge light"
ASK, TELL, SUM = "talk_to_person professor when?", "talk_to_person user", "summarize_mission"


@pytest.mark.parametrize(
    ("steps", "korean", "english"),
    [
        ((TEA,), "tea 전달 결과 보고", "report on the delivery of the tea"),
        ((GO,), "임무 결과 보고", "report on the mission"),
        ((TELL, SUM), "오늘 한 임무의 요약", "report of the missions so far"),
        (
            (ASK,),
            "교수님의 'when?'에 대한 답변 보고",
            "report on the answer of the professor to 'when?'",
        ),
        (
            (PEOPLE, LIGHT),
            "복도에서 관찰한 상황(사람 수), 그리고 라운지에서 관찰한 상황(조명)에 대한 보고",
            "report on the observation of the corridor (people) and the observation of the lounge "
            "(light)",
        ),
        (
            (PEOPLE, LIGHT.replace("light", "people"), PEOPLE),
            "복도, 라운지에서 관찰한 상황(사람 수)에 대한 보고",
            "report on the observation of the corridor, the lounge (people)",
        ),
    ],
)
def test_report_topic_depends_on_the_steps(steps, korean, english, spec, context):
    assert report_topic(spec(*steps), context("복도 봐"), "ko") == korean
    assert report_topic(spec(*steps), context("look"), "en") == english


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "light,people",
            "복도에서 조명이 켜져 있는지, 꺼진 구간이 있는지, 사람 수와 사람 존재 여부 확인",
        ),
        ("people,dogs", "people,dogs"),  # literal text is kept
        ("situation", "복도에서 사람 수, 조명, 소란 여부, 이상 상황 확인"),
    ],
)
def test_query_becomes_a_sentence(query, said, spec, context):
    found, changes = fill_topics(spec(f"observe_scene corridor_center {query}"), context("복도 봐"))
    assert found.root.sequence[0].args["query"] == said
    assert changes == (() if query == said else (f"observe_scene: {said}",))
