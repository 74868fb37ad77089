"""Comparison of Korean loanwords with the English words that they transcribe, by consonants.

A Korean loanword spells the sound of the foreign word, so their consonants agree by class, such as
stops, sibilants, nasals and liquids. Vowels are left out. Words of one consonant are not compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

__all__ = ["sounds_like"]

_INITIALS = {
    "k": "\u1100\u1101\u110f", "n": "\u1102", "t": "\u1103\u1104\u1110", "l": "\u1105",
    "m": "\u1106", "p": "\u1107\u1108\u1111", "s": "\u1109\u110a\u110c\u110d\u110e", "h": "\u1112",
}  # fmt: skip
_FINALS = {
    "k": "\u11a8\u11a9\u11bf", "n": "\u11ab\u11bc", "t": "\u11ae\u11ba\u11c0", "l": "\u11af",
    "m": "\u11b7", "p": "\u11b8\u11c1",
}  # fmt: skip
_CLASSES = {
    jamo: name for group in (_INITIALS, _FINALS) for name, some in group.items() for jamo in some
}
_SPELLINGS = (
    (r"tch|sch|sh|ch|th|cc(?=[ei])", "s"), (r"ph", "p"), (r"ck|qu|gh", "k"),
    (r"ng(?![aeiou])", "n"),
    (r"r(?![aeiouy])", ""), (r"c(?=[eiy])", "s"), (r"x", "ks"), (r"[cgq]", "k"), (r"[jz]", "s"),
    (r"d", "t"), (r"r", "l"), (r"[bfv]", "p"),
)  # fmt: skip
"""English spellings with the class of their consonant, the longest first."""
_HARD = (r"(?<!t)ch", "k")  # "ch" pronounced like "k", as in "mocha"
_LEAST = 2
_MOST_WORDS = 3


def sounds_like(korean: str, text: str) -> bool:
    """Return True if a Korean word transcribes up to three successive words of a Latin text."""
    wanted = _korean_consonants(korean)
    if len(wanted) < _LEAST:
        return False
    words = re.findall(r"[a-z]+", text.lower())
    heard = (
        [_latin_consonants(one) for one in some] for some in (words, _with_plain_consonants(words))
    )
    return any(
        wanted == "".join(each[start : start + number])
        for each in heard
        for start in range(len(words))
        for number in range(1, _MOST_WORDS + 1)
    )


def _with_plain_consonants(words: Sequence[str]) -> list[str]:
    return [re.sub(*_HARD, word) for word in words]


def _korean_consonants(word: str) -> str:
    """Return the classes of the consonants of a Korean word; empty for any other word."""
    jamo = unicodedata.normalize("NFD", word.replace(" ", ""))
    if not re.fullmatch("[\u1100-\u11ff]+", jamo):
        return ""
    return _without_doubles("".join(_CLASSES.get(one, "") or "-" for one in jamo))


def _latin_consonants(word: str) -> str:
    """Return the classes of the consonants of an English word."""
    for spelling, name in _SPELLINGS:
        word = re.sub(spelling, name, word)
    return _without_doubles(re.sub("[aeiouwy]", "-", word))


def _without_doubles(consonants: str) -> str:
    """Return consonants without the dashes for vowels; adjacent equal consonants are merged."""
    return re.sub("-", "", re.sub(r"([a-z])\1+", r"\1", consonants))
