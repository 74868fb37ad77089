"""What an answer in words claims: numbers, or yes or no."""

from __future__ import annotations

import re

__all__ = ["claimed_numbers", "claims_yes"]

_ENGLISH = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip
_KOREAN = (
    ("한", "하나"), ("두", "둘"), ("세", "셋"), ("네", "넷"), ("다섯",), ("여섯",), ("일곱",),
    ("여덟",), ("아홉",), ("열",), ("열한", "열하나"), ("열두", "열둘"),
)  # fmt: skip
_COUNTERS = "개|명|마리|대|송이|장|권|병|그루|잔|사람|곳"
_DIGITS = re.compile(r"(?<![\d.#])(\d{1,6})(?!\d|\.\d| ?(?:%|px|pixels?|픽셀))")
_WORD = re.compile(rf"\b({'|'.join(_ENGLISH)})\b", re.IGNORECASE)
_COUNTED = re.compile(
    rf"(?<![가-힣])({'|'.join(sorted((w for ws in _KOREAN for w in ws), key=len, reverse=True))})"
    rf"\s?(?={_COUNTERS})"
)
_NONE = re.compile(r"\b(none|no)\b(?!,)|하나도|없습니다|없어요|없다|없음", re.IGNORECASE)


def claimed_numbers(text: str) -> set[int]:
    """Return the numbers that an answer names: digits and words; not those of pixels or places.

    "None" and "하나도 없습니다" are zero, if there is no other number.
    """
    found = {int(one) for one in _DIGITS.findall(text)}
    found |= {_ENGLISH.index(one.lower()) for one in _WORD.findall(text)}
    for one in _COUNTED.findall(text):
        found.add(next(n for n, words in enumerate(_KOREAN, 1) if one in words))
    return {0} if not found and _NONE.search(text) else found


def claims_yes(text: str) -> bool | None:
    """Return whether an answer begins with yes or no; None if with neither."""
    first = re.match(r"\s*(yes|no|네|예|아니)", text, re.IGNORECASE)
    return None if first is None else first[1].lower() in ("yes", "네", "예")
