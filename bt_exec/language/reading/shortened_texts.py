"""Texts without some of their words, to find out how much of an unparsable text can be parsed.

Only words that add little may be left out: words outside the lexicon, adverbs, fillers and
function words. Never left out are words that mean something by themselves (names, verbs, numbers,
relations), unknown verbs, and words that change what the others mean: operators (see
`bt_exec.language.logical_operators`), question words and quantifiers (``essential`` in the closed
classes of the language).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from bt_exec.language.closed_classes import closed_classes
from bt_exec.language.logical_operators import operators_in
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.lattice import lattice
from bt_exec.language.reading.lexicon import Lexicon
from bt_exec.language.reading.normalized_text import Text

__all__ = ["shortened_texts"]

_LONGEST = 4
"""Maximum number of consecutive words that are left out."""
_KEPT = 0.6
"""Minimum share of the words that is kept."""
_MOST = 16
"""Maximum number of texts."""
_NAMELESS = ("unknown", "as_typed", "text", "remark", "purpose")
"""Categories of edges that any word may have."""
_COUNTING = ("number", "every_one")
"""Categories of words that count or quantify the Korean noun before them."""
_PARTICLE = 2
"""Maximum length of the particle after a Korean word [syllables]."""


def shortened_texts(text: str, lexicon: Lexicon) -> Iterator[str]:
    """Yield versions of a text that lack one to `_LONGEST` consecutive words.

    The texts that lack the fewest words of the lexicon come first.

    Args:
        text: The text as typed.
        lexicon: The words of its language.
    """
    plain = Text.of(text, lexicon.language.contractions)
    words = [match.span() for match in re.finditer(r"\S+", plain.source)]
    edges = lattice(plain, lexicon, {})
    operators = operators_in(plain.source, lexicon.language.name)
    spare = [
        not any(one.start < end and start < one.end for one in operators)
        and not _is_essential((start, end), plain, edges, lexicon.language.name)
        for start, end in words
    ]
    longest = min(_LONGEST, int(len(words) * (1 - _KEPT)))
    unknown = {edge.text for edge in edges if edge.category == "unknown"}
    known = [_bare_word(plain.source[start:end]) not in unknown for start, end in words]
    runs = [
        (first, first + count)
        for count in range(1, longest + 1)
        for first in range(len(words) - count + 1)
        if all(spare[first : first + count])
    ]
    runs.sort(key=lambda run: sum(known[slice(*run)]))
    for first, last in runs[:_MOST]:
        kept = [plain.source[start:end] for start, end in (*words[:first], *words[last:])]
        mark = "?" if plain.asked and last == len(words) else ""
        yield " ".join(kept).rstrip(",;") + mark


def _bare_word(word: str) -> str:
    """Return a word in lower case, without punctuation."""
    return re.sub(r"[^\w']", "", word).lower()


def _is_essential(word: tuple[int, int], text: Text, edges: Sequence[Edge], language: str) -> bool:
    """Return True if a word other than an operator must not be left out."""
    start, end = word
    typed = text.source[start:end]
    if _essential_word_pattern(language).search(_bare_word(typed)):
        return True
    inside = [at for at, first, _ in text.origins if start <= first < end]
    if not inside:
        return False
    if _is_argument(word, text, language):
        return True
    after = [at for at, first, _ in text.origins if first >= end]
    first, last = inside[0], min(after, default=len(text.chars))
    if any(edge.start == first and edge.category == "unknown" for edge in edges):
        ends = tuple(closed_classes(language)["essential"].get("subjects_of", ()))
        follows = _bare_word(" ".join(text.source[end:].split()[:1]))
        counted = any(edge.start == last and edge.category in _COUNTING for edge in edges)
        if counted or (ends and follows.endswith(ends)):
            return True  # probably the noun that is counted, or the subject of a condition
    shortest = last - _PARTICLE if language == "ko" else first + 1
    return any(
        first <= edge.start < last and edge.end >= shortest and _has_meaning(edge)
        for edge in edges
        if language == "en" or edge.start == first
    )


def _is_argument(word: tuple[int, int], text: Text, language: str) -> bool:
    """Return True if a word is probably a verb, or the only object of one."""
    start, end = word
    typed = text.source[start:end]
    if language == "ko":
        particles = tuple(closed_classes("ko")["essential"]["objects"])
        objects = [one for one in text.source.split() if one.endswith(particles)]
        return typed.rstrip(".,!?").endswith(particles) and len(objects) == 1
    if _begins_clause(start, text) and not typed.endswith(","):
        return True
    before, after = text.source[:start].lower().split()[-1:], text.source[end:].lower().split()[:1]
    closed = closed_classes("en")
    ends = not typed[-1].isalnum() or not after or after[0] in closed["phrase_ends"]
    return ends and before != [] and before[0] in closed["words"]["det"]


def _begins_clause(start: int, text: Text) -> bool:
    before = text.source[:start].rstrip()
    return (
        not before
        or before[-1] in ",;:.!?"
        or before.lower().endswith(
            tuple(f" {word}" for word in closed_classes("en")["clause_conjunctions"])
        )
    )


def _has_meaning(edge: Edge) -> bool:
    return edge.meaning is not None and not edge.category.startswith(_NAMELESS)


@lru_cache(maxsize=2)
def _essential_word_pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of words that are essential whatever their edges mean."""
    words = closed_classes(language)["essential"]
    forms = [rf"^{re.escape(word)}$" for word in words["words"]]
    forms += [rf"^{re.escape(word)}" for word in words.get("beginnings", ())]
    forms += [rf"{re.escape(word)}$" for word in words.get("endings", ())]
    return re.compile("|".join(forms))
