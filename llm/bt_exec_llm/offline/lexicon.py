"""The words of the offline compiler: those of the common language and of each pack together.

An author adds a noun, a verb or a value with its names in both languages; endings, particles,
orders and politeness follow from the grammar. A phrase may hold alternatives (see `phrases`). What
each section means is written beside it in ``configs/lexicon/common.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from bt_exec.failure import RegistrationError
from bt_exec_llm.offline.phrases import expand_phrase

__all__ = ["Closing", "Leads", "Lexicon", "Slot", "Talk", "Value", "Verb", "Way", "Words"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _expandable(phrase: str) -> str:
    """Return a phrase; raises ValueError if its brackets do not match."""
    try:
        expand_phrase(phrase)
    except RegistrationError as error:
        raise ValueError(str(error)) from None
    return phrase


Phrases = list[str]


class Words(_Part):
    """Phrases of both languages that mean the same. Korean verbs end in 다."""

    en: list[Annotated[str, AfterValidator(_expandable)]] = []
    ko: list[Annotated[str, AfterValidator(_expandable)]] = []


class Verb(Words):
    """A verb.

    Attributes:
        finds: ``look`` if it finds out what is asked after it (check whether), ``tell`` if it has
            it told (tell me whether).
        pairs: Whether it may be no act of its own: leave the door open, after a fetch.
        denied: Whether it is understood only where it is forbidden: do not touch it.
        idle: Whether it says to leave things as they are, in a branch of a condition.
        wishes: Whether it wants a state, and so the verb that leaves it: I need the door closed.
        result: The state that it leaves: whoever asks whether it was done asks for that.
        sums: Whether it puts together what was found or done, and is not about a place alone.
        usual: The noun it is about where none is named.
        asked_for: Whether it is what is wanted where only a thing is asked for: 자재 부탁합니다.
        stays: Whether it happens at a place, and leads nowhere: 라운지에서 기다려.
    """

    finds: Literal["", "look", "tell"] = ""
    usual: str = ""
    asked_for: bool = False
    stays: bool = False
    pairs: bool = False
    idle: bool = False
    sums: bool = False
    denied: bool = False
    wishes: bool = False
    result: str = ""


class Value(Words):
    """The phrases of a value.

    Attributes:
        holds: Phrases of it that say, in a condition, that it is so: there are people.
        fails: Phrases of it that say that it is not: nobody, dark. A condition with a phrase that
            is neither (crowded) cannot be decided.
        brings: Arguments that come with it, by the name of a parameter.
        each: The values it stands for, in order, if it is a word for several: everywhere.
        home: Whether missions end there: to come there says no more than to come.
        proxies: Phrases that name something else and can mean it, where nothing else makes sense:
            a place for whoever is found there.
        other: Whether it is a word for the one of the two others that was not meant last: the
            other arm.
    """

    proxies: Words = Words()
    holds: Words = Words()
    fails: Words = Words()
    brings: Mapping[str, str] = {}
    each: list[str] = []
    home: bool = False
    other: bool = False


class Way(_Part):
    """A verb that is a way of another: to patrol is to look.

    Attributes:
        of: The verb it is read as.
        about: What it is about where a command names nothing of that kind: values by type.
    """

    of: str
    about: Mapping[str, str] = {}


class Slot(_Part):
    """Words that are taken as they stand: a question to be asked, a thing to be carried.

    Attributes:
        verbs: The verbs that take it.
        shape: ``noun`` (no verb, condition, time, place, person or pronoun) or ``clause``.
        to: Types of values whom it may be addressed to.
        never: Nouns that are no such text: to give a hand is no delivery.
    """

    verbs: Phrases
    shape: Literal["noun", "clause"] = "clause"
    to: Phrases = []
    never: Words = Words()


class Talk(_Part):
    """Words that are no command: thanks, *again*, a question about the past (see `talk`).

    Attributes:
        needs: Phrases of which one must be there.
        beside: Words that may stand beside it; fillers, courtesy and articles always may.
        known: Whether things and actions of the site may stand beside it, too: why did you not open
            the door.
    """

    needs: Words = Words()
    beside: Words = Words()
    known: bool = False


class Closing(_Part):
    """What ends a mission: the verbs that say so, and trees that need no such end."""

    said: Phrases
    unless: Phrases = []


class Leads(_Part):
    """English politeness that wants a verb after it, by the form it wants."""

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
        """Names of parameters that values bring with them."""
        every = (value for values in self.values.values() for value in values.values())
        return frozenset(name for value in every for name in value.brings)

    @property
    def closing_verbs(self) -> frozenset[str]:
        """Verbs that end a mission."""
        return frozenset(verb for closing in self.closing.values() for verb in closing.said)

    def listed(self, how: str) -> frozenset[str]:
        """Types of values of which several become several parts (``each``) or one (``joined``)."""
        return frozenset(kind for kind, way in self.lists.items() if way == how)

    def concept(self, name: str) -> str:
        """Return the verb that `name` is read as."""
        way = self.ways.get(name)
        return name if way is None else way.of
