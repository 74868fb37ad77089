"""Phrases that are not commands, such as thanks, questions about the past, or a call for help.

A text is such a phrase if it contains one of the required phrases and *every* other word is in the
list of further allowed words. English words match in any form, Korean ones with any particle or
ending.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bt_exec.language.phrase_alternatives import expand_phrase
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.english_inflection import gerund, past_form, plural
from bt_exec.language.reading.korean_inflection import STEM_ENDING
from bt_exec.language.reading.lattice import lattice
from bt_exec.language.reading.lexicon import Lexicon, language_data, load_language
from bt_exec.language.reading.normalized_text import Text
from bt_exec_llm.offline.command_reader import Reader
from bt_exec_llm.offline.lexicon import Words
from bt_exec_llm.offline.reader_lexicon import COPULA

__all__ = ["Talk"]

_ALWAYS = "always"
"""Category of words that are allowed beside every phrase."""
_DESCRIPTION, _ACT = "description", "act"
"""Categories of words for the objects and the actions of the site, shared by several phrases."""
_SUBORDINATE = ("adn", "done", "before", "during")
"""Moods of Korean verbs in subordinate clauses ("열 때", "when opening")."""
_CONDITIONAL = ("if", "whenever")
"""Moods of Korean verbs in conditions of commands."""
_CONDITION = "condition"
"""Category of words that no phrase may contain."""


class Talk:
    """Index of the phrases of one lexicon that are not commands.

    Args:
        reader: The words of the site.
    """

    def __init__(self, reader: Reader) -> None:
        self._lexicon = reader.lexicon
        self._known: dict[str, _Phrases] = {}

    def find_code(self, text: str, language: str, codes: Iterable[str]) -> str:
        """Return the first of `codes` that a normalised command matches; "" if there is none."""
        if language not in self._known:
            self._known[language] = _Phrases(language, self._phrases(language))
        spans = self._known[language].find(text)
        return next((code for code in codes if self._matches(spans, code, language)), "")

    def _matches(self, spans: _Spans, code: str, language: str) -> bool:
        """Return True if phrases for `code` cover the text, among them the required ones."""
        required = self._required_categories(code, language)
        section = self._lexicon.talk.get(code)
        site: tuple[str, ...] = ()
        if section is not None and section.known:
            site = (_DESCRIPTION,) if section.past and language == "ko" else (_DESCRIPTION, _ACT)
        return spans.match({*required, f"beside {code}", _ALWAYS, *site}, required)

    def _required_categories(self, code: str, language: str) -> frozenset[str]:
        """Return the categories; a text with this code must contain a phrase of each of them."""
        section = self._lexicon.talk.get(code)
        also = section is not None and bool(getattr(section.also, language))
        return frozenset({f"needs {code}", *([f"also {code}"] if also else [])})

    def _phrases(self, language: str) -> Iterator[tuple[str, str]]:
        """Yield all phrases of a language with their categories."""
        lexicon = self._lexicon
        idle = (lexicon.filler, lexicon.courtesy, lexicon.vocative, lexicon.determiners, lexicon.me)
        every: list[tuple[str, Words]] = [(_ALWAYS, words) for words in idle]
        every.append((_ALWAYS, Words(en=lexicon.leads.base)))
        every.append((_ALWAYS, Words(en=language_data("en")["words"]["past"])))
        for code, section in lexicon.talk.items():
            every += [(f"needs {code}", section.needs), (f"also {code}", section.also)]
            every += [(f"beside {code}", section.beside), (f"asked {code}", section.asked)]
            if section.known and section.past and language == "ko":
                every += [(f"past {code}", words) for words in self._site_acts()]
        if any(section.known for section in lexicon.talk.values()):
            every += [(_DESCRIPTION, words) for words in self._site_descriptions()]
            every += [(_ACT, words) for words in self._site_acts()]
        for category, words in every:
            for phrase in getattr(words, language):
                for said in expand_phrase(phrase.casefold()):
                    yield said, category

    def _site_descriptions(self) -> list[Words]:
        """Return the words for objects, their states and places, and the values of acts."""
        lexicon = self._lexicon
        return [
            *lexicon.nouns.values(),
            *lexicon.states.values(),
            *lexicon.relations.values(),
            *(value for values in lexicon.values.values() for value in values.values()),
        ]

    def _site_acts(self) -> list[Words]:
        """Return the verbs for acts of the site, except acts of speaking."""
        lexicon = self._lexicon
        finding = {name for name, verb in lexicon.verbs.items() if verb.finds}
        speaking = lexicon.verbs_with_text | finding | {COPULA}
        return [verb for name, verb in lexicon.verbs.items() if name not in speaking]


class _Span(NamedTuple):
    """Phrase found in a text: its positions and categories."""

    start: int
    end: int
    category: str


class _Spans:
    """All phrases that occur in one text."""

    def __init__(self, spans: Iterable[_Span], length: int) -> None:
        self._by_start: dict[int, list[_Span]] = defaultdict(list)
        self._length = length
        for span in spans:
            self._by_start[span.start].append(span)

    def match(self, allowed: Collection[str], required: frozenset[str]) -> bool:
        """Return True if phrases of `allowed` categories cover the text, among them `required`."""
        reached = {(0, frozenset[str]())}
        left = [*reached]
        while left:
            at, met = left.pop()
            for span in self._by_start[at]:
                state = (span.end, met | (required & {span.category}))
                if span.category in allowed and state not in reached:
                    reached.add(state)
                    left.append(state)
        return (self._length, required) in reached


class _Phrases:
    """Matcher for the phrases of one language in all their forms.

    Args:
        language: ``en`` or ``ko``.
        phrases: Phrases with their categories.
    """

    def __init__(self, language: str, phrases: Iterable[tuple[str, str]]) -> None:
        self._words = Lexicon.empty(load_language(language, True))
        known = self._words.entries.values()
        self._skipped = {"comma", *(entry.category for own in known for entry in own)}
        every = [*phrases]
        self._bases = _base_forms(every) if language == "en" else {}
        for said, category in every:
            if language == "ko" and said.endswith(STEM_ENDING) and said.split()[-1] != STEM_ENDING:
                self._words.add_verb(said, category, None)
            else:
                self._words.add_word(self._base_forms(said), category)

    def find(self, text: str) -> _Spans:
        """Return the spans of the known phrases in a text."""
        language = self._words.language
        plain = Text.of(text, language.contractions)
        asked = plain.asked
        if language.name == "en":
            words = (plain.chars[start:end] for start, end in plain.words)
            plain = Text.of(self._base_forms(" ".join(words)), {})
        edges = lattice(plain, self._words, {})
        spans = (_Span(one.start, one.end, _category_of(one, asked=asked)) for one in edges)
        known = (
            one._replace(category=_ALWAYS) if one.category in self._skipped else one
            for one in spans
        )
        return _Spans(known, len(plain.chars))

    def _base_forms(self, text: str) -> str:
        return " ".join(self._bases.get(word, word) for word in text.split())


def _category_of(edge: Edge, *, asked: bool) -> str:
    """Return the category of a phrase; a verb that asks about a past act becomes a required phrase.

    Args:
        edge: The phrase.
        asked: Whether the text ends with a question mark.
    """
    category, _, mood = edge.category.partition(".")
    kind, _, code = category.partition(" ")
    if (kind == "past" and mood in _SUBORDINATE) or (kind == "asked" and asked):
        return f"beside {code}"
    if mood in _CONDITIONAL and not asked:
        return _CONDITION
    did = edge.past and (asked or mood == "whether")
    return f"needs {code}" if kind == "past" and did else category


def _base_forms(phrases: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Return the base forms of English words, by inflected form."""
    words = {word for said, _ in phrases for word in said.split()}
    irregular: Mapping[str, Any] = language_data("en")["forms"]
    found: dict[str, str] = {}
    for word in sorted(words, key=len, reverse=True):  # prefer shorter words as base forms
        for form in (plural(word), gerund(word), past_form(word)):
            found[form] = word
    for word, forms in irregular.items():
        found |= dict.fromkeys(forms, word)
    past = language_data("en")["words"]["past"]  # "were you able to" is not "are you able to"
    return {form: found.get(word, word) for form, word in found.items() if form not in past}
