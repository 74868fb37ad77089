"""Words of one language: closed classes from its grammar file, open classes from packs.

A pack's lexicon names nouns, attributes, relations, aspects and verbs in both languages::

    things: {tomato: {en: [tomato/tomatoes], ko: […]}}
    attributes: {red: {kind: colour, en: {adjective: [red]}, ko: {attribute: […]}}}

An irregular English form follows after a slash. Korean adjectives and verbs are listed in their
dictionary form.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from bt_exec.language.closed_classes import closed_classes
from bt_exec.language.phrase_alternatives import expand_phrase
from bt_exec.language.reading.english_inflection import comparison_forms, gerund, past_form, plural
from bt_exec.language.reading.grammar import Grammar, literals
from bt_exec.language.reading.korean_inflection import (
    STEM_ENDING,
    decompose_hangul,
    has_past_ending,
    inflect,
)
from bt_exec.language.reading.korean_inflection import past_stem as korean_past
from bt_exec.language.reading.meaning_node import Node, conjunction
from bt_exec.spec.shipped_yaml import read_yaml

__all__ = ["Ending", "Entry", "Language", "Lexicon", "Stem", "language_data"]

SECTIONS = {"things": "thing", "attributes": "has"}
"""Sections of a pack's lexicon whose words mean formulas, with the kind of node of each."""

_POSSESSIVE = re.compile(r"'s\b")
PAST = "past "
PRESENT = ("order", "and")  # moods without past forms, except endings listed as "past …"

_SEVERAL_WORDS = -0.1
"""Cost of a name of several words, negative to prefer it to a noun with an attribute."""

_SILENT = (
    "adverb",
    "beside_praise",
    "hesitation",
    "interjection",
    "manner",
    "praise",
    "retract",
    "there_word",
    "you_word",
)  # categories of words without meaning
_ASIDES = ("benefit",)
"""Categories of lattice edges without meaning that rules name."""
_NOMINAL = ("colour", "size")
"""Kinds of attributes whose English adjectives have a plural: "the reds"."""
_EDGES = {"limit": "limits", "vocative": "vocative", "edge": "edge"}
"""Categories of further words without meaning, with the sections that list them."""
_SEVERAL = (Node("one"), Node("many"))
_INTRODUCING = ("tell", "wonder")
"""Categories of closed-class words that introduce a question: "tell me how many"."""
_NAMED = {"relations": "relation", "insides": "inside", "aspects": "aspect"}
"""Sections whose words mean constants, with the category of each."""


class Entry(NamedTuple):
    """Meaning and category of a word. `Lexicon.entries` lists it by its spelling without spaces.

    Attributes:
        category: Category in the grammar.
        meaning: A node or a constant; None for grammatical words.
        spaces: Positions of spaces within the word.
        suffix: Whether the word attaches to the previous one (Korean particles and endings).
        cost: Additional cost of the word; negative if it is preferred.
    """

    category: str
    meaning: Any
    spaces: tuple[int, ...]
    suffix: bool
    cost: float = 0.0


class Stem(NamedTuple):
    """A form of a Korean verb or adjective to which endings attach.

    `asks` is true for auxiliary verbs that turn a question into a request.
    """

    kind: str
    form: str
    meaning: Any
    spaces: tuple[int, ...]
    auxiliary: str
    asks: bool = False


class Ending(NamedTuple):
    """A Korean ending: the stem form before it, and its mood or the auxiliaries after it."""

    form: str
    mood: str
    link: bool


@lru_cache(maxsize=2)
def language_data(language: str) -> Mapping[str, Any]:
    """Return the closed classes and the grammar of a language."""
    grammar = read_yaml(Path(__file__).with_name(f"{language}.yaml"))
    return {**closed_classes(language), **grammar}


class _Spellings(dict[str, str]):
    """Standard spellings by typed word; words that are not listed are corrected by patterns.

    Args:
        listed: Typed words and what they stand for.
        patterns: Regular expressions of chat spellings, and their replacements.
    """

    def __init__(self, listed: Mapping[str, str], patterns: Mapping[str, str]) -> None:
        super().__init__(listed)
        self._patterns = [(re.compile(one), new) for one, new in patterns.items()]

    def get(self, word: str, default: Any = None) -> Any:
        """Return the standard spelling of a word, or `default` if it is not misspelt."""
        if word in self:
            return self[word]
        spelt = word
        for pattern, new in self._patterns:
            spelt = pattern.sub(new, spelt)
        return super().get(spelt, spelt) if spelt != word else default


class Language:
    """The grammar and the closed classes of one language."""

    def __init__(self, name: str, orders: bool = False) -> None:
        self.name, self.orders = name, orders
        self.data = language_data(name)
        self.data = _merge_grammars(self.data, self.data["orders" if orders else "questions"])
        silent = [
            *self.data["words"],
            *self.data.get("particles", {}),
            *self._meaningless_verb_categories(),
            *_ASIDES,
        ]
        self._silent = tuple(silent)
        self._grammars: dict[str, Grammar] = {}

    @cached_property
    def grammar(self) -> Grammar:
        """All rules of the language, checked."""
        return Grammar(self.data, self._silent)

    def grammar_for(self, goal: str) -> Grammar:
        """Return the rules that are needed to read a text as `goal`."""
        if goal not in self._grammars:
            self._grammars[goal] = Grammar(self.data, self._silent, goal)
        return self._grammars[goal]

    def _meaningless_verb_categories(self) -> Iterator[str]:
        """Yield the categories of verbs without meaning beyond their kind."""
        moods = self.data.get("endings", {})
        for kind, values in self.data.get("verbs", {}).items():
            if set(values) == {"_"}:
                for mood in (*moods, "noun"):
                    yield from (f"{kind}.{mood}", f"{kind}.{mood}!")

    @cached_property
    def contractions(self) -> Mapping[str, str]:
        """Contracted or misspelt words, with the words that they stand for."""
        return _Spellings(self.data.get("contractions", {}), self.data.get("chat", {}))

    def closed_words(self) -> Iterator[tuple[str, Entry]]:
        """Yield the spellings and entries of the words of closed classes."""
        for category, words in self.data["words"].items():
            for word in _expanded(words):
                yield _entry(word, category, None)
        for category, words in self.data.get("particles", {}).items():
            for word in words:
                yield _entry(word, category, None, suffix=True)
        for category, values in self.data.get("values", {}).items():
            for value, words in values.items():
                for word in _expanded(words):
                    yield _entry(word, category, value)
        for word in literals(self.data):
            suffix = word.startswith("+")
            surface, entry = _entry(word.removeprefix("+"), f"~{word}", None, suffix=suffix)
            yield surface.replace("_", ""), entry


def _formula(section: str, name: str) -> Node:
    """Return the formula that a word of a pack's section means."""
    return Node(SECTIONS[section], (("name" if section == "things" else "attribute", name),))


def _expanded(words: Iterable[str]) -> Iterator[str]:
    """Yield every expansion of words with alternatives; the empty ending is kept."""
    return (one for word in words for one in expand_phrase(word) or (word,))


def _merge_grammars(one: Any, other: Any) -> Any:
    """Return two grammars, or parts of them, merged."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return {key: _merge_grammars(one.get(key), other.get(key)) for key in {**one, **other}}
    return one if other is None else other if one is None else [*one, *other]


@lru_cache(maxsize=4)
def load_language(name: str, orders: bool = False) -> Language:
    """Return a language, loaded once, with or without the grammar of orders."""
    return Language(name, orders)


def _entry(
    word: str, category: str, meaning: Any, *, suffix: bool = False, cost: float = 0.0
) -> tuple[str, Entry]:
    word = word.lower().replace("_", " ")
    if "'" in word:
        word = _POSSESSIVE.sub(" s", word).replace("'", "")
    if " " not in word:
        return word, Entry(category, meaning, (), suffix, cost)
    *before, _ = parts = word.split(" ")
    places = tuple(accumulate(map(len, before)))
    return "".join(parts), Entry(category, meaning, places, suffix, cost)


@dataclass
class Lexicon:
    """Words of one language for a set of packs.

    Attributes:
        language: The grammar and closed classes.
        entries: Words by spelling without spaces.
        stems: Korean verb stems, by spelling without spaces.
        endings: Korean endings, by spelling without spaces.
        names: Display names of objects, attributes, relations and aspects, from the packs.
        kinds: Kind of each attribute, such as ``colour``. Attributes of a kind exclude each other.
    """

    language: Language
    entries: dict[str, list[Entry]] = field(default_factory=lambda: defaultdict(list))
    stems: dict[str, list[Stem]] = field(default_factory=lambda: defaultdict(list))
    endings: dict[str, list[Ending]] = field(default_factory=lambda: defaultdict(list))
    names: dict[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)

    @classmethod
    def empty(cls, language: Language) -> Lexicon:
        """Return a lexicon with the particles and the endings of a language, and no words."""
        lexicon = cls(language)
        for surface, entry in language.closed_words():
            if entry.suffix:
                lexicon._put(surface, entry)
        lexicon._add_endings()
        return lexicon

    def copy(self) -> Lexicon:
        """Return a copy to which words can be added without changing this lexicon."""
        copied = Lexicon(self.language, names={**self.names}, kinds={**self.kinds})
        copied.entries.update({said: [*known] for said, known in self.entries.items()})
        copied.stems.update({said: [*known] for said, known in self.stems.items()})
        copied.endings.update({said: [*known] for said, known in self.endings.items()})
        return copied

    def add_word(self, word: str, category: str) -> None:
        """Add a word that has a category but adds nothing to meanings."""
        self._put(*_entry(word, category, None))

    @classmethod
    def load(cls, language: str, packs: Sequence[Mapping[str, Any]]) -> Lexicon:
        """Return the lexicon of one language with the words of packs."""
        lexicon = _closed_class_lexicon(language, any("verbs" in pack for pack in packs)).copy()
        for pack in packs:
            for section in (*SECTIONS, *_NAMED):
                for name, words in pack.get(section, {}).items():
                    lexicon._add(section, name, words)
                    if language == "ko":
                        lexicon._add_english_words(section, name, words.get("en", ()))
            for name, verb in pack.get("verbs", {}).items():
                for word in verb[language]:
                    lexicon._add_order(word, f"v.{verb['frame']}", name)
            lexicon._add_silent_words(pack)
            for words in pack.get("anything", {}).get(language, ()):
                lexicon._add_noun(words, Node("any"), category="anything")
        lexicon._prefer_verbs_of_packs()
        return lexicon

    @cached_property
    def takes_texts(self) -> bool:
        """Whether the lexicon has verbs that take a verbatim text, such as a message."""
        taking = tuple(self.language.data.get("texts", {}).get("verbs", ()))
        kinds = {entry.category for found in self.entries.values() for entry in found}
        kinds |= {stem.kind for found in self.stems.values() for stem in found}
        return not kinds.isdisjoint(taking)

    @cached_property
    def longest_word_length(self) -> int:
        """Length of the longest word."""
        return max(map(len, (*self.entries, *self.stems)))

    @cached_property
    def plain_words(self) -> Sequence[str]:
        """Words of two letters or more that are written without spaces and stand alone."""
        return [
            said
            for said, entries in self.entries.items()
            if len(said) >= 2 and any(not one.suffix and not one.spaces for one in entries)
        ]

    @cached_property
    def parts_of_words(self) -> frozenset[str]:
        """Words that are part of an entry of several words, such as "way" in "by the way"."""
        return frozenset(
            said[start:end]
            for said, entries in self.entries.items()
            for spaces in {one.spaces for one in entries if one.spaces}
            for start, end in pairwise((0, *spaces, len(said)))
        )

    @cached_property
    def plain_word_letters(self) -> Mapping[str, str]:
        """Plain words with their letters; Hangul syllables are decomposed."""
        return {said: decompose_hangul(said) for said in self.plain_words}

    @cached_property
    def longest_ending_length(self) -> int:
        """Length of the longest Korean ending."""
        return max(map(len, self.endings))

    def _add_silent_words(self, pack: Mapping[str, Any]) -> None:
        """Add the words of a pack that have no meaning: fillers, limits, polite phrases."""
        language = self.language.name
        silent = {_entry(one, "", None)[0] for one in self.language.data.get("also_fillers", ())}
        known = {
            surface
            for surface, entries in self.entries.items()
            if any(entry.category not in _SILENT for entry in entries) and surface not in silent
        }
        for word in pack.get("fillers", {}).get(language, ()):
            surface, entry = _entry(word, "manner", None)
            if surface not in known:  # other words have a role in the grammar
                self._put(surface, entry)
        said = {kind: pack.get(section, {}).get(language, ()) for kind, section in _EDGES.items()}
        said |= pack.get("leads", {}) if language == "en" else {}
        for category, phrases in said.items():
            for word in phrases:
                self._put(*_entry(word, category, None))

    def _prefer_verbs_of_packs(self) -> None:
        """Remove a verb that introduces a question if a pack has it as a verb of frame ``find``."""
        for surface, entries in self.entries.items():
            if any(one.category == "v.find" for one in entries):
                kept = [one for one in entries if one.category not in _INTRODUCING]
                self.entries[surface] = kept

    def _put(self, surface: str, entry: Entry) -> None:
        known = self.entries[surface]
        if entry not in known:
            known.append(entry)

    def _add(self, section: str, name: str, words: Mapping[str, Any]) -> None:
        said = words[self.language.name]
        said = {"noun": said} if isinstance(said, (list, tuple)) else said
        self.names[f"{section}.{name}"] = said
        if "kind" in words:
            self.kinds[name] = words["kind"]
        if section in _NAMED:
            for word in said["noun"]:
                self._put(*_entry(word, _NAMED[section], name))
            return
        meaning = _formula(section, name)
        for word in said.get("noun", ()):
            self._add_noun(word, meaning, words.get("category", "noun"))
            for category, firsts in self.language.data.get("nouns_that_ask", {}).items():
                if word.partition(" ")[0] in firsts:
                    self._put(*_entry(word, category, meaning))
        for word in said.get("attribute", ()):
            self._put(*_entry(word, "hue", meaning))
        for word in said.get("adnominal", ()):
            self._put(*_entry(word, "adj.adn", meaning))
        for word in said.get("adjective", ()):
            self._add_adjective(word, meaning)
        for word in said.get("event", ()):  # intransitive: "it opens"
            self._add_event(word, meaning)

    def _add_event(self, word: str, meaning: Node) -> None:
        if self.language.name == "ko":
            self.add_verb(word, "event", meaning)
            return
        forms = {"event": word, "event.s": plural(word), "event.done": past_form(word)}
        for category, form in forms.items():
            self._put(*_entry(form, category, meaning))

    def _add_english_words(
        self, section: str, name: str, said: Sequence[str] | Mapping[str, Sequence[str]]
    ) -> None:
        """Add the English names of an object, a quality or an aspect to the Korean words."""
        if section in _NAMED:
            kinds = {"noun": _NAMED[section]} if section == "aspects" else {}
        else:
            kinds = {"noun": "noun", "adjective": "hue"}
        by_kind = said if isinstance(said, Mapping) else {"noun": said}
        for kind, category in kinds.items():
            for word in by_kind.get(kind, ()):
                meaning = name if section in _NAMED else _formula(section, name)
                for spelt in {*word.split("/"), *([plural(word)] if "/" not in word else [])}:
                    self._put(*_entry(spelt, category, meaning))

    def _add_order(self, word: str, category: str, verb: str) -> None:
        if self.language.name == "ko":
            self.add_verb(word, category, verb)
        else:
            head, *rest = word.split(" ")
            self._put(*_entry(word, category, verb))
            self._put(*_entry(" ".join([gerund(head), *rest]), f"{category}.ing", verb))
            for done in self.language.data["forms"].get(head, (past_form(head),)):
                self._put(*_entry(" ".join([done, *rest]), f"{category}.done", verb))

    def _add_noun(self, word: str, meaning: Node, category: str = "noun") -> None:
        singular, _, irregular = word.partition("/")
        cost = _SEVERAL_WORDS if " " in singular and self.language.name == "ko" else 0.0
        self._put(*_entry(singular, category, meaning, cost=cost))
        if self.language.name == "en":
            several = conjunction(meaning, Node("many")) if meaning.kind != "any" else Node("many")
            self._put(*_entry(irregular or plural(singular), category, several))

    def _add_adjective(self, word: str, meaning: Node) -> None:
        if self.language.name == "ko":
            self.add_verb(word, "adj", meaning)
            return
        positive, *irregular = word.split("/")
        self._put(*_entry(positive, "adj", meaning))
        if self.language.orders and self.kinds.get(meaning.text("attribute")) in _NOMINAL:
            self._put(*_entry(plural(positive), "noun", conjunction(meaning, *_SEVERAL)))
        for category, form in zip(
            ("adj.er", "adj.est"), irregular or comparison_forms(positive), strict=True
        ):
            self._put(*_entry(form, category, meaning))

    def add_verb(self, word: str, kind: str, meaning: Any, auxiliary: str = "") -> None:
        """Add the stem forms, including the past, of a Korean verb or adjective in dictionary form.

        A word in another form is added unchanged, as an open form: an order, or the verb before an
        auxiliary.
        """
        light = self.language.data.get("light", "\0")
        if kind.startswith("v.") and word.endswith(light) and word != light:
            self._put(*_entry(word.removesuffix(light), f"{kind}.noun", meaning))
        classes = self.language.data["classes"]
        asks = word.endswith(tuple(self.language.data.get("asks", ("\0",))))
        *head, last = word.split(" ")
        _, blank = _entry(word.removesuffix(STEM_ENDING), kind, None)
        before = "".join(head)
        if not last.endswith(STEM_ENDING):
            said = Stem(kind, "open", meaning, blank.spaces, auxiliary, asks)
            self.stems[before + last].append(said)
            return
        forms = inflect(last, classes)
        pasts = [(PAST, inflect(korean_past(one) + last[-1], classes)) for one in forms["open"]]
        existing = last.endswith(tuple(self.language.data["verbs"]["exist"]["_"]))
        past = has_past_ending(last.removesuffix(STEM_ENDING)) and not existing
        for tense, stem_forms in ((PAST if past else "", forms), *pasts):
            for form, variants in stem_forms.items():
                for variant in variants:
                    stem = Stem(kind, tense + form, meaning, blank.spaces, auxiliary, asks)
                    self.stems[before + variant].append(stem)

    def _add_endings(self) -> None:
        data = self.language.data
        present = {*PRESENT, *data.get("present", ())}
        for link, key in ((False, "endings"), (True, "links")):
            for mood, by_form in data.get(key, {}).items():
                for form, words in by_form.items():
                    for word in _expanded(words):
                        surface = word.replace(" ", "")
                        self.endings[surface].append(Ending(form, mood, link))
                        if mood not in present:
                            self.endings[surface].append(Ending(PAST + form, mood, link))
        for kind, values in data.get("verbs", {}).items():
            for value, words in values.items():
                for word in words:
                    self.add_verb(word, kind, None if value == "_" else value)
        for link, by_effect in data.get("auxiliaries", {}).items():
            for effect, words in by_effect.items():
                for word in words:
                    self.add_verb(word, effect, None, auxiliary=link)


@lru_cache(maxsize=4)
def _closed_class_lexicon(language: str, orders: bool) -> Lexicon:
    """Return the shared lexicon of a language's closed classes; callers must not change it."""
    lexicon = Lexicon(load_language(language, orders))
    for surface, entry in lexicon.language.closed_words():
        lexicon._put(surface, entry)
    lexicon._add_endings()
    return lexicon
