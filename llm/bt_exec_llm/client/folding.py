"""Normalisation of the case of language keys: ``Tree``, ``SEQUENCE``, ``skipIf``, ``skip-if``.

Only keys of the language are changed, never values, arguments of a skill, or names of skills,
conditions and parameters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bt_exec.spec.model import KINDS
from bt_exec.spec.modifiers import MODIFIERS
from bt_exec.spec.source import Place, Source

__all__ = ["SPEC_KEYS", "fold"]

SPEC_KEYS = ("tree", "mission", "summary", "utterances", "params", "returns", "otherwise", "root")
"""Keys that can start a tree or a mission."""

_MODIFIERS = ("name", *(one.name for one in MODIFIERS))
_NODE_KEYS = (*KINDS, *_MODIFIERS, "with", "save", "else", "tell", "succeed_when", "body")
_PARAM_KEYS = ("type", "default", "summary")
_OPERATORS = ("not", "all", "any")
_DEEPEST = 100


def fold(source: Source, keys: Sequence[str]) -> tuple[Source, tuple[str, ...]]:
    """Return the document with its keys in the case of the language, and a note if any changed.

    Args:
        source: The document; positions are kept.
        keys: Allowed keys of its top level; `SPEC_KEYS` for trees.
    """
    folder = _Folder()
    data = folder.mapping(source.data, (), keys)
    if not folder.renamed:
        return source, ()
    shown = ", ".join(sorted({f"{place[-1]} for {key}" for place, key in folder.renamed.items()}))
    marks = {folder.place(place): mark for place, mark in source.marks.items()}
    at_keys = {folder.place(place): mark for place, mark in source.keys.items()}
    note = f"keys in another case: {shown[:120]}"
    return replace(source, data=data, marks=marks, keys=at_keys), (note,)


class _Folder:
    """Walker over a document that records renamed keys by their original path."""

    def __init__(self) -> None:
        self.renamed: dict[Place, str] = {}

    def place(self, old: Place) -> Place:
        """Return the path with its keys folded."""
        parts = range(len(old))
        return tuple(self.renamed.get(old[: index + 1], old[index]) for index in parts)

    def mapping(self, data: Any, place: Place, known: Sequence[str]) -> Any:
        """Fold the keys of a mapping and of the values under known keys."""
        if not isinstance(data, dict) or len(place) > _DEEPEST:
            return data
        by_folded: dict[str, str] = {_folded(key): key for key in known}
        folded: dict[str, Any] = {}
        for key, value in data.items():
            new = str(key) if key in known else by_folded.get(_folded(key)) or str(key)
            if new in folded or (new != key and new in data):
                new = key
            if new != key:
                self.renamed[(*place, key)] = new
            folded[new] = self._below(new, value, (*place, key))
        return folded

    def _below(self, key: str, value: Any, place: Place) -> Any:
        if key in ("root", "body"):
            return self.mapping(value, place, _NODE_KEYS)
        if key in ("sequence", "fallback", "parallel") and isinstance(value, list):
            items = enumerate(value)
            return [self.mapping(item, (*place, index), _NODE_KEYS) for index, item in items]
        if key in ("skip_if", "while", "until", "check"):
            return self._condition(value, place)
        if key == "params" and isinstance(value, dict):
            return {
                name: self.mapping(param, (*place, name), _PARAM_KEYS)
                for name, param in value.items()
            }
        return value

    def _condition(self, value: Any, place: Place) -> Any:
        if not isinstance(value, dict) or len(value) != 1 or len(place) > _DEEPEST:
            return value
        (key, inner), here = next(iter(value.items())), (*place, next(iter(value)))
        new = key if key in _OPERATORS else key.casefold()
        if new not in _OPERATORS:
            return value
        if new != key:
            self.renamed[here] = new
        if isinstance(inner, list):
            below = [self._condition(item, (*here, index)) for index, item in enumerate(inner)]
            return {new: below}
        return {new: self._condition(inner, here)}


def _folded(key: str) -> str:
    """Return a key without case and separators; letters of other alphabets are unchanged."""
    return re.sub("[-_ ]", "", key).casefold() if key.isascii() else key
