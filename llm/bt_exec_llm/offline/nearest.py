"""Suggestions for a command that was not understood: similar utterances and names.

An utterance is compared only if it shares a word, or the beginning of a word, with the command. The
cost therefore does not grow with the library.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import TypeAlias

from bt_exec_llm.offline.index import Index
from bt_exec_llm.offline.text import LONGEST

__all__ = ["find_similar_name", "first_utterances", "nearest_utterances"]

_ALIKE = 0.75  # smallest similarity of a typo and its word
_COMPARED = 150
"""Largest number of utterances that are compared by letters."""
_BEGINNING = {"en": 3, "ko": 1}
"""Length of the common prefix of words that are considered related."""


def nearest_utterances(text: str, language: str, index: Index) -> tuple[str, ...]:
    """Return the first utterances of the trees in `language`, most similar to `text` first."""
    typed = text.casefold()[:LONGEST]
    firsts, by_beginning, every = _index_utterances(index, language)
    shared: Counter[tuple[str, str]] = Counter()
    for beginning in _word_prefixes(typed, language):
        for one in by_beginning.get(beginning, ())[:_COMPARED]:
            shared[one] += 1
    shared.update(every[: _COMPARED - len(shared)] if len(shared) < _COMPARED else ())
    matcher = difflib.SequenceMatcher(b=typed, autojunk=False)
    scores: dict[str, float] = {}
    for (tree, utterance), _ in shared.most_common(_COMPARED):
        matcher.set_seq1(utterance.casefold())
        scores[tree] = max(scores.get(tree, 0.0), matcher.ratio())
    order = sorted(scores, key=lambda tree: scores[tree], reverse=True)
    return tuple(firsts[tree] for tree in order)


def first_utterances(language: str, index: Index) -> tuple[str, ...]:
    """Return the first utterance of every tree, in the order of the library."""
    return tuple(_index_utterances(index, language)[0].values())


_Utterances: TypeAlias = tuple[
    dict[str, str], dict[str, list[tuple[str, str]]], list[tuple[str, str]]
]


def _index_utterances(index: Index, language: str) -> _Utterances:
    """Return the first utterances, indexed by the prefixes of their words, and as a list."""
    if language not in index.near:
        firsts: dict[str, str] = {}
        by_beginning: dict[str, list[tuple[str, str]]] = {}
        every: list[tuple[str, str]] = []
        for tree, utterance, spoken in index.frames.utterances:
            if spoken != language or tree in index.reader.lexicon.follows:
                continue
            firsts.setdefault(tree, utterance)
            every.append((tree, utterance))
            for beginning in _word_prefixes(utterance.casefold(), language):
                by_beginning.setdefault(beginning, []).append((tree, utterance))
        index.near[language] = (firsts, by_beginning, every)
    found: _Utterances = index.near[language]
    return found


def _word_prefixes(text: str, language: str) -> list[str]:
    size = _BEGINNING["ko" if language == "ko" else "en"]
    words = "".join(char if char.isalnum() else " " for char in text).split()
    return list(dict.fromkeys(word[:size] for word in words))


def find_similar_name(word: str, index: Index, language: str) -> str:
    """Return the name that `word` may be a typo of, or ""; the first letter must match."""
    if language == "ko" and len(word) > 2 and word[-1] in "을를이가은는에":
        word = word[:-1]
    typed = _to_letters(word)
    names = _index_names(index, language)
    near = [
        key
        for size in range(len(typed) - 3, len(typed) + 4)
        for key in names.get((typed[:1], size), {})
    ]
    found = difflib.get_close_matches(typed, near, 1, _ALIKE)
    if not found or found[0] == typed:
        return ""
    return names[typed[:1], len(found[0])][found[0]]


_Names: TypeAlias = dict[tuple[str, int], dict[str, str]]


def _index_names(index: Index, language: str) -> _Names:
    """Return nouns and values by first letter and length, then by letters."""
    key = f"names {language}"
    if key not in index.names:
        vocabulary = index.reader.vocabulary
        if language == "ko":
            known = [(name, entries) for name, entries in vocabulary.korean.items()]
        else:
            table = vocabulary.english.entries
            known = [(" ".join(words), entries) for words, entries in table.items()]
        found: _Names = {}
        for name, entries in known:
            letters = _to_letters(name)
            if any(e.kind in ("noun", "value") for e in entries):
                found.setdefault((letters[:1], len(letters)), {})[letters] = name
        index.names[key] = found
    names: _Names = index.names[key]
    return names


@lru_cache(maxsize=4096)
def _to_letters(word: str) -> str:
    """Return a word in lower case, with Hangul decomposed into letters."""
    return unicodedata.normalize("NFD", word.casefold())
