"""Spelling correction of Korean words by their sound: 휴개실 to 휴게실, 꺼네 to 꺼내, 갓어 to 갔어.

Vowels that are pronounced alike are equal; everything else must match.
"""

from __future__ import annotations

import re

from bt_exec.language.closed import mapping, words
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = ["Sounds", "correct_past", "normalize_vowels"]

_FIRST, _VOWELS, _LAST = 0xAC00, 21, 28
_ORDER = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_ALIKE = {
    _ORDER.index(one): _ORDER.index(same) for one, same in mapping("ko", "sounds_alike").items()
}
_WORD = re.compile(r"[가-힣]{2,}")
_S = 19  # ㅅ at the end of a syllable; ㅆ is the next one
_PAST_VOWELS = {_ORDER.index(vowel) for vowel in "ㅏㅐㅓㅔㅕㅘㅙㅝ"}
_PAST = re.compile(rf"[가-힣](?=(?:{'|'.join(words('ko', 'after_past'))})(?![가-힣]))")
_STEMS_WITH_S = words("ko", "stems_with_s")


def correct_past(text: str) -> str:
    """Return `text` with ㅆ of the past where ㅅ was typed (드렷어); 드려 would be an order."""
    return _PAST.sub(_double_s, text)


def _double_s(match: re.Match[str]) -> str:
    code = ord(match[0]) - _FIRST
    past = code % _LAST == _S and code // _LAST % _VOWELS in _PAST_VOWELS
    stem = match.string[: match.end()].endswith(_STEMS_WITH_S)
    return chr(_FIRST + code + 1) if past and not stem else match[0]


def normalize_vowels(word: str) -> str:
    """Return a word with vowels that sound alike replaced by one of them."""
    return "".join(_normalize_vowel(char) for char in word)


def _normalize_vowel(char: str) -> str:
    code = ord(char) - _FIRST
    if not 0 <= code < 11172:
        return char
    first, rest = divmod(code, _VOWELS * _LAST)
    vowel, last = divmod(rest, _LAST)
    return chr(_FIRST + (first * _VOWELS + _ALIKE.get(vowel, vowel)) * _LAST + last)


class Sounds:
    """Names and verbs of a lexicon by sound, without those of one syllable."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        known = {text.split()[-1].removesuffix("다") for text, _ in vocabulary.verbs_ko}
        known |= {name for name in vocabulary.korean_names() if _WORD.fullmatch(name)}
        self._known = {word for word in known if len(word) > 1}
        self._by_sound: dict[str, set[str]] = {}
        for word in self._known:
            self._by_sound.setdefault(normalize_vowels(word), set()).add(word)
        self._meant = {word: tuple(vocabulary.korean.get(word, ())) for word in self._known}
        self._longest = max(map(len, self._known), default=0)

    def correct_text(self, text: str) -> str:
        """Return `text` with each word corrected that sounds like exactly one known word."""
        return _WORD.sub(lambda match: self._correct_word(match[0]), text)

    def _correct_word(self, word: str) -> str:
        for size in range(min(len(word), self._longest), 1, -1):
            if word[:size] in self._known:
                return word
            alike = self._by_sound.get(normalize_vowels(word[:size]), set())
            if len(alike) == 1 or len({self._meant[one] or one for one in alike}) == 1:
                return min(alike) + word[size:]
        return word
