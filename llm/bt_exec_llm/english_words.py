"""The English phrases of a lexicon, their forms, and slips of the fingers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bt_exec_llm.lexicon import Lexicon, Words
from bt_exec_llm.phrases import expand_phrase
from bt_exec_llm.units import Kind, Unit

__all__ = ["SHORTEST_TYPO", "is_slip", "phrases"]

SHORTEST_TYPO = 4
"""Shorter words are taken as they are."""
_LONG_WORD = 7


def is_slip(typed: str, word: str) -> bool:
    """Whether `typed` is `word` with two letters swapped, or a long one with one too few or many.

    The first letter must be right, and the last of a word that is too short or too long, so that
    no other word (felt, left) and no other form (retrieved) is taken for this one.
    """
    if typed[0] != word[0] or len(word) < SHORTEST_TYPO or abs(len(typed) - len(word)) > 1:
        return False
    if len(typed) == len(word):
        wrong = [at for at, pair in enumerate(zip(typed, word, strict=True)) if pair[0] != pair[1]]
        return (
            len(wrong) == 2
            and wrong[1] == wrong[0] + 1
            and typed[wrong[0]] == word[wrong[1]]
            and typed[wrong[1]] == word[wrong[0]]
        )
    short, long = sorted((typed, word), key=len)
    return (
        len(word) >= _LONG_WORD
        and typed[-1] == word[-1]
        and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    )


def phrases(lexicon: Lexicon) -> Iterator[tuple[str, Unit]]:
    """Yield every English phrase of a lexicon with the unit it is read as."""
    for name, words in lexicon.verbs.items():
        meant, way = lexicon.concept(name)
        for phrase in words.en:
            for text in expand_phrase(phrase):
                yield text, Unit("verb", meant, way, form="base")
                yield _ing(text), Unit("verb", meant, way, form="ing")
    sections: tuple[tuple[Mapping[str, Words], Kind, str], ...] = (
        (lexicon.nouns, "noun", ""),
        (lexicon.words, "word", ""),
        (lexicon.states, "word", "state "),
        (lexicon.limits, "limit", ""),
    )
    for section, kind, prefix in sections:
        for name, words in section.items():
            meant, way = lexicon.concept(name)
            for phrase in words.en:
                yield phrase, Unit(kind, prefix + meant, way)
    for type_name, values in lexicon.values.items():
        for value, words in values.items():
            for phrase in words.en:
                yield phrase, Unit("value", type_name, value=value)
            for phrase in words.proxies.en:
                yield phrase, Unit("value", type_name, value=value, form="proxy")
    for phrases, unit in (
        (lexicon.pronouns.en, Unit("pronoun")),
        (lexicon.determiners.en, Unit("filler", "determiner")),
        ((*lexicon.filler.en, *lexicon.loose.en), Unit("filler")),
        (lexicon.asides.en, Unit("filler", "aside")),
        (lexicon.leads.base, Unit("lead", form="base")),
        (lexicon.leads.ing, Unit("lead", form="ing")),
        (lexicon.then.en, Unit("then")),
        ((*lexicon.negation.en, *lexicon.negation_before_verb.en), Unit("not")),
    ):
        for phrase in phrases:
            yield phrase, unit
    for phrase in lexicon.function.en:
        for text in expand_phrase(phrase):
            yield text, Unit("word", text)


def _ing(phrase: str) -> str:
    """Return the -ing form of a phrase whose first verb carries it: ``picking up``."""
    head, _, rest = phrase.partition(" ")
    vowels = [char in "aeiou" for char in head]
    if head.endswith("e") and not head.endswith("ee"):
        head = head[:-1]
    elif vowels[-3:] == [False, True, False] and sum(vowels) == 1 and head[-1] not in "wxy":
        head += head[-1]
    return f"{head}ing {rest}".strip()
