"""Lexicon of the pack, and the reader of commands that uses it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from bt_exec.language.reading.meaning_to_sentence import Generator
from bt_exec.language.reading.reader import Reader
from bt_exec.spec.shipped_yaml import read_yaml
from bt_exec_skills.things.nouns import nouns, with_nouns

__all__ = ["first_word", "lexicon", "reader"]

_BODY = ("hand",)  # parts of the robot, which are not objects


@lru_cache(maxsize=32)
def lexicon(kinds: frozenset[str] = frozenset()) -> Mapping[str, Any]:
    """Return the lexicon of the pack as plain data.

    Args:
        kinds: Kinds of objects whose nouns are added from the nouns that all packs share.
    """
    own = _own_words()
    return {**own, "things": with_nouns(own["things"], own["things"].keys() | kinds)}


@cache
def _own_words() -> Mapping[str, Any]:
    return cast(Mapping[str, Any], read_yaml(Path(__file__).with_name("lexicon.yaml")))


@lru_cache(maxsize=32)
def reader(kinds: frozenset[str] = frozenset()) -> Reader:
    """Return the reader of commands for this pack.

    Args:
        kinds: Kinds of objects whose nouns are added from the nouns that all packs share.
    """
    return Reader([lexicon(kinds)])


@cache
def first_word(kind: str, value: str, language: str) -> str:
    """Return the first word of the lexicon for a value; empty if there is none.

    Args:
        kind: ``noun``, or the kind of an attribute.
        value: The kind of object, or the value of the attribute.
        language: ``en`` or ``ko``.
    """
    if kind == "noun":
        shared = nouns().get(value.replace("_", " "))
        entry = None if value in _BODY else lexicon()["things"].get(value, shared)
        return str(entry[language][0]).split("/")[0] if entry else ""
    entry = lexicon()["attributes"].get(value)
    if entry is None or entry["kind"] != kind:
        return ""
    return Generator(reader().lexicon(language)).attributive_word(value)
