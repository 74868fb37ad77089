"""Suggestions for a command that was not understood: the most similar utterances.

An utterance is compared only if it shares a word, or the beginning of a word, with the command, so
that the cost does not grow with the library.
"""

from __future__ import annotations

import difflib
from collections import Counter
from typing import TypeAlias

from bt_exec_llm.offline.library_index import Index
from bt_exec_llm.offline.text_normalization import LONGEST

__all__ = ["first_utterances", "nearest_utterances"]

_COMPARED = 150
"""Maximum number of utterances that are compared by letters."""
_BEGINNING = {"en": 3, "ko": 1}
"""Length of the prefix that related words share, by language."""


def nearest_utterances(text: str, language: str, index: Index) -> tuple[str, ...]:
    """Return the first utterance of each tree, sorted by the similarity of the tree to `text`.

    The similarity of a tree is the similarity of its most similar utterance.
    """
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
    """Return the first utterance of every tree in `language`; question trees come last."""
    firsts = _index_utterances(index, language)[0]
    trees = (tree.tree for tree in index.library.acting_first())
    return tuple(firsts[name] for name in trees if name in firsts)


_Utterances: TypeAlias = tuple[
    dict[str, str], dict[str, list[tuple[str, str]]], list[tuple[str, str]]
]


def _index_utterances(index: Index, language: str) -> _Utterances:
    """Return the first utterance of each tree, utterances by word prefix, and all utterances."""
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
