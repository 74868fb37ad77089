"""Names of things, places and people, and what a word that is none of them may be a slip of."""

from __future__ import annotations

import difflib
import unicodedata

from bt_exec_llm.lexicon import Lexicon
from bt_exec_llm.phrases import expand_phrase

__all__ = ["name_like"]

_ALIKE = 0.75  # of two words, so that one can be a slip of the other


def name_like(word: str, lexicon: Lexicon, language: str) -> str:
    """Return the name that `word` may be a slip of, or ``""``; the first letter must be right."""
    typed = _letters(word)
    names = {_letters(name): name for name in _names(lexicon, language)}
    near = [key for key in names if key[:1] == typed[:1]]
    found = difflib.get_close_matches(typed, near, 1, _ALIKE)
    return names[found[0]] if found else ""


def _letters(word: str) -> str:
    """Return a word in small letters; Hangul in single ones, for fingers slip on these."""
    return unicodedata.normalize("NFD", word.casefold())


def _names(lexicon: Lexicon, language: str) -> list[str]:
    """Return the shortest form of every name that a noun or value goes by."""
    sections = (lexicon.nouns, *lexicon.values.values())
    every = (words for section in sections for words in section.values())
    phrases = (phrase for words in every for phrase in getattr(words, language))
    return [min(expand_phrase(phrase), key=len) for phrase in phrases]
