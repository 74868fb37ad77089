"""Breaches of records in English and Korean, with the same facts."""

from __future__ import annotations

from string import Formatter
from typing import Any

import pytest

from bt_exec.language.messages import LANGUAGES
from bt_exec_labeler.answer_violation import Breach, catalogue, catalogue_sentence
from bt_exec_labeler.plan_record import read_record
from bt_exec_labeler.vocabulary import Vocabulary

GOOD: dict[str, Any] = {
    "mid_step_id": "rest",
    "short_goal_dsl": [{"op": "REST", "args": {}}],
    "horizon_steps": 4,
    "terminate_on": "strict_horizon",
    "done_evidence": [],
    "fallback_if_failed": [],
    "uncertainty": "low",
}
WALK = {"op": "MOVE_NAV", "args": {"target": "key"}}


def named(template: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(template) if field}


@pytest.mark.parametrize("sentence", sorted(catalogue()))
def test_each_message_has_the_same_placeholders_in_every_language(sentence: str) -> None:
    found = catalogue()[sentence]
    assert set(found) == set(LANGUAGES)
    assert len({frozenset(named(template)) for template in found.values()}) == 1
    facts = {name: name.upper() for name in named(found["ko"])}
    korean = catalogue_sentence(sentence, "ko", **facts)
    assert "(" not in korean  # one form of each particle
    assert all(fact in korean for fact in facts.values())


@pytest.mark.parametrize(
    ("change", "korean"),
    [
        ([], "객체여야 합니다. 받은 값: []"),
        ({"uncertainty": "sure"}, "목록에 없는 값입니다: 'sure'. 쓸 수 있는 값: low, mid, high"),
        ({"uncertainty": "\ud800"}, "너무 깊게 중첩되었거나 불완전한 글자가"),
        ({"uncertainty": 3}, "텍스트여야 합니다. 받은 값: 3"),
        ({"plan_id": "x"}, "데이터 세트를 만들 때만 넣는 항목입니다. 빼십시오"),
        ({"horizon_steps": 99}, "1부터 20까지여야 합니다. 받은 값: 99"),
        ({"horizon_steps": 1.5}, "정수여야 합니다. 받은 값: 1.5"),
        ({"short_goal_dsl": []}, "동작이 하나도 없습니다"),
        (
            {"short_goal_dsl": [WALK]},
            "MOVE_NAV는 rest 단계의 동작이 아닙니다. 쓸 수 있는 동작: REST",
        ),
        ({"done_evidence": ["at=key", "at=key"]}, "같은 항목이 두 번 있습니다"),
        ({"terminate_on": "done_evidence_or_replan"}, "비어 있지만 terminate_on에는 근거가"),
        ({"mid_step_id": "go_home"}, "요청한 단계여야 합니다: rest. 받은 값: go_home"),
    ],
)
def test_breach_is_described_in_korean(vocabulary: Vocabulary, change: Any, korean: str) -> None:
    data = {**GOOD, **change} if isinstance(change, dict) else change
    found = read_record(data, vocabulary, "rest")
    assert isinstance(found, tuple)
    assert any(one.said("ko").startswith(korean) for one in found), [b.said("ko") for b in found]
    assert [one.said("en") for one in found] == [one.message for one in found]


def test_breach_without_a_translation_keeps_its_message() -> None:
    assert Breach("REMOTE", "item", "no time").said("ko") == "no time"
