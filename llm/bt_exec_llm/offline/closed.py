"""Closed classes of words, by language: what a grammar names and no lexicon adds to.

They are data: ``grammar/english.yaml`` and ``grammar/korean.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bt_exec.spec.plain_yaml import parse_yaml

__all__ = ["mapping", "marks", "phrases", "words"]


@cache
def _tables(language: str) -> Mapping[str, Any]:
    text = Path(__file__).with_name("grammar").joinpath(f"{language}.yaml").read_text("utf-8")
    tables: Mapping[str, Any] = parse_yaml(text)
    return tables


def words(language: str, name: str) -> tuple[str, ...]:
    """Return the words of a class."""
    return tuple(_tables(language)[name])


def phrases(language: str, name: str) -> tuple[tuple[str, ...], ...]:
    """Return the phrases of a class, each as its words."""
    return tuple(tuple(phrase.split()) for phrase in _tables(language)[name])


def mapping(language: str, name: str) -> Mapping[str, Any]:
    """Return what the words of a class stand for."""
    return dict(_tables(language)[name])


def marks(language: str) -> Mapping[str, str]:
    """Return how particles and prepositions join a phrase to its verb."""
    found: Mapping[str, list[str]] = _tables(language)["marks"]
    return {word: mark for mark, words in found.items() for word in words}
