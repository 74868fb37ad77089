from __future__ import annotations

import unicodedata

import pytest

from bt_exec_skills.reporter.rules.keywords import is_round_trip, names_professor, wants_report
from tests.skills.reporter.rules.report_keywords import REPORT_KEYWORDS

YES = [
    *("복도 보고 와 주세요", "보고와줄래", "복도 보고 오세요", "복도 확인하고 와", "알려주세요"),
    *("결과 좀 알려 줄래요?", "보고 부탁드립니다", "내게 말해 줘", "나한테 전해 줘", "보고하세요"),
    *("교수님께 여쭤보고 와", "교수님께 여쭤보고 알려줘", "어떤지 궁금해요", "알려줘요"),
    *("come back and tell me", "report back", "and report", "let me know", "get back to me"),
    *("give me a report", "return and report", "Tell us what you saw", "report what you see"),
]
NO = [
    *(
        "복도 순찰해",
        "라운지로 가",
        "교수님께 서류를 전달해줘",
        "교수님께 회의가 취소됐다고 전해줘",
    ),
    *(
        "교수님께 늦는다고 알려줘",
        "보고하지 마",
        "알려주지 마",
        "복도 보고 보고는 하지 마",
        "보고서 전달해",
    ),
    *("교수님께 보고서를 전달해", "다시 가", "복도를 봐"),
    *("go to the lounge", "deliver the report to the professor", "don't report back", ""),
    *("do not tell me", "without telling me", "tell the professor that I am late", "come back"),
]


@pytest.mark.parametrize("keyword", REPORT_KEYWORDS)
@pytest.mark.parametrize("before", ["", "복도에 불이 켜져 있는지 확인하고 ", "교수님께 여쭤보고 "])
def test_every_keyword_of_the_document_is_recognised_with_any_spacing(keyword, before):
    for text in (before + keyword, (before + keyword).replace(" ", ""), before + keyword + "."):
        assert wants_report(text)
        assert wants_report(unicodedata.normalize("NFD", text))


@pytest.mark.parametrize("command", YES)
def test_report_keywords_of_users_are_recognised(command):
    assert wants_report(command)


@pytest.mark.parametrize("command", NO)
def test_other_words_are_not_report_keywords(command):
    assert not wants_report(command)


@pytest.mark.parametrize("command", ["교수님께 가", "교수 연구실", "the Professor", "ask prof Kim"])
def test_reference_to_the_professor_is_recognised(command):
    assert names_professor(command)


@pytest.mark.parametrize("command", ["복도 보고 와", "go to the office", "professional", "연구실"])
def test_other_words_are_not_references_to_the_professor(command):
    assert not names_professor(command)


@pytest.mark.parametrize(
    "command", ["복도 갔다 와", "라운지에 다녀와 줘.", "복도 다녀오세요", "갔다와!"]
)
def test_round_trip_is_recognised(command):
    assert is_round_trip(command)


@pytest.mark.parametrize(
    "command", ["복도 가", "복도 갔다 와서 라운지 둘러봐", "라운지 다녀오고 복도 봐"]
)
def test_negated_round_trip_is_not_recognised(command):
    assert not is_round_trip(command)
