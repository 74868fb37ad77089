"""Korean verbs: the forms a verb takes before its endings.

An ending is written as grammars write it, and says by itself what it attaches to:

=============== ==================================== ====== ====== ========
notation        attaches to                          열다   닫다   가져오다
=============== ==================================== ====== ====== ========
``-고``         the stem                             열고   닫고   가져오고
``-니``         the stem; ㄹ falls before ㄴ         여니   닫니   가져오니
``-어``         the infinitive                       열어   닫아   가져와
``-었다``       the past                             열었다 닫았다 가져왔다
``-(으)면``     the stem, 으 after a consonant       열면   닫으면 가져오면
``-(으)세요``   the same; ㄹ falls before ㅅ and ㅇ  여세요 닫으세요 가져오세요
``-(으)ㄹ래``   the stem with ㄹ                     열래   닫을래 가져올래
``-(으)ㄴ 뒤``  the stem with ㄴ                     연 뒤  닫은 뒤 가져온 뒤
``-(으)ㅂ시다`` the stem with ㅂ                     엽시다 닫읍시다 가져옵시다
=============== ==================================== ====== ====== ========

Irregular stems are marked in the lexicon: ``줍다/ㅂ``, ``묻다/ㄷ``, ``짓다/ㅅ``. 하다, 오다, ㅡ and
르 stems need no mark.
"""

from __future__ import annotations

from bt_exec.failure import RegistrationError

__all__ = ["bases", "split_ending"]

_FIRST, _LAST = 0xAC00, 0xD7A3
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_R = 5  # index of ㄹ among initial consonants
_CONTRACT = {"ㅗ": "ㅘ", "ㅜ": "ㅝ", "ㅣ": "ㅕ", "ㅚ": "ㅙ"}
_OPEN = frozenset("ㅏㅐㅓㅔㅕㅖ")
_REGULAR_REU = frozenset({"따르", "들르", "치르", "다다르"})


def _take(char: str) -> tuple[int, str, str]:
    """Return a syllable's initial (index), vowel and final (a blank if none)."""
    code = ord(char) - _FIRST
    return code // 588, _VOWELS[code % 588 // 28], _FINALS[code % 28]


def _make(initial: int, vowel: str, final: str = " ") -> str:
    return chr(_FIRST + initial * 588 + _VOWELS.index(vowel) * 28 + _FINALS.index(final))


def _with_final(text: str, final: str) -> str:
    """Return `text` with its last syllable's final replaced."""
    initial, vowel, _ = _take(text[-1])
    return text[:-1] + _make(initial, vowel, final)


def _infinitives(stem: str, irregular: str) -> tuple[str, ...]:
    """Return the forms in -아/-어, the usual contraction first."""
    initial, vowel, final = _take(stem[-1])
    bright = vowel in "ㅏㅗ"
    if stem[-1] == "하":
        return (stem[:-1] + "해", stem + "여")
    if irregular == "ㅂ":
        return (_with_final(stem, " ") + ("와" if stem == "돕" else "워"),)
    if irregular == "ㅅ":
        return (_with_final(stem, " ") + ("아" if bright else "어"),)
    if irregular == "ㄷ":
        return (_with_final(stem, "ㄹ") + ("아" if bright else "어"),)
    if final != " ":
        regular = stem + ("아" if bright else "어")
        return (regular, stem[:-1] + "놔") if stem[-1] == "놓" else (regular,)
    if vowel == "ㅡ":
        before = _take(stem[-2])[1] if len(stem) > 1 else ""
        ending = "ㅏ" if before in ("ㅏ", "ㅗ") else "ㅓ"
        if stem[-1] == "르" and len(stem) > 1 and stem not in _REGULAR_REU:
            return (_with_final(stem[:-1], "ㄹ") + _make(_R, ending),)
        return (stem[:-1] + _make(initial, ending),)
    if vowel in _OPEN:
        return (stem,)
    if vowel in _CONTRACT:
        return (stem[:-1] + _make(initial, _CONTRACT[vowel]), stem + ("아" if bright else "어"))
    return (stem + "어",)


def bases(verb: str) -> dict[str, tuple[str, ...]]:
    """Return the forms of `verb` (dictionary form, such as ``열다``) by what attaches to them.

    Raises:
        RegistrationError: If it is no dictionary form.
    """
    word, _, irregular = verb.partition("/")
    word = word.replace(" ", "")
    stem = word[:-1]
    if not stem or word[-1] != "다" or not _FIRST <= ord(stem[-1]) <= _LAST:
        raise RegistrationError(f"{verb!r} is no dictionary form of a Korean verb: it ends in 다")
    final = _take(stem[-1])[2]
    soft = {"ㅂ": " ", "ㅅ": " ", "ㄷ": "ㄹ"}.get(irregular)
    loose = stem if soft is None else _with_final(stem, soft) + ("우" if irregular == "ㅂ" else "")
    open_stem = irregular == "ㅂ" or final == " "
    falls = final == "ㄹ"
    short = _with_final(stem, " ") if falls else stem
    vowel_stem = loose if open_stem or falls else loose + "으"
    infinitives = _infinitives(stem, irregular)
    return {
        "stem": (stem,),
        "n": (short,),
        "a": infinitives,
        "past": tuple(_with_final(form, "ㅆ") for form in infinitives),
        "eu": (vowel_stem,),
        "si": (short if falls else vowel_stem,),
        "L": (_with_final(vowel_stem, "ㄹ"),),
        "N": (_with_final(short if falls else vowel_stem, "ㄴ"),),
        "B": (_with_final(short if falls else vowel_stem, "ㅂ"),),
    }


def split_ending(ending: str) -> tuple[str, str]:
    """Return what `ending` attaches to (a key of `bases`) and what is added there, unspaced.

    Raises:
        RegistrationError: If it is not written with a leading hyphen.
    """
    text = ending.replace(" ", "")
    if not text.startswith("-") or len(text) < 2:
        raise RegistrationError(f"{ending!r} is no ending: write it as -고, -어 줘, -(으)세요")
    for mark, base in (("-(으)ㄹ", "L"), ("-(으)ㄴ", "N"), ("-(으)ㅂ", "B")):
        if text.startswith(mark):
            return base, text[len(mark) :]
    if text.startswith("-(으)"):
        rest = text[4:]
        return ("si" if rest[:1] in tuple("시세십실셔소오니") else "eu"), rest
    if text[1] == "어":
        return "a", text[2:]
    if text[1] == "었":
        return "past", text[2:]
    initial = _take(text[1])[0] if _FIRST <= ord(text[1]) <= _LAST else -1
    return ("n" if initial == 2 else "stem"), text[1:]
