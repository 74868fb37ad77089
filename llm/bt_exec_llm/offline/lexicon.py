"""Lexicon of the offline compiler: the common words of both languages and those of each pack.

An author adds nouns, verbs and values with their names in both languages; the grammar adds endings,
particles, orders and politeness. A phrase may contain alternatives (see `phrases`). Each section is
described in ``configs/lexicon/common.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict

from bt_exec.failure import RegistrationError
from bt_exec.language.messages import language_of
from bt_exec.language.phrases import expand_phrase
from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.typed_text import Text

__all__ = ["SAYING", "Closing", "Leads", "Lexicon", "Slot", "Talk", "Value", "Verb", "Way", "Words"]


SAYING = "say:"
"""Prefix of the verbs of `Lexicon.with_sayings`, before the name of a tree."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _check_brackets(phrase: str) -> str:
    """Return a phrase; raise ValueError if its brackets do not match."""
    try:
        expand_phrase(phrase)
    except RegistrationError as error:
        raise ValueError(str(error)) from None
    return phrase


Phrases = list[str]


class Words(_Part):
    """Synonymous phrases in both languages. Korean verbs end in 다."""

    en: list[Annotated[str, AfterValidator(_check_brackets)]] = []
    ko: list[Annotated[str, AfterValidator(_check_brackets)]] = []

    def phrases(self) -> tuple[str, ...]:
        """Return the phrases of both languages."""
        return (*self.en, *self.ko)

    def expanded(self) -> list[str]:
        """Return the phrases of both languages without brackets, each of their forms."""
        return [one for phrase in self.phrases() for one in expand_phrase(phrase)]

    def without_spaces(self) -> frozenset[str]:
        """Return the phrases of both languages in the spelling of the reading engine."""
        return frozenset("".join(one.split()) for one in self.expanded())


class Verb(Words):
    """A verb.

    Attributes:
        finds: ``look`` if it observes (check whether), ``tell`` if it asks for a report (tell me
            whether); otherwise empty.
        pairs: Whether it may be an addition to another act (leave the door open, after a fetch).
        denied: Whether it is understood only in a prohibition (do not touch it).
        rescues: Whether it is understood only as what to do if the act before it fails (bring it
            back).
        idle: Whether it asks to leave things as they are, in a branch of a condition.
        wishes: Whether it expresses a desired state (I need the door closed).
        result: State after the action; a question whether it was done asks for this state.
        sums: Whether it summarises results or actions, independent of a place.
        usual: Default noun.
        asked_for: Whether it is meant if only an object is named (자재 부탁합니다).
        stays: Whether it happens at a place and does not go there (라운지에서 기다려).
    """

    finds: Literal["", "look", "tell"] = ""
    usual: str = ""
    asked_for: bool = False
    stays: bool = False
    pairs: bool = False
    idle: bool = False
    sums: bool = False
    denied: bool = False
    rescues: bool = False
    wishes: bool = False
    result: str = ""


class Value(Words):
    """Phrases of a value.

    Attributes:
        holds: Phrases that affirm it in a condition (there are people).
        fails: Phrases that deny it in a condition (empty, dark). A condition with any other phrase
            (crowded) cannot be decided.
        more: Further phrases whose comparative means more of it, as that of `holds` does.
        less: Further phrases whose comparative means less of it, as that of `fails` does.
        brings: Arguments that the value implies, by parameter name.
        each: The values of a word for several (everywhere), in order.
        home: Whether missions end there, so that coming there is no extra step.
        proxies: Phrases of another value that can stand for it, such as a place for the person
            there.
        other: Whether it means the value that was not used last (the other arm).
        after: The values that it means, by the value that was named before (the other end).
        parts: The values that it consists of: without one of them, the others are meant.
    """

    proxies: Words = Words()
    holds: Words = Words()
    fails: Words = Words()
    more: Words = Words()
    less: Words = Words()
    brings: Mapping[str, str] = {}
    each: list[str] = []
    home: bool = False
    other: bool = False
    after: Mapping[str, str] = {}
    parts: list[str] = []

    @property
    def plain(self) -> bool:
        """Whether the value is independent of previously named values."""
        return not (self.other or self.each or self.after)


class Way(_Part):
    """A verb that is a special case of another (to patrol is to look).

    Attributes:
        of: The general verb.
        about: Default values by type, for commands that name none.
    """

    of: str
    about: Mapping[str, str] = {}


class Slot(_Part):
    """Free text that a verb takes, such as a question to ask or an item to carry.

    Attributes:
        verbs: Verbs that take it.
        shape: ``noun`` (without verb, condition, time, place, person or pronoun), ``clause``, or
            ``question`` for a clause that need not be quoted.
        to: Types of values that it may be addressed to.
        never: Nouns that are excluded (to give a hand is not a delivery).
    """

    verbs: Phrases
    shape: Literal["noun", "clause", "question"] = "clause"
    to: Phrases = []
    never: Words = Words()


class Compared(_Part):
    """Aspects by which places are compared.

    Attributes:
        of: The values that have an order, by type: ``Aspect: [people, light]``.
        among: Tree that compares everything that was observed.
        two: Tree that observes two places and decides whether the first has more.
    """

    of: Mapping[str, Phrases]
    among: str
    two: str


class Talk(_Part):
    """Phrases that are not commands: thanks, "again", questions about the past (see `talk`).

    Attributes:
        needs: Phrases of which one is required.
        beside: Further allowed words. Fillers, politeness and articles are always allowed.
        known: Whether the names and actions of the site are allowed, too (why did you not open the
            door).
    """

    needs: Words = Words()
    beside: Words = Words()
    known: bool = False


class Closing(_Part):
    """The end of a mission: its verbs, and the trees that already include such an end."""

    said: Phrases
    unless: Phrases = []


class Leads(_Part):
    """English polite phrases by the verb form that they require."""

    base: Phrases = []
    ing: Phrases = []
    any: Phrases = []


class Lexicon(_Part):
    """All words of a site."""

    verbs: Mapping[str, Verb] = {}
    states: Mapping[str, Words] = {}
    nouns: Mapping[str, Words] = {}
    ways: Mapping[str, Way] = {}
    alone: Mapping[str, Words] = {}
    values: Mapping[str, Mapping[str, Value]] = {}
    lists: Mapping[str, Literal["each", "joined"]] = {}
    texts: Mapping[str, Slot] = {}
    closing: Mapping[str, Closing] = {}
    follows: Phrases = []
    decides: Mapping[str, Mapping[str, str]] = {}
    counted: Mapping[str, Phrases] = {}
    compares: Compared | None = None
    past: Phrases = []
    relations: Mapping[str, Words] = {}
    whole: Words = Words()
    me: Words = Words()
    pronouns: Words = Words()
    determiners: Words = Words()
    filler: Words = Words()
    courtesy: Words = Words()
    vocative: Words = Words()
    leads: Leads = Leads()
    talk: Mapping[str, Talk] = {}
    limits: Mapping[str, Words] = {}
    spellings: Mapping[str, Mapping[str, str]] = {}
    dialects: Mapping[str, Mapping[str, str]] = {}

    @property
    def people(self) -> frozenset[str]:
        """Types of values that a text may be addressed to."""
        return frozenset(kind for slot in self.texts.values() for kind in slot.to)

    @property
    def brought(self) -> frozenset[str]:
        """Names of parameters that values imply."""
        every = (value for values in self.values.values() for value in values.values())
        return frozenset(name for value in every for name in value.brings)

    @cached_property
    def stand_ins(self) -> Mapping[tuple[str, str], str]:
        """Values for which another value can stand, by that value: ``Person=anna|…``."""
        said = {
            phrase.casefold(): (kind, name)
            for kind, values in self.values.items()
            for name, value in values.items()
            for phrase in value.expanded()
        }
        found: dict[tuple[str, str], list[str]] = {}
        for kind, values in self.values.items():
            for name, value in values.items():
                others = {said.get(phrase.casefold()) for phrase in value.proxies.expanded()}
                for other in others - {None}:
                    found.setdefault(cast(tuple[str, str], other), []).append(f"{kind}={name}")
        return {value: "|".join(others) for value, others in found.items()}

    @property
    def closing_verbs(self) -> frozenset[str]:
        """Verbs that end a mission."""
        return frozenset(verb for closing in self.closing.values() for verb in closing.said)

    @property
    def taking_verbs(self) -> frozenset[str]:
        """Verbs that take a text."""
        return frozenset(verb for slot in self.texts.values() for verb in slot.verbs)

    def with_sayings(self, utterances: Mapping[str, list[str]]) -> Lexicon:
        """Return the lexicon with a verb for each tree, whose phrases are its utterances.

        Args:
            utterances: Utterances with separate words, by tree.
        """
        said = {
            f"{SAYING}{tree}": Verb(
                en=[_spelt_words(one) for one in texts if language_of(one) == "en"],
                ko=[_spelt_words(one) for one in texts if language_of(one) == "ko"],
            )
            for tree, texts in utterances.items()
        }
        return self.model_copy(update={"verbs": {**self.verbs, **said}})

    def names_in(self, text: str) -> list[str]:
        """Return the English names of objects, values and states that a text contains."""
        found = self._english_names.findall(f" {text.casefold()} ")
        return [name for name in found if name]

    @cached_property
    def _english_names(self) -> re.Pattern[str]:
        every = [*self.nouns.values(), *self.states.values()]
        every += [value for values in self.values.values() for value in values.values()]
        names = {one for words in every for phrase in words.en for one in expand_phrase(phrase)}
        longest = sorted(map(re.escape, names), key=len, reverse=True)
        return re.compile(rf"\b({'|'.join(longest)})\b" if longest else r"(?!)")

    def list_types(self, how: str) -> frozenset[str]:
        """Types whose several values become several parts (``each``) or one (``joined``)."""
        return frozenset(kind for kind, way in self.lists.items() if way == how)

    def values_within(self, kind: str, name: str) -> frozenset[str]:
        """Return the values that a value stands for or consists of, at any depth."""
        value = self.values.get(kind, {}).get(name, Value())
        own = (*value.each, *value.parts)
        return frozenset(own).union(*(self.values_within(kind, one) for one in own))

    def general_verb(self, name: str) -> str:
        """Return the general verb of `name`."""
        way = self.ways.get(name)
        return name if way is None else way.of


def _spelt_words(text: str) -> str:
    """Return the words of a text as the reading engine spells them."""
    contractions = language_data(language_of(text)).get("contractions", {})
    spelt = Text.of(text, contractions)
    return " ".join(spelt.chars[start:end] for start, end in spelt.words)
