"""Examples of the interface document: same actions, order and targets."""

from __future__ import annotations

import pytest

HOME = "go basecamp / tell user / sum"
CORRIDOR = "go corridor_center / see corridor_center"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "교수님께 가서 프로젝트 언제 할지 여쭤보고 내게 다시 알려줘.",
            f"go professor_office / tell professor <프로젝트 언제 할지> / {HOME}",
        ),
        (
            "교수님 방에 가서 다음 회의 일정 물어보고, 나한테 와서 말해줘.",
            f"go professor_office / tell professor <다음 회의 일정 문의> / {HOME}",
        ),
        ("복도에 몇 명 있는지 보고 와서 알려줘.", f"{CORRIDOR} people / {HOME}"),
        ("복도에 불이 켜져 있는지 보고 와.", f"{CORRIDOR} light / {HOME}"),
        ("복도 쪽 이상 없는지 확인하고, 나한테 알려줘.", f"{CORRIDOR} all / {HOME}"),
        ("복도 순찰하고 돌아와서 나한테 상황 알려줘.", f"{CORRIDOR} all / {HOME}"),
        (
            "복도랑 라운지 쪽에 이상한 일 없는지 보고 와줘.",
            f"{CORRIDOR} all / go lounge / see lounge all / {HOME}",
        ),
        ("지금까지 한 일을 정리해서 나한테 알려줘.", "tell user / sum"),
        ("오늘 있었던 일 요약해줘.", "tell user / sum"),
    ],
)
def test_documented_examples_have_the_documented_meaning(command, expected, meaning):
    assert meaning(command) == expected


def _topics(spec):
    from bt_exec_skills.reporter.rules.plan_steps import actions

    return [str(a.args["topic"]) for a in actions(spec.root) if a.do == "talk_to_person"]


def _queries(spec):
    from bt_exec_skills.reporter.rules.plan_steps import actions

    return [str(a.args["query"]) for a in actions(spec.root) if a.do == "observe_scene"]


def test_report_topics_come_from_templates(plan_of):
    assert _topics(plan_of("교수님 방에 가서 다음 회의 일정 물어보고, 나한테 와서 말해줘.")) == [
        "다음 회의 일정 문의",
        "교수님의 '다음 회의 일정'에 대한 답변 보고",
    ]
    assert _topics(plan_of("복도랑 라운지 쪽에 이상한 일 없는지 보고 와줘.")) == [
        "복도, 라운지에서 관찰한 상황(조명, 사람 수, 소란 여부)에 대한 보고"
    ]
    assert _topics(plan_of("복도에 몇 명 있는지 보고 와서 알려줘.")) == [
        "복도에서 관찰한 상황(사람 수)에 대한 보고"
    ]
    assert _topics(plan_of("오늘 있었던 일 요약해줘.")) == ["오늘 한 임무의 요약"]
    assert _topics(plan_of("Ask the professor when the project starts and tell me.")) == [
        "when the project starts",
        "report on the answer of the professor to 'when the project starts'",
    ]


def test_observation_queries_are_in_the_language_of_the_command(plan_of):
    assert _queries(plan_of("복도에 불이 켜져 있는지 보고 와.")) == [
        "복도에서 조명이 켜져 있는지, 꺼진 구간이 있는지 확인"
    ]
    assert _queries(plan_of("Are the lights on in the corridor?")) == [
        "the corridor: whether the light is on"
    ]
