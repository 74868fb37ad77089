"""Korean inflection: the forms of a verb or adjective to which endings attach.

Each verb or adjective has eight stem forms; `ko.yaml` lists the endings of each form:

========  ==============================================  ==================
form      used before                                     of *yeol-* (open)
========  ==============================================  ==================
plain     endings that change nothing                     yeol
nasal     endings that begin with a nasal                 yeo
linked    endings with a linking vowel                    yeol
honoured  linked endings that drop a final liquid         yeo
open      endings of the a/eo class                       yeoreo
noun      a noun (past or present adnominal)              yeon
future    a noun (future adnominal), endings of intent    yeol
formal    formal endings                                  yeop
========  ==============================================  ==================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

__all__ = [
    "FORMS",
    "STEM_ENDING",
    "decompose_hangul",
    "has_past_ending",
    "inflect",
    "past_stem",
    "spelt_from_sound",
]

STEM_ENDING = "\ub2e4"
"""Last syllable of the dictionary form of a verb or an adjective."""

FORMS = ("plain", "nasal", "linked", "honoured", "open", "noun", "future", "formal")

_FIRST, _VOWELS, _FINALS = 0xAC00, 21, 28
_V = {name: place for place, name in enumerate("ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ")}
_T = {
    name: place
    for place, name in enumerate(" ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
}
_L = {name: place for place, name in enumerate("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")}
_BRIGHT = {_V["ㅏ"], _V["ㅑ"], _V["ㅗ"]}
_MERGED = {  # a stem's last vowel, where it merges with the vowel of an ending
    "ㅏ": "ㅏ", "ㅓ": "ㅓ", "ㅐ": "ㅐ", "ㅔ": "ㅔ", "ㅕ": "ㅕ",
    "ㅗ": "ㅘ", "ㅜ": "ㅝ", "ㅣ": "ㅕ", "ㅚ": "ㅙ",
}  # fmt: skip


def _split_syllable(letter: str) -> tuple[int, int, int]:
    code = ord(letter) - _FIRST
    return code // (_VOWELS * _FINALS), code // _FINALS % _VOWELS, code % _FINALS


def _join_syllable(first: int, vowel: int, final: int = 0) -> str:
    return chr(_FIRST + (first * _VOWELS + vowel) * _FINALS + final)


def decompose_hangul(text: str) -> str:
    """Return a text as a sequence of letters, with Hangul syllables decomposed."""
    return "".join(part for char in text for part in _letters(char))


@lru_cache(maxsize=2048)
def _letters(char: str) -> tuple[str, ...]:
    if not 0 <= ord(char) - _FIRST < 11172:
        return (char,)
    pairs = zip((_L, _V, _T), _split_syllable(char), strict=True)
    return tuple(list(names)[place].strip() for names, place in pairs)


_ALIKE = {
    "ㅐ": "ㅔ",
    "ㅔ": "ㅐ",
    "ㅒ": "ㅖ",
    "ㅖ": "ㅒㅔ",
    "ㅚ": "ㅙㅞ",
    "ㅙ": "ㅚㅞ",
    "ㅞ": "ㅙㅚ",
    "ㅓ": "ㅕ",
    "ㅕ": "ㅓ",
}
"""Vowels by a vowel that sounds like them."""
_NASAL = {"ㄴㄴ": "ㅆㅅㄷ", "ㅁㄴ": "ㅂ", "ㅇㄴ": "ㄱ", "ㅇㅁ": "ㄱ"}
"""Written final consonants, by the nasal that they sound like and the nasal that follows."""


def spelt_from_sound(word: str) -> Iterator[str]:
    """Yield spellings of a word that was written as it sounds, each with one change.

    Before a vowel, a final consonant sounds like the first letter of the next syllable. Before a
    nasal, a final stop sounds like a nasal. Some vowels sound alike.
    """
    for place, letters in enumerate(map(_letters, word)):
        if letters[2:] == ("ㅅ",):  # for the double letter of the past tense
            syllable = _join_syllable(_L[letters[0]], _V[letters[1]], _T["ㅆ"])
            yield word[:place] + syllable + word[place + 1 :]
        for vowel in _ALIKE.get(letters[1], "") if len(letters) > 1 else "":
            syllable = _join_syllable(_L[letters[0]], _V[vowel], _T[letters[2] or " "])
            yield word[:place] + syllable + word[place + 1 :]
    for place, (one, two) in enumerate(pairwise(map(_letters, word))):
        if len(one) < 3 or len(two) < 3:
            continue
        finals = _NASAL.get(one[2] + two[0], "") if one[2] else two[0].replace("ㅇ", "")
        first = two[0] if one[2] else "ㅇ"
        for final in finals:
            if final in _T:
                head = _join_syllable(_L[one[0]], _V[one[1]], _T[final])
                tail = _join_syllable(_L[first], _V[two[1]], _T[two[2] or " "])
                yield word[:place] + head + tail + word[place + 2 :]


def _add_final_consonant(head: str, final: str) -> str:
    """Return `head`, which ends in a vowel, with a final consonant added to its last syllable."""
    first, vowel, _ = _split_syllable(head[-1])
    return head[:-1] + _join_syllable(first, vowel, _T[final])


def inflect(word: str, classes: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the stem forms of a verb or adjective by name, each with its variants.

    Args:
        word: The dictionary form, including the last syllable, `STEM_ENDING`.
        classes: Irregular stems by class.
    """
    stem = word[:-1]
    first, vowel, final = _split_syllable(stem[-1])
    return _KINDS.get(final, _consonant)(stem, (first, vowel, final), classes)


def _forms(
    plain: str, nasal: str, linked: str, honoured: str, opened: Sequence[str], formal: str
) -> dict[str, tuple[str, ...]]:
    return {
        "plain": (plain,),
        "nasal": (nasal,),
        "linked": (linked,),
        "honoured": (honoured,),
        "open": tuple(dict.fromkeys(opened)),
        "noun": (_add_final_consonant(honoured, "ㄴ"),),
        "future": (_add_final_consonant(honoured, "ㄹ"),),
        "formal": (formal,),
    }


def _vowel(
    stem: str, last: tuple[int, int, int], classes: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    first, vowel, _ = last
    head = stem[:-1]
    name = list(_V)[vowel]
    opened: list[str] = []
    if stem.endswith(tuple(classes["ha"])):
        opened = [head + _join_syllable(first, _V["ㅐ"]), stem + _join_syllable(_L["ㅇ"], _V["ㅕ"])]
    elif name == "ㅡ":
        bright = bool(head) and _split_syllable(head[-1])[1] in _BRIGHT
        after = _V["ㅏ" if bright else "ㅓ"]
        if first == _L["ㄹ"] and head and not stem.endswith(tuple(classes["regular reu"])):
            opened = [_add_final_consonant(head, "ㄹ") + _join_syllable(first, after)]
        else:
            opened = [head + _join_syllable(first, after)]
    else:
        bright = vowel in _BRIGHT
        opened = [stem + _join_syllable(_L["ㅇ"], _V["ㅏ" if bright else "ㅓ"])]
        if name in _MERGED:
            opened.insert(0, head + _join_syllable(first, _V[_MERGED[name]]))
        if stem.endswith(tuple(classes["honorific"])):
            opened.append(head + _join_syllable(first, _V["ㅔ"]))
    return _forms(stem, stem, stem, stem, opened, _add_final_consonant(stem, "ㅂ"))


def _open_of(base: str) -> str:
    vowel = _split_syllable(base[-1])[1]
    return base + _join_syllable(_L["ㅇ"], _V["ㅏ" if vowel in _BRIGHT else "ㅓ"])


def _eu(base: str) -> str:
    return base + _join_syllable(_L["ㅇ"], _V["ㅡ"])


def _formal(stem: str) -> str:
    return stem + _join_syllable(_L["ㅅ"], _V["ㅡ"], _T["ㅂ"])


def _consonant(
    stem: str, _: tuple[int, int, int], __: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    spoken = stem + _join_syllable(_L["ㅇ"], _V["ㅓ"])  # the colloquial open form
    return _forms(stem, stem, _eu(stem), _eu(stem), [_open_of(stem), spoken], _formal(stem))


def _past_forms(
    stem: str, _: tuple[int, int, int], __: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the forms of a past stem, whose open form always has the dark vowel."""
    opened = stem + _join_syllable(_L["ㅇ"], _V["ㅓ"])
    return _forms(stem, stem, _eu(stem), _eu(stem), [opened], _formal(stem))


def _liquid(
    stem: str, last: tuple[int, int, int], _: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    short = stem[:-1] + _join_syllable(last[0], last[1])
    return _forms(stem, short, stem, short, [_open_of(stem)], _add_final_consonant(short, "ㅂ"))


def _aspirate(
    stem: str, last: tuple[int, int, int], classes: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    first, vowel, _ = last
    if stem.endswith(tuple(classes["regular h"])):
        found = _consonant(stem, last, classes)
        if list(_V)[vowel] == "ㅗ":
            found["open"] += (stem[:-1] + _join_syllable(first, _V["ㅘ"]),)
        return found
    short = stem[:-1] + _join_syllable(first, vowel)
    demonstrative = len(stem) == 2 and first in (_L["ㄹ"], _L["ㄸ"])
    merged = {"ㅏ": "ㅐ", "ㅓ": "ㅐ" if demonstrative else "ㅔ", "ㅑ": "ㅒ"}
    opened = stem[:-1] + _join_syllable(first, _V[merged.get(list(_V)[vowel], "ㅐ")])
    return _forms(stem, short, short, short, [opened], _formal(stem))


def _labial(
    stem: str, last: tuple[int, int, int], classes: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    if stem.endswith(tuple(classes["regular b"])):
        return _consonant(stem, last, classes)
    base = stem[:-1] + _join_syllable(last[0], last[1])
    linked = base + _join_syllable(_L["ㅇ"], _V["ㅜ"])
    opened = base + _join_syllable(_L["ㅇ"], _V["ㅝ"])
    return _forms(stem, stem, linked, linked, [opened], _formal(stem))


def _dental(
    stem: str, last: tuple[int, int, int], classes: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    if not stem.endswith(tuple(classes["irregular d"])):
        return _consonant(stem, last, classes)
    base = stem[:-1] + _join_syllable(last[0], last[1], _T["ㄹ"])
    return _forms(stem, stem, _eu(base), _eu(base), [_open_of(base)], _formal(stem))


def _sibilant(
    stem: str, last: tuple[int, int, int], classes: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    if not stem.endswith(tuple(classes["irregular s"])):
        return _consonant(stem, last, classes)
    base = stem[:-1] + _join_syllable(last[0], last[1])
    return _forms(stem, stem, _eu(base), _eu(base), [_open_of(base)], _formal(stem))


_KINDS = {
    0: _vowel,
    _T["ㄹ"]: _liquid,
    _T["ㅎ"]: _aspirate,
    _T["ㅂ"]: _labial,
    _T["ㄷ"]: _dental,
    _T["ㅅ"]: _sibilant,
    _T["ㅆ"]: _past_forms,
}


def past_stem(opened: str) -> str:
    """Return the past stem that belongs to an open form."""
    return _add_final_consonant(opened, "ㅆ")


def has_past_ending(stem: str) -> bool:
    """Return True for a stem with the last consonant of past stems, which few other verbs have."""
    return _split_syllable(stem[-1])[2] == _T["ㅆ"]
