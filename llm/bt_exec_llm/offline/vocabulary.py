"""Index of a lexicon from phrases to meanings, built once per library.

Looking something up costs the same however many trees and values a library has.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from bt_exec.language.reading.reader import Reader
from bt_exec_llm.offline.engine_words import to_engine_lexicon
from bt_exec_llm.offline.lexicon import Lexicon, Value, Words
from bt_exec_llm.offline.phrases import expand_phrase

__all__ = ["Entry", "Table", "Vocabulary", "cached_vocabulary"]


@dataclass(frozen=True)
class Entry:
    """Meaning of a phrase: kind (``noun``, ``value``, ``filler`` …), name and value."""

    kind: str
    name: str = ""
    value: str = ""
    sense: str = ""
    """Meaning in a condition: ``holds`` or ``fails``; empty if the phrase decides nothing."""


@dataclass
class Table:
    """Phrases as tuples of words, with the longest phrase for each first word."""

    entries: dict[tuple[str, ...], list[Entry]] = field(default_factory=dict)
    longest: dict[str, int] = field(default_factory=dict)

    def add(self, words: tuple[str, ...], entry: Entry) -> None:
        """Add a meaning of a phrase."""
        if not words:
            return
        known = self.entries.setdefault(words, [])
        if entry not in known:
            known.append(entry)
        self.longest[words[0]] = max(self.longest.get(words[0], 0), len(words))

    def find(self, words: tuple[str, ...]) -> list[Entry]:
        """Return the meanings of a whole phrase."""
        return self.entries.get(words, [])

    def longest_phrase_length(self, first: str) -> int:
        """Return the length in words of the longest phrase that begins with `first`."""
        return self.longest.get(first, 0)


class Vocabulary:
    """Index of a lexicon by language.

    Attributes:
        lexicon: The lexicon.
        english: Phrases by lower-case words.
        korean: Names without spaces.
        verbs_ko: Korean verbs as written in the lexicon, with their meanings.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.english = Table()
        self.korean: dict[str, list[Entry]] = {}
        self.verbs_ko: list[tuple[str, Entry]] = []
        self.longest_ko = 1
        for name, verb in lexicon.verbs.items():
            self._add_phrases(verb, Entry("verb", name), verbs=True)
        for name, words in lexicon.states.items():
            self._add_phrases(words, Entry("state", name), verbs=True)
        for name, words in lexicon.nouns.items():
            self._add_phrases(words, Entry("noun", name))
        for kind, values in lexicon.values.items():
            for name, value in values.items():
                self._add_value(value, Entry("value", kind, name))
                self._add_phrases(value.proxies, Entry("proxy", kind, name))
        for name, words in lexicon.relations.items():
            self._add_phrases(words, Entry("relation", name))
        for code, words in lexicon.limits.items():
            self._add_phrases(words, Entry("limit", code), verbs=True)
        simple: Mapping[str, Words] = {
            "speaker": lexicon.me,
            "pronoun": lexicon.pronouns,
            "determiner": lexicon.determiners,
            "filler": lexicon.filler,
            "courtesy": lexicon.courtesy,
            "vocative": lexicon.vocative,
        }
        for kind, words in simple.items():
            self._add_phrases(words, Entry(kind))
        for form in ("base", "ing", "any"):
            for text in _expand_phrases(getattr(lexicon.leads, form)):
                self.english.add(tuple(text.split()), Entry("lead", form))
        self.alone: dict[str, dict[str, str]] = {"en": {}, "ko": {}}
        for code, words in lexicon.alone.items():
            for language in ("en", "ko"):
                for text in _expand_phrases(getattr(words, language)):
                    self.alone[language]["".join(text.split()).casefold()] = code

        self.idle: dict[str, set[str]] = {
            language: {
                "".join(text.split()).casefold()
                for words in (lexicon.filler, lexicon.courtesy, lexicon.vocative)
                for text in _expand_phrases(getattr(words, language))
            }
            for language in ("en", "ko")
        }
        """Words that change nothing, without spaces, by language."""

    @cached_property
    def engine(self) -> Reader:
        """The reading engine with the words of the lexicon."""
        return Reader([self.engine_words])

    @cached_property
    def engine_words(self) -> Mapping[str, Any]:
        """The words of the lexicon in the form of the reading engine."""
        return to_engine_lexicon(self.lexicon)

    def _add_value(self, value: Value, entry: Entry) -> None:
        """Add the phrases of a value, each with its meaning in a condition."""
        said = {"holds": value.holds, "fails": value.fails}
        senses = {
            text: sense
            for sense, words in said.items()
            for text in _expand_phrases([*words.en, *words.ko])
        }
        for sense in ("", *said):
            own = Words(
                en=[one for one in _expand_phrases(value.en) if senses.get(one, "") == sense],
                ko=[one for one in _expand_phrases(value.ko) if senses.get(one, "") == sense],
            )
            self._add_phrases(own, replace(entry, sense=sense), verbs=True)

    def _add_phrases(self, words: Words, entry: Entry, *, verbs: bool = False) -> None:
        for text in _expand_phrases(words.en):
            self.english.add(tuple(text.casefold().split()), entry)
        for text in _expand_phrases(words.ko):
            text = text.split("/")[0]
            if verbs and text.endswith("다") and len(text) > 1:
                self.verbs_ko.append((text, entry))
                continue
            letters = "".join(text.split()).casefold()
            forms = [letters]
            if len(letters) > 1 and letters[-1] in "것거":  # e.g. 든 것이, 든 게
                forms += [letters[:-1] + form for form in ("게", "건", "걸")]
            for form in forms:
                known = self.korean.setdefault(form, [])
                if entry not in known:
                    known.append(entry)
            self.longest_ko = max(self.longest_ko, len(letters))

    def korean_names(self) -> Iterable[str]:
        """Yield every Korean name, without spaces."""
        return self.korean


_MADE: deque[Vocabulary] = deque(maxlen=16)


def cached_vocabulary(lexicon: Lexicon) -> Vocabulary:
    """Return the cached vocabulary of a lexicon."""
    for made in tuple(_MADE):
        if made.lexicon is lexicon:
            return made
    made = Vocabulary(lexicon)
    _MADE.append(made)
    return made


def _expand_phrases(phrases: Iterable[str]) -> Iterable[str]:
    for phrase in phrases:
        yield from expand_phrase(phrase)
