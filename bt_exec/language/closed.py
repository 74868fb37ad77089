"""Closed word classes of each language, which lexicons cannot extend.

They are data in one file per language: ``closed_en.yaml`` and ``closed_ko.yaml``.
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
    """Return the words of a closed class of the command reader."""
    return tuple(closed_classes(language)["commands"][name])


def phrases(language: str, name: str) -> tuple[tuple[str, ...], ...]:
    """Return the phrases of a closed class, each as a tuple of words."""
    return tuple(tuple(phrase.split()) for phrase in words(language, name))


def mapping(language: str, name: str) -> Mapping[str, Any]:
    """Return the meanings of the words of a closed class."""
    return dict(closed_classes(language)["commands"][name])


def marks(language: str) -> Mapping[str, str]:
    """Return the relation to the verb that each particle or preposition expresses."""
    return {word: mark for mark, own in mapping(language, "marks").items() for word in own}


def numbers(language: str) -> Mapping[str, int]:
    """Return the numbers of a language, from one to ten and the tens, by word."""
    values = closed_classes(language)["values"]
    said = {
        word: number
        for section in ("number", "tens")
        for number, own in values[section].items()
        for word in own
        if number
    }
    return {**said, **mapping(language, "numbers")}
