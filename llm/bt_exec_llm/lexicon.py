"""The words of the offline compiler: files of the common language and of each pack, as one lexicon.

A phrase may hold alternatives: ``(right|just) now`` and ``[over] here`` stand for all their
expansions. What each section means is written beside it in ``configs/lexicon/common.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from bt_exec.failure import RegistrationError

__all__ = ["Endings", "Leads", "Lexicon", "Words", "expand_phrase", "load_lexicon"]

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
    values: Mapping[str, Mapping[str, Words]] = {}
    complements: list[str] = []
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


def _reasons(error: ValidationError) -> str:
    """Return pydantic's findings as one line for the author of the file."""
    found: Iterable[str] = (
        ".".join(map(str, finding["loc"])) + ": " + finding["msg"] for finding in error.errors()
    )
    return "; ".join(found)
