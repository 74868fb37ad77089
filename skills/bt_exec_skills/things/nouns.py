"""Nouns for objects in Korean and English, shared by the lexicons of packs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from bt_exec.language.reading.english_inflection import plural
from bt_exec.spec.shipped_yaml import read_yaml

__all__ = ["kind_of_word", "nouns", "with_nouns"]

_LANGUAGES = ("en", "ko")


@cache
def nouns() -> Mapping[str, Mapping[str, Any]]:
    """Return the words for each kind of object."""
    return cast(Mapping[str, Any], read_yaml(Path(__file__).with_name("nouns.yaml")))


def with_nouns(
    things: Mapping[str, Mapping[str, Any]], kinds: Iterable[str]
) -> dict[str, Mapping[str, Any]]:
    """Return the nouns of a pack with the shared words of some kinds.

    Args:
        things: The pack's own words by kind. They are added to the shared words of the kind.
        kinds: Kinds whose shared words are included. Kinds without shared words are ignored.
    """
    found = dict(things)
    for kind in kinds:
        shared = nouns().get(kind.replace("_", " "))
        if shared is not None:
            own = things.get(kind, {})
            words = {one: [*shared[one], *own.get(one, ())] for one in _LANGUAGES}
            words["ko"] += [word.partition("/")[0] for word in words["en"]]  # "cup은 tray에"
            found[kind] = {**shared, **own, **words}
    return found


def kind_of_word(word: str) -> str | None:
    """Return the kind of object that a word names in either language, or None."""
    return _kinds_by_word().get(word.casefold())


@cache
def _kinds_by_word() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for kind, entry in nouns().items():
        for word in (*entry["en"], *entry["ko"]):
            singular, _, irregular = word.partition("/")
            for form in (singular, irregular or plural(singular)):
                found.setdefault(form.casefold(), kind)
    return found
