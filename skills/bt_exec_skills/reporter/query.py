"""What a question about a place asks for, from its words in either language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

__all__ = ["ASPECTS", "Aspect", "asks", "aspects_of"]

Aspect: TypeAlias = Literal["people", "light", "noise", "unusual"]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)

_WORDS: Mapping[Aspect, tuple[str, ...]] = MappingProxyType(
    {
        "people": (
            *("사람", "몇 명", "몇명", "인원", "혼잡", "붐비", "누가", "누구", "있는지 없는지"),
            *("people", "person", "anyone", "anybody", "how many", "who ", "crowd", "busy"),
        ),
        "light": (
            *("조명", "전등", "켜져", "꺼져", "꺼진", "어두", "밝"),
            *("light", "lamp", "dark", "bright", "lit"),
        ),
        "noise": (
            *("소란", "시끄", "조용", "소음", "소리", "떠드"),
            *("noise", "noisy", "loud", "quiet", "sound"),
        ),
        "unusual": (
            *("이상", "문제", "특이", "위험", "순찰", "상황", "점검", "어질러", "괜찮"),
            *("unusual", "strange", "wrong", "problem", "anything", "patrol", "situation"),
            *("okay", "all right", "clutter", "danger", "mess"),
        ),
    }
)
_LAMP = re.compile(r"(?<![가-힣])불(?=[이은을도만 ,.?!·/]|$)")
"""The word for a light, which is also the beginning and the end of many others."""
_QUESTIONS = (
    *("여쭤", "여쭈", "물어", "질문", "문의", "확인받", "확인 받", "의견", "?", "언제", "어디"),
    *("까요", "나요", "가요", "습니까", "입니까"),
    *("ask", "question", "whether", "what ", "when ", "where ", "which "),
)


def aspects_of(query: str) -> tuple[Aspect, ...]:
    """Return what `query` asks for, in a fixed order; everything if it names nothing."""
    text = f"{unicodedata.normalize('NFC', query).casefold()} "
    named = tuple(
        aspect
        for aspect in ASPECTS
        if any(word in text for word in _WORDS[aspect])
        or (aspect == "light" and _LAMP.search(text))
    )
    if "unusual" in named and len(named) == 1:
        return ASPECTS  # whoever asks whether all is well wants to hear it all
    return named or ASPECTS


def asks(topic: str) -> bool:
    """Whether `topic` is a question, so that whoever hears it is to answer."""
    text = f"{unicodedata.normalize('NFC', topic).casefold()} "
    reports = text.startswith("report") or text.rstrip().endswith("보고")
    return any(word in text for word in _QUESTIONS) and not reports
