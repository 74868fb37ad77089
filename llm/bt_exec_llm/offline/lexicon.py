"""Lexicon of the offline compiler: English and Korean words of the language and of each pack.

Authors of packs list nouns, verbs and values with their names in both languages. The grammar adds
endings, particles, word orders and polite forms. A phrase may contain alternatives in brackets (see
`expand_phrase`). Each section is described in ``configs/lexicon/common.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict

from bt_exec.failure import RegistrationError
from bt_exec.language.messages import language_of
from bt_exec.language.phrase_alternatives import expand_phrase
from bt_exec.language.reading.lexicon import load_language
from bt_exec.language.reading.normalized_text import Text

__all__ = [
    "SAYING",
    "Closing",
    "Included",
    "Leads",
    "Lexicon",
    "Slot",
    "Talk",
    "Value",
    "Verb",
    "VerbSpecialization",
    "Words",
]


SAYING = "say:"
"""Prefix of the verbs of `Lexicon.with_utterances`, before the name of a tree."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _check_brackets(phrase: str) -> str:
    """Return a phrase unchanged; raise ValueError if its brackets do not match."""
    try:
        expand_phrase(phrase)
    except RegistrationError as error:
        raise ValueError(str(error)) from None
    return phrase


Phrases = list[str]


class Words(_Part):
    """Synonymous phrases in English and Korean; Korean verbs are in dictionary form (다)."""

    en: list[Annotated[str, AfterValidator(_check_brackets)]] = []
    ko: list[Annotated[str, AfterValidator(_check_brackets)]] = []

    def phrases(self) -> tuple[str, ...]:
        """Return the phrases of both languages."""
        return (*self.en, *self.ko)

    def expanded(self) -> list[str]:
        """Return the phrases of both languages in all forms that their brackets allow."""
        return [one for phrase in self.phrases() for one in expand_phrase(phrase)]

    @cached_property
    def without_spaces(self) -> frozenset[str]:
        """All forms of the phrases of both languages, without spaces."""
        return frozenset("".join(one.split()) for one in self.expanded())


class Verb(Words):
    """Verb with its phrases and its role in commands.

    Attributes:
        finds: ``look`` if the verb asks for an observation (check whether), ``tell`` if it asks
            for a report (tell me whether); otherwise empty.
        pairs: Whether it can add a detail to the act before it ("get the material, and leave the
            door open").
        denied: Whether it is understood only in a prohibition (do not touch it).
        part_of: Verb of an act that includes this one: "get it; if you can't reach it, …".
        rescues: Whether it is understood only as the reaction to a failure of the previous act
            (bring it back).
        idle: Whether it means to leave things as they are, as one branch of a condition.
        wishes: Whether it expresses a desired state (I need the door closed).
        result: State after the action. A question whether the action was done asks for this state.
        sums: Whether it summarises results or actions of all places.
        usual: Default noun.
        asked_for: Whether it is the verb of a command that only names an object (a box, please).
        announces: Whether its text is for the people at the place (say "dinner is ready").
        stays: Whether the action happens at a place without going there (wait in the lounge).
        fetches: Whether it brings an object here. A place, or a person with a Korean particle of
            direction, is then the giver ("교수님께 서류 받아 와", "get the papers from the
            professor").
        ranks: Whether the place where it happens is only the ``first`` or ``last`` one of several
            (begin your round in the lounge).
    """

    finds: Literal["", "look", "tell"] = ""
    usual: str = ""
    asked_for: bool = False
    stays: bool = False
    announces: bool = False
    pairs: bool = False
    idle: bool = False
    sums: bool = False
    denied: bool = False
    rescues: bool = False
    part_of: str = ""
    fetches: bool = False
    ranks: Literal["", "first", "last"] = ""
    wishes: bool = False
    result: str = ""


class Value(Words):
    """Value of a type, with its phrases.

    Attributes:
        holds: Phrases that affirm the value in a condition (there are people).
        fails: Phrases that deny the value in a condition (empty, dark). A condition with any other
            phrase (crowded) cannot be decided.
        others: Phrases that affirm it for persons whom the site does not know (visitors). Their
            trees in `Lexicon.decides` have the key of the value followed by ``/others``.
        more: Further phrases whose comparative means more of the value, as in `holds`.
        less: Further phrases whose comparative means less of the value, as in `fails`.
        brings: Arguments that the value implies, by parameter name.
        each: Values that a word for several values stands for (everywhere), in order.
        home: Whether missions end at this place, so that coming there is no separate step.
        proxies: Phrases of another value that can stand for this one, such as a place for the
            person who works there.
        other: Whether it means the value that was not used last (the other arm).
        after: Values that it stands for, by the value that was named before (the other end). The
            empty key is for commands without such a value.
        parts: Values that it consists of. If one of them is excluded, the others are meant.
    """

    proxies: Words = Words()
    holds: Words = Words()
    fails: Words = Words()
    others: Words = Words()
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
        """Whether the meaning of the value is independent of previously named values."""
        return not (self.other or self.each or self.after)


class State(Words):
    """State of an object, with its phrases.

    Attributes:
        usual: Noun that a question about the state means if it names no object (is it ajar).
    """

    usual: str = ""


class VerbSpecialization(_Part):
    """Verb that is a special case of another one, such as patrolling, a kind of looking.

    Attributes:
        of: The general verb.
        about: Default values by type, for commands without a value of the type.
        then: Verb of a further act that it includes, as a round trip includes the way back.
        whole: Whether the default values are also meant after a drive to one of them.
    """

    of: str
    about: Mapping[str, str] = {}
    then: str = ""
    whole: bool = False


class Slot(_Part):
    """Kind of free text that a verb takes, such as a question to ask or an item to carry.

    Attributes:
        verbs: Verbs that take such a text.
        shape: ``noun`` for a phrase without verb, condition, time, place, person or pronoun;
            ``clause``; or ``question`` for a clause that need not be quoted.
        to: Types of the values that may be its recipient.
        present: Value, by type, that stands for the people at a place as its recipients.
        never: Nouns that are not a text of this kind ("give me a hand" is not a delivery).
        giver: Type of the person or place from which a carried object is taken.
    """

    verbs: Phrases
    shape: Literal["noun", "clause", "question"] = "clause"
    to: Phrases = []
    present: Mapping[str, str] = {}
    never: Words = Words()
    giver: str = ""


class Compared(_Part):
    """Aspects by which places are compared.

    Attributes:
        of: Values that can be compared, by type, such as ``Aspect: [people, light]``.
        among: Tree that compares all observed places.
        two: Tree that observes two places and decides whether the first has more.
    """

    of: Mapping[str, Phrases]
    among: str
    two: str


class Talk(_Part):
    """Phrases that are not commands: thanks, "again", questions about the past (see `talk`).

    Attributes:
        needs: Phrases, of which the text must contain one.
        also: Further phrases; if there are any, the text must contain one of them, too.
        beside: Further words that the text may contain. Fillers, polite phrases and articles are
            always allowed.
        asked: Further words that it may contain if it ends with a question mark.
        known: Whether the text may contain names and actions of the site (why did you not open the
            door).
        past: Whether a Korean verb for an action of the site in the past counts as one of the
            required phrases, and no such verb may be in the present ("문 열었어?", "did you open
            the door?").
    """

    needs: Words = Words()
    also: Words = Words()
    beside: Words = Words()
    asked: Words = Words()
    known: bool = False
    past: bool = False


class Closing(_Part):
    """End of a mission: the verbs that express it, and the trees that already include it."""

    said: Phrases
    unless: Phrases = []


class Included(_Part):
    """Act that a tree includes, for commands that state the act themselves.

    Attributes:
        act: Tree of the act.
        opposites: Trees after which the act is omitted if the command requests it only for the
            other case ("open the door, take the box if it is there, otherwise close the door").
        parameters: For each parameter of the act, the parameter of the tree that receives its
            value.
        without: Tree that does the same without the act.
    """

    act: str
    opposites: Phrases = []
    parameters: Mapping[str, str] = {}
    without: str


class Leads(_Part):
    """English polite phrases, by the form of the verb that follows them."""

    base: Phrases = []
    ing: Phrases = []
    any: Phrases = []


class Lexicon(_Part):
    """Lexicon with all words of a site."""

    verbs: Mapping[str, Verb] = {}
    states: Mapping[str, State] = {}
    nouns: Mapping[str, Words] = {}
    ways: Mapping[str, VerbSpecialization] = {}
    alone: Mapping[str, Words] = {}
    values: Mapping[str, Mapping[str, Value]] = {}
    lists: Mapping[str, Literal["each", "joined"]] = {}
    texts: Mapping[str, Slot] = {}
    closing: Mapping[str, Closing] = {}
    includes: Mapping[str, Included] = {}
    follows: Phrases = []
    decides: Mapping[str, Mapping[str, str]] = {}
    counted: Mapping[str, Phrases] = {}
    compares: Compared | None = None
    answered: str = ""
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
    def recipient_types(self) -> frozenset[str]:
        """Types of the values that may be the recipient of a text."""
        return frozenset(kind for slot in self.texts.values() for kind in slot.to)

    @property
    def implied_parameters(self) -> frozenset[str]:
        """Names of the parameters for which some value implies an argument."""
        every = (value for values in self.values.values() for value in values.values())
        return frozenset(name for value in every for name in value.brings)

    @cached_property
    def value_phrases(self) -> frozenset[str]:
        """All forms of the phrases of all values."""
        named = (one for values in self.values.values() for one in values.values())
        return frozenset(said for one in named for said in one.expanded())

    @cached_property
    def stand_ins(self) -> Mapping[tuple[str, str], str]:
        """Values that another value can stand for (``Person=anna|…``).

        The keys are the type and name of that other value.
        """
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
    def mission_ending_verbs(self) -> frozenset[str]:
        """Verbs that end a mission."""
        return frozenset(verb for closing in self.closing.values() for verb in closing.said)

    @property
    def announcing(self) -> frozenset[str]:
        """Verbs that state a text without a named recipient; see `Verb.announces`."""
        return frozenset(name for name, verb in self.verbs.items() if verb.announces)

    @property
    def verbs_with_text(self) -> frozenset[str]:
        """Verbs that take a free text; see `Slot`."""
        return frozenset(verb for slot in self.texts.values() for verb in slot.verbs)

    def with_utterances(self, utterances: Mapping[str, list[str]]) -> Lexicon:
        """Return the lexicon with one more verb for each tree, with its utterances as phrases.

        Args:
            utterances: Utterances that the grammar cannot convert to steps, by name of the tree.
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
        """Return the types whose lists of values trees take in the given form.

        Args:
            how: ``each`` for one value at a time, ``joined`` for all values in one text.
        """
        return frozenset(kind for kind, way in self.lists.items() if way == how)

    def values_within(self, kind: str, name: str) -> frozenset[str]:
        """Return the values that a value stands for or consists of, recursively."""
        value = self.values.get(kind, {}).get(name, Value())
        own = (*value.each, *value.parts)
        return frozenset(own).union(*(self.values_within(kind, one) for one in own))

    def known_verbs(self, names: Iterable[str]) -> list[Verb]:
        """Return the verbs of the lexicon among `names`, which may include those of the engine."""
        return [self.verbs[name] for name in names if name in self.verbs]

    def general_verb(self, name: str) -> str:
        """Return the verb of which `name` is a special case, or `name`."""
        way = self.ways.get(name)
        return name if way is None else way.of


def _spelt_words(text: str) -> str:
    """Return a text in the spelling of the reading engine, with single spaces between words."""
    spelt = Text.of(text, load_language(language_of(text)).contractions)
    return " ".join(spelt.chars[start:end] for start, end in spelt.words)
