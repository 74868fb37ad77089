"""The words of the offline compiler: files of the common language and of each pack, as one lexicon.

A phrase may hold alternatives: ``(right|just) now`` and ``[over] here`` stand for all their
expansions. What each section means is written beside it in ``configs/lexicon/common.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from bt_exec.failure import RegistrationError, nearest

__all__ = [
    "Closing",
    "Endings",
    "Leads",
    "Lexicon",
    "Slot",
    "Value",
    "Way",
    "Words",
    "expand_phrase",
    "load_lexicon",
    "with_words",
]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INNERMOST = re.compile(r"\(([^()\[\]]*)\)|\[([^()\[\]]*)\]")
_MOST = 400
_MARKS = "()[]|"


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
        starts: English: what it must start with, if given.
        head: Words before it that are not part of it: ``about``.
        tail: Words after it that are not part of it: ``에 대해서``.
    """

    verbs: Phrases
    needed: bool = False
    passed: bool = False
    to: Phrases = []
    ends: Phrases = []
    never: Phrases = []
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


@lru_cache(maxsize=4096)
def expand_phrase(phrase: str) -> tuple[str, ...]:
    """Return every phrase that ``(a|b) [c] d`` stands for.

    Raises:
        RegistrationError: If brackets do not match or there are more than 400 expansions.
    """
    if not any(mark in phrase for mark in _MARKS):
        text = " ".join(phrase.split())
        return (text,) if text else ()
    todo, found = [phrase], []
    while todo:
        text = todo.pop()
        match = _INNERMOST.search(text)
        if match is None:
            found.append(" ".join(text.split()))
        else:
            options = (match[1] if match[1] is not None else match[2] + "|").split("|")
            before, after = text[: match.start()], text[match.end() :]
            todo.extend(before + option + after for option in options)
        if len(todo) + len(found) > _MOST:
            raise RegistrationError(f"phrase {phrase!r} stands for more than {_MOST} phrases")
    if any(mark in text for text in found for mark in _MARKS):
        raise RegistrationError(f"phrase {phrase!r}: brackets do not match")
    return tuple(dict.fromkeys(text for text in reversed(found) if text))


def _merge(left: Any, right: Any) -> Any:
    """Return two sections as one: mappings by key, lists one after the other."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        both = dict(left)
        for key, value in right.items():
            both[key] = _merge(both[key], value) if key in both else value
        return both
    if isinstance(left, list) and isinstance(right, list):
        return [*left, *right]
    return right


@lru_cache(maxsize=16)
def load_lexicon(paths: tuple[Path, ...]) -> Lexicon:
    """Return the lexicon of all files in `paths`.

    Raises:
        RegistrationError: If a file is missing or is no lexicon; names file, place and reason.
    """
    merged: Any = {}
    for path in paths:
        try:
            data = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER) or {}  # noqa: S506 - the safe loader, in C
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise RegistrationError(f"{path}: cannot be read as a lexicon: {error}") from error
        try:
            Lexicon.model_validate(data)
        except ValidationError as error:
            raise RegistrationError(f"{path}: {_reasons(error)}") from None
        merged = _merge(merged, data)
    return Lexicon.model_validate(merged)


@lru_cache(maxsize=16)
def with_words(paths: tuple[Path, ...], more: tuple[tuple[str, str], ...]) -> Lexicon:
    """Return the lexicon of `paths` with further sections: pairs of an owner and YAML or JSON text.

    Raises:
        RegistrationError: As `load_lexicon`, naming the owner, or if a way is one of no verb.
    """
    merged: Any = load_lexicon(paths).model_dump()
    for owner, text in more:
        data = yaml.load(text, Loader=_LOADER) or {}  # noqa: S506 - the safe loader, in C
        try:
            Lexicon.model_validate(data)
        except ValidationError as error:
            raise RegistrationError(f"words of {owner}: {_reasons(error)}") from None
        merged = _merge(merged, data)
    lexicon = Lexicon.model_validate(merged)
    for name, way in lexicon.ways.items():
        if way.of not in lexicon.verbs:
            near = ", ".join(nearest(way.of, lexicon.verbs))
            raise RegistrationError(f"ways.{name}.of: there is no verb {way.of!r}; nearest: {near}")
    return lexicon


def _reasons(error: ValidationError) -> str:
    """Return pydantic's findings as one line for the author of the file."""
    found: Iterable[str] = (
        ".".join(map(str, finding["loc"])) + ": " + finding["msg"] for finding in error.errors()
    )
    return "; ".join(found)
