"""Closed classes of words, by language: what a language has and no lexicon adds to.

They are data, one file a language: ``closed_en.yaml`` and ``closed_ko.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from bt_exec.spec.plain_yaml import read_yaml

__all__ = ["CLOSED_FILES", "closed_classes", "mapping", "marks", "numbers", "phrases", "words"]

CLOSED_FILES = tuple(
    Path(__file__).with_name(f"closed_{language}.yaml") for language in ("en", "ko")
)


@cache
def closed_classes(language: str) -> Mapping[str, Any]:
    """Return the closed classes of a language, ``ko`` or ``en``, by their sections."""
    path = Path(__file__).with_name(f"closed_{language}.yaml")
    return cast(Mapping[str, Any], read_yaml(path))


def words(language: str, name: str) -> tuple[str, ...]:
    """Return the words of a class of the reader of commands."""
    return tuple(closed_classes(language)["commands"][name])


def phrases(language: str, name: str) -> tuple[tuple[str, ...], ...]:
    """Return the phrases of such a class, each as its words."""
    return tuple(tuple(phrase.split()) for phrase in words(language, name))


def mapping(language: str, name: str) -> Mapping[str, Any]:
    """Return what the words of such a class stand for."""
    return dict(closed_classes(language)["commands"][name])


def marks(language: str) -> Mapping[str, str]:
    """Return how particles and prepositions join a phrase to its verb."""
    return {word: mark for mark, own in mapping(language, "marks").items() for word in own}


def numbers(language: str) -> Mapping[str, int]:
    """Return the numbers of a language, from one to ten and the tens, by their words."""
    values = closed_classes(language)["values"]
    said = {
        word: number
        for section in ("number", "tens")
        for number, own in values[section].items()
        for word in own
        if number
    }
    return {**said, **mapping(language, "numbers")}
