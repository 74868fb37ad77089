"""Korean and English nouns for kinds of objects, shared by the lexicons of packs."""

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
    """Return the lexicon entry of each kind of object."""
    return cast(Mapping[str, Any], read_yaml(Path(__file__).with_name("nouns.yaml")))


def with_nouns(
    things: Mapping[str, Mapping[str, Any]], kinds: Iterable[str]
) -> dict[str, Mapping[str, Any]]:
    """Return the lexicon entries of a pack, extended by the shared nouns of some kinds.

    Args:
        things: Lexicon entries of the pack, by kind of object.
        kinds: Kinds whose shared nouns are added. Kinds without shared nouns are ignored.
    """
    found = dict(things)
    for kind in kinds:
        shared = nouns().get(kind.replace("_", " "))
        if shared is not None:
            own = things.get(kind, {})
            words = {one: [*shared[one], *own.get(one, ())] for one in _LANGUAGES}
            # Korean sentences may contain English nouns: "cup은 tray에" ("the cup onto the tray")
            words["ko"] += [word.partition("/")[0] for word in words["en"]]
            found[kind] = {**shared, **own, **words}
    return found


def kind_of_word(word: str) -> str | None:
    """Return the kind of object that an English or Korean word names, or None."""
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
