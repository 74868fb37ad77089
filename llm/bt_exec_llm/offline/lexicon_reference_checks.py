"""Checks of lexicon entries: references to unknown names, and inflected Korean verbs.

Each referenced name must exist in one of the merged files. For example, the result of a verb must
be a state, and a value for several others must list values of its type.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeAlias

from bt_exec.failure import Problem, nearest_names
from bt_exec.language.phrase_alternatives import expand_phrase
from bt_exec.language.reading.korean_inflection import STEM_ENDING
from bt_exec.spec.yaml_source import show_place
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.lexicon_validation_errors import find_positions

__all__ = ["find_reference_mistakes"]

Place: TypeAlias = tuple[str | int, ...]
Reference: TypeAlias = tuple[Place, str, str, Collection[str]]
"""Position of a name, the name, its section, and the names of that section."""


def find_reference_mistakes(own: Lexicon, every: Lexicon, text: str, file: str) -> list[Problem]:
    """Return the problems of one file in the order of the text.

    Args:
        own: Lexicon with only this file.
        every: Lexicon merged from all files.
        text: Content of the file.
        file: Name of the file in messages.
    """
    problems = [
        (place, "UNKNOWN_NAME", f"is not a {kind} of this lexicon", name, known)
        for place, name, kind, known in _references_in_lexicon(own, every)
        if name not in known
    ]
    problems += [
        (place, "BAD_VALUE", "must be a Korean verb in its dictionary form, ending in 다", form, ())
        for place, form in _find_inflected_phrases(own)
    ]
    if not problems:
        return []
    marks = find_positions(text)
    found = []
    for place, code, message, name, known in problems:
        near = nearest_names(name, known)
        allowed = tuple(dict.fromkeys((*near, *sorted(known))))[:_SHOWN]
        shown = next(place[:end] for end in range(len(place), -1, -1) if place[:end] in marks)
        line, column = marks[shown]
        found.append(Problem(code, message, show_place(place), name, allowed, file, line, column))
    found.sort(key=lambda one: (one.line or 0, one.column or 0))
    return found


_SHOWN = 8


def _references_in_lexicon(own: Lexicon, every: Lexicon) -> Iterator[Reference]:
    verbs, types = every.verbs, every.values
    for name, verb in own.verbs.items():
        if verb.result:
            yield ("verbs", name, "result"), verb.result, "state", every.states
        if verb.usual:
            yield ("verbs", name, "usual"), verb.usual, "noun", every.nouns
    for name, state in own.states.items():
        if state.usual:
            yield ("states", name, "usual"), state.usual, "noun", every.nouns
    for kind, values in own.values.items():
        for name, value in values.items():
            for at, one in enumerate(value.each):
                yield ("values", kind, name, "each", at), one, "value", types[kind]
    for name, way in own.ways.items():
        yield ("ways", name, "of"), way.of, "verb", verbs
        if way.then:
            yield ("ways", name, "then"), way.then, "verb", verbs
        yield from _references_of_way(name, way.about, types)
    for name, slot in own.texts.items():
        for at, one in enumerate(slot.verbs):
            yield ("texts", name, "verbs", at), one, "verb", verbs
    for name, closing in own.closing.items():
        for at, one in enumerate(closing.said):
            yield ("closing", name, "said", at), one, "verb", verbs


def _references_of_way(
    name: str, about: Mapping[str, str], types: Mapping[str, Mapping[str, Any]]
) -> Iterator[Reference]:
    for kind, value in about.items():
        if kind in types:  # other types come from the site
            yield ("ways", name, "about", kind), value, "value", types[kind]


def _find_inflected_phrases(own: Lexicon) -> Iterator[tuple[Place, str]]:
    """Yield the Korean phrases of verbs and states that are not in dictionary form."""
    for section, words in (("verbs", own.verbs), ("states", own.states)):
        for name, one in words.items():
            for at, phrase in enumerate(one.ko):
                if not all(
                    form.split("/")[0].endswith(STEM_ENDING) for form in expand_phrase(phrase)
                ):
                    yield (section, name, "ko", at), phrase
