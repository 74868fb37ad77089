"""Aspects of a question about a place, from its words in either language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

__all__ = ["ASPECTS", "Aspect", "aspects_of", "expects_answer", "is_report_request"]

Aspect: TypeAlias = Literal["people", "light", "noise", "unusual"]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)

_WORDS: Mapping[Aspect, tuple[str, ...]] = MappingProxyType(
    {
        "people": (
            *("사람", "몇 명", "몇명", "인원", "혼잡", "붐비", "누가", "누구", "있는지 없는지"),
        ),
        "light": ("조명", "전등", "켜져", "꺼져", "꺼진", "어두", "밝"),
        "noise": ("소란", "시끄", "조용", "소음", "소리", "떠드"),
        "unusual": ("이상", "문제", "특이", "위험", "순찰", "상황", "점검", "어질러", "괜찮"),
    }
)


def _whole_words_pattern(words: str) -> re.Pattern[str]:
    """Return a pattern that matches `words` as whole words: not "ask" in "task".

    A Korean particle may follow, as in "light가" ("light" as the subject).
    """
    return re.compile(rf"(?<![a-z])(?:{words})(?![a-z])")


_ENGLISH: Mapping[Aspect, re.Pattern[str]] = MappingProxyType(
    {
        "people": _whole_words_pattern(
            "people|persons?|any(one|body)|how many|who|crowd(s|ed)?|busy"
        ),
        "light": _whole_words_pattern(
            "lights?|lighting|lit|lamps?|dark(er|ness)?|bright(er|ly|ness)?"
        ),
        "noise": _whole_words_pattern("nois(e|es|y)|loud(er|ly)?|quiet(er|ly)?|sounds?"),
        "unusual": _whole_words_pattern(
            "unusual|strange|wrong|problems?|anything|patrol|situation|okay|all right"
            "|clutter(ed)?|danger(ous|s)?|mess(y)?"
        ),
    }
)
_LAMP = re.compile(r"(?<![가-힣])불(?=[이은을도만 ,.?!·/]|$)")
"""Korean "불" ("light"). It must stand alone, because many other words begin or end with it."""
_QUESTIONS = (
    *("여쭤", "여쭈", "물어", "질문", "문의", "확인받", "확인 받", "의견", "?", "언제", "어디"),
    *("까요", "나요", "가요", "습니까", "입니까", "냐고"),
)
_ASKS = _whole_words_pattern("ask(s|ing)?|questions?|whether|what|when|where|which")
_STATEMENT = re.compile(r"(?:다|[다라자]고)\W*$")
_WANTS_TO_KNOW = re.compile(r"(?:여쭤|여쭈|여쭙|물어|묻|문의|질문|궁금|알고 싶)[가-힣]*\W*$")


def aspects_of(query: str) -> tuple[Aspect, ...]:
    """Return the aspects of `query` in a fixed order, or all of them if it names none."""
    text = unicodedata.normalize("NFC", query).casefold()
    named = tuple(
        aspect
        for aspect in ASPECTS
        if any(word in text for word in _WORDS[aspect])
        or _ENGLISH[aspect].search(text)
        or (aspect == "light" and _LAMP.search(text))
    )
    if "unusual" in named and len(named) == 1:
        return ASPECTS  # a general question such as "is all well" asks for all aspects
    return named or ASPECTS


def is_report_request(topic: str) -> bool:
    """Return True if `topic` asks for the report and is not a separate message."""
    return topic.startswith("report on ") or topic.endswith("에 대한 보고")


def expects_answer(topic: str) -> bool:
    """Return True if `topic` is a question that expects an answer.

    A Korean statement is a question only if it asks for information. "회의 일정을 문의합니다"
    ("I ask for the schedule of the meeting") is a question; "물어보신 자료 보냈다" ("I sent the
    data that you asked for") is a message.
    """
    text = unicodedata.normalize("NFC", topic).casefold()
    if text.startswith("report") or text.rstrip().endswith("보고"):
        return False
    if _STATEMENT.search(text) and "?" not in text:
        return _WANTS_TO_KNOW.search(text) is not None
    return any(word in text for word in _QUESTIONS) or _ASKS.search(text) is not None
