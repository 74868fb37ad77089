"""What an answer in words claims: numbers up to 99 in words, any in digits; or yes or no."""

from __future__ import annotations

import re

__all__ = ["claimed_numbers", "claims_yes"]

_TEENS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_KOREAN = {
    "하나": 1, "한": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4, "다섯": 5,
    "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
}  # fmt: skip
_KOREAN_TENS = {
    "열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70,
    "여든": 80, "아흔": 90,
}  # fmt: skip
_CHINESE = "일이삼사오육칠팔구"
_COUNTERS = "개|명|마리|대|송이|장|권|병|그루|잔|사람|곳"
_ENDS = r"입니다|이에요|예요|이다|[.,!]|$"  # after a number that stands alone

_DIGITS = re.compile(
    r"(?<![\d.#])(\d{1,3}(?:,\d{3})+|\d{1,6})(?!\d|,\d{3}(?!\d)|\.\d| ?(?:%|px|pixels?|픽셀))"
)
_WORD = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<one>{'|'.join(_TEENS[1:10])}))?"
    rf"|(?P<teen>{'|'.join(_TEENS)}))\b",
    re.IGNORECASE,
)
_NATIVE = re.compile(
    rf"(?<![가-힣])(?P<tens>{'|'.join(_KOREAN_TENS)})?(?:(?<=[가-힣])\s?)?"
    rf"(?P<one>{'|'.join(_KOREAN)})?(?<=[가-힣])(?=\s?(?:{_COUNTERS})|(?<![한두세네무])(?:{_ENDS}))"
)
_SINO = re.compile(
    rf"(?<![가-힣])(?P<tens>[{_CHINESE}]?)십(?P<one>[{_CHINESE}]?)(?=\s?(?:{_COUNTERS}))"
)
_NO_NUMBER = re.compile(
    r"\b(?:no|this|that|the|each|every|any|some|another|which)[ -]one\b"
    rf"|(?:하나|한\s?(?:{_COUNTERS}))도",
    re.IGNORECASE,
)
_NONE = re.compile(r"\b(none|no)\b(?!,)|하나도|없습니다|없어요|없다|없음", re.IGNORECASE)
_YES = re.compile(
    rf"\s*(?:(?P<yes>yes\b|(?:네|예)(?![가-힣])(?!\s?(?:{_COUNTERS})))|no\b|아니)", re.IGNORECASE
)


def claimed_numbers(text: str) -> set[int]:
    """Return the numbers that an answer names: digits and words; not those of pixels or places.

    "None" and "하나도 없습니다" are zero, if there is no other number.
    """
    said = _NO_NUMBER.sub(" ", text)
    found = {int(one.replace(",", "")) for one in _DIGITS.findall(said)}
    found |= set(map(_english, _WORD.finditer(said)))
    found |= set(map(_native, _NATIVE.finditer(said)))
    found |= set(map(_sino, _SINO.finditer(said)))
    return {0} if not found and _NONE.search(text) else found


def _english(word: re.Match[str]) -> int:
    if word["teen"]:
        return _TEENS.index(word["teen"].lower())
    one = _TEENS.index(word["one"].lower()) if word["one"] else 0
    return 10 * (2 + _TENS.index(word["tens"].lower())) + one


def _native(word: re.Match[str]) -> int:
    return _KOREAN_TENS.get(word["tens"] or "", 0) + _KOREAN.get(word["one"] or "", 0)


def _sino(word: re.Match[str]) -> int:
    tens, one = (_CHINESE.find(word[name]) + 1 if word[name] else 0 for name in ("tens", "one"))
    return 10 * (tens or 1) + one


def claims_yes(text: str) -> bool | None:
    """Return whether an answer begins with yes or no; None if with neither."""
    first = _YES.match(text)
    return None if first is None else first["yes"] is not None
