"""The words of the offline compiler: those of the common language and of each pack together.

A phrase may hold alternatives (see `bt_exec_llm.phrases`). What each section means is written
beside it in ``configs/lexicon/common.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

__all__ = [
    "Closing",
    "Endings",
    "Leads",
    "Lexicon",
    "Slot",
    "Value",
    "Way",
    "Words",
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


Phrases = list[str]


class Words(_Part):
    """Phrases of both languages that mean the same."""

    en: Phrases = []
    ko: Phrases = []


class Value(Words):
    """The phrases of a value.

    Attributes:
        brings: Arguments that come with it, by the name of a parameter.
        each: The values it stands for, in order, if it is a word for several: everywhere.
        proxies: Phrases that name something else and can mean it, where nothing else makes sense:
            a place for whoever is found there.
    """

    proxies: Words = Words()
    brings: Mapping[str, str] = {}
    each: list[str] = []


class Way(_Part):
    """A verb or word that is a way of another: to patrol is to look.

    Attributes:
        of: The verb or word it is read as.
        about: What it is about where a command names nothing of that kind: values by type.
    """

    of: str
    about: Mapping[str, str] = {}


class Slot(_Part):
    """Words that are taken as they stand: a question to be asked, a thing to be carried.

    Attributes:
        verbs: The verbs that take it.
        needed: Whether its verbs mean nothing without it.
        to: Types of values that may stand before it, or between it and its verb.
        passed: English: whether the one it is for may follow it: "the letter to the professor".
        ends: Korean: what it must end with, if given.
        never: Korean: what it never ends with.
        spoken: Korean: endings of reported speech, and how a sentence ends instead: 다고, 다.
        starts: English: what it must start with, if given.
        keeps: English: whether fillers at its end are part of it: "to call me".
        head: Words before it that are not part of it: ``about``.
        tail: Words after it that are not part of it: ``에 대해서``.
    """

    verbs: Phrases
    needed: bool = False
    passed: bool = False
    keeps: bool = False
    to: Phrases = []
    ends: Phrases = []
    never: Phrases = []
    spoken: Mapping[str, str] = {}
    starts: Phrases = []
    head: Words = Words()
    tail: Words = Words()


class Closing(_Part):
    """What ends a mission: the verbs or words that say so, and trees that need no such end."""

    said: Phrases
    unless: Phrases = []


class Leads(_Part):
    """English politeness that wants a verb after it, by the form it wants."""

    base: Phrases = []
    ing: Phrases = []


class Endings(_Part):
    """What may follow a Korean noun or verb; see the comments in ``common.yaml``."""

    particles: Phrases = []
    helpers: Phrases = []
    givers: Phrases = []
    do: Phrases = []
    request: Phrases = []
    then: Phrases = []
    ask: Phrases = []
    negated: Phrases = []
    limits: Mapping[str, Phrases] = {}


class Lexicon(_Part):
    """All words of a site."""

    verbs: Mapping[str, Words] = {}
    states: Mapping[str, Words] = {}
    nouns: Mapping[str, Words] = {}
    words: Mapping[str, Words] = {}
    ways: Mapping[str, Way] = {}
    alone: Mapping[str, Words] = {}
    values: Mapping[str, Mapping[str, Value]] = {}
    complements: list[str] = []
    lists: Mapping[str, Literal["each", "joined"]] = {}
    texts: Mapping[str, Slot] = {}
    closing: Mapping[str, Closing] = {}
    whole: Words = Words()
    pronouns: Words = Words()
    determiners: Words = Words()
    filler: Words = Words()
    loose: Words = Words()
    asides: Words = Words()
    function: Words = Words()
    leads: Leads = Leads()
    then: Words = Words()
    negation: Words = Words()
    negation_before_verb: Words = Words()
    limits: Mapping[str, Words] = {}
    endings: Endings = Endings()

    def concept(self, name: str) -> tuple[str, str]:
        """Return what a verb or word is read as, and which way of it it is, or ``""``."""
        way = self.ways.get(name)
        return (name, "") if way is None else (way.of, name)
