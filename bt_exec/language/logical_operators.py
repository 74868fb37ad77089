"""Search for operator words in a text, such as "not", "if", "before", "말고", "-면" and "그 전에".

The words are closed classes of the language (see `bt_exec.language.closed_classes`). They are found
in the text independently of its parse, because remarks and fillers must not contain any, and
because refusals name them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias, cast

from bt_exec.language.closed_classes import closed_classes

__all__ = ["Operator", "OperatorKind", "operators_in"]

OperatorKind: TypeAlias = Literal["condition", "negation", "order", "limit"]

_KINDS: tuple[OperatorKind, ...] = ("condition", "negation", "order", "limit")
_NEVER = r"(?!)"
"""Pattern without matches."""
_PARTICLES = r"(?:은|는|도|만|을|를|에|에는|이|가)?"


@dataclass(frozen=True)
class Operator:
    """Operator word of a command.

    Attributes:
        text: The complete words as typed, such as "있으면" for the ending "면".
        kind: Kind of operator.
        start: Index of its first character in the text.
        end: Index after its last character.
    """

    text: str
    kind: OperatorKind
    start: int
    end: int


def operators_in(text: str, language: str, neutral: Iterable[str] = ()) -> tuple[Operator, ...]:
    """Return the operator words of `text` in order; only the longest of overlapping ones.

    Args:
        text: A command.
        language: ``ko`` or ``en``.
        neutral: Further phrases whose words are not operators.
    """
    folded = text.casefold().replace("’", "'")
    if not _any_operator(language).search(folded):
        return ()
    matches = [
        (kind, *match.span())
        for kind, pattern in _patterns(language)
        for match in pattern.finditer(folded)
    ]
    spared = [
        match.span()
        for match in _neutral_phrases_pattern(language, tuple(neutral)).finditer(folded)
    ]
    found = [
        Operator(_whole_words(text, start, end), kind, start, end)
        for kind, start, end in matches
        if not any(first <= start and end <= last for first, last in spared)
    ]
    found.sort(key=lambda one: (one.start, -one.end))
    return tuple(
        one
        for at, one in enumerate(found)
        if not any(_is_part_of_longer(one, other) for other in (*found[:at], *found[at + 1 :]))
    )


def _whole_words(text: str, start: int, end: int) -> str:
    """Return the part of `text` from `start` to `end`, extended to complete words."""
    while start and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] in "'’"):
        end += 1
    return text[start:end]


def _is_part_of_longer(one: Operator, other: Operator) -> bool:
    """Return True if an operator is part of a longer one."""
    within = other.start <= one.start and one.end <= other.end
    return within and (other.end - other.start) > (one.end - one.start)


def _tables(language: str) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], closed_classes(language)["operators"])


@lru_cache(maxsize=2)
def _patterns(language: str) -> tuple[tuple[OperatorKind, re.Pattern[str]], ...]:
    found = []
    for kind in _KINDS:
        table = _tables(language).get(kind, {})
        forms = [_word(word, language) for word in table.get("words", ())]
        forms += [_pattern_of_phrase(word) + r"(?!\w)" for word in table.get("endings", ())]
        forms += [_pattern_of_phrase(word) for word in table.get("parts", ())]
        if forms:
            found.append((kind, re.compile("|".join(sorted(forms, key=len, reverse=True)))))
    return tuple(found)


@lru_cache(maxsize=2)
def _any_operator(language: str) -> re.Pattern[str]:
    """Return a fast pattern that is found in a text exactly if one of `_patterns` matches there."""
    groups: dict[str, list[str]] = {"words": [], "endings": [], "parts": []}
    for kind in _KINDS:
        for group, forms in groups.items():
            forms += map(_pattern_of_phrase, _tables(language).get(kind, {}).get(group, ()))
    words, endings, parts = ("|".join(forms) or _NEVER for forms in groups.values())
    particles = _PARTICLES if language == "ko" else ""
    return re.compile(rf"(?<!\w)(?:{words}){particles}(?!\w)|(?:{endings})(?!\w)|{parts}")


@lru_cache(maxsize=16)
def _neutral_phrases_pattern(language: str, more: tuple[str, ...]) -> re.Pattern[str]:
    own = _tables(language)
    operators = {word for kind in _KINDS for word in own.get(kind, {}).get("words", ())}
    phrases = sorted({*own["neutral"], *more} - operators, key=len, reverse=True)
    after = r"(?!['\w])(?!\s*not\b)" if language == "en" else ""
    before = r"(?<!\w)" if language == "en" else ""
    first = r"(?:^|[.,;:!?]\s*)" if language == "en" else r"^\W*"
    leading = [rf"{first}{_pattern_of_phrase(word)}(?!\w)" for word in own["leading"]]
    other = [f"{before}{_pattern_of_phrase(phrase)}{after}" for phrase in phrases]
    return re.compile("|".join((*leading, *other)))


def _word(word: str, language: str) -> str:
    ending = _PARTICLES if language == "ko" else ""
    return rf"(?<!\w){_pattern_of_phrase(word)}{ending}(?!\w)"


def _pattern_of_phrase(phrase: str) -> str:
    return (
        r"\s*".join(map(re.escape, phrase.split()))
        if not phrase.isascii()
        else r"\s+".join(map(re.escape, phrase.split()))
    )
