"""Words of questions about pictures: the pack's lexicon and its reader."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from bt_exec.language.reading.meaning_to_sentence import Generator
from bt_exec.language.reading.reader import Reader
from bt_exec.spec.shipped_yaml import read_yaml
from bt_exec_skills.things.nouns import nouns, with_nouns

__all__ = ["attribute_words", "generator", "names_of_each", "object_name", "object_names", "reader"]

_SPELLINGS = ("en", "ko", "written")


@lru_cache(maxsize=1)
def lexicon() -> Mapping[str, Any]:
    """Return the pack's lexicon as plain data."""
    own = cast(Mapping[str, Any], read_yaml(Path(__file__).with_name("lexicon.yaml")))
    return {**own, "things": with_nouns(own["things"], nouns())}


@lru_cache(maxsize=1)
def reader() -> Reader:
    """Return the reader of questions about pictures."""
    return Reader([lexicon()])


@lru_cache(maxsize=2)
def generator(language: str) -> Generator:
    """Return the text generator of a language, ``en`` or ``ko``."""
    return Generator(reader().lexicon(language))


def object_names(thing: str) -> frozenset[str]:
    """Return all names of an object in both languages, including its label, in lower case."""
    entry = lexicon()["things"].get(thing, {})
    words = (word for key in _SPELLINGS for word in entry.get(key, ()))
    return frozenset({thing.lower(), *(form for word in words for form in word.split("/"))})


def names_of_each(things: str) -> list[list[str]]:
    """Return the sorted names of each object in a list separated by ``|``; [] for an empty list."""
    return [sorted(object_names(one)) for one in things.split("|") if one]


def object_name(thing: str, language: str) -> str:
    """Return the name of an object in a language; a name outside the lexicon is not changed."""
    word = lexicon()["things"].get(thing.lower(), {}).get(language, [thing])[0]
    return str(word).partition("/")[0]


def attribute_words(name: str, language: str) -> str:
    """Return the words for an attribute or a relation."""
    if name in lexicon()["attributes"]:
        return generator(language).attribute_name(name)
    return str(lexicon()["relations"].get(name, {}).get(language, [name])[0])
