"""Patterns over Korean morphemes, as data: ``closed_ko.yaml`` has tables of them.

A pattern is a row of items before an arrow, and what they mean behind it::

    "ᆯ|을/ETM 때|경우/NNG|NNB /JX|JKB* -> if"
    "면|으면 안 <되> -> command negative"

An item is a morpheme by its forms, its tags or both; ``@name`` stands for a class of words, ``.``
for any morpheme, ``VERB`` for the beginning of a verb, ``END`` for the place behind the last one.
``*`` takes several or none, ``?`` one or none; ``=`` and ``!`` look ahead, ``(…)`` looks back;
``+`` adjoins what is before it, ``_`` stands after a space. ``<form: tests>`` takes a verb,
``{tests}`` tests the verb whose ending is read: ``+past``, ``-past``, ``kind=if|embed``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

from bt_exec.language.closed import words
from bt_exec_llm.offline.kiwi import Morph
from bt_exec_llm.offline.korean_stems import Verb, is_verb, morpheme_at

__all__ = ["Item", "Pattern", "ReadVerb", "match_items", "patterns_at"]

_ITEM = re.compile(r"<[^>]*>|\{[^}]*\}|\S+")
_VERB, _END = "VERB", "END"
_HOW = "=!+_("

ReadVerb: TypeAlias = Callable[[Sequence[Morph], int], tuple[Verb, int]]


class _Test(NamedTuple):
    """Test of a verb attribute: one of several values, or true."""

    name: str
    values: frozenset[str]
    holds: bool

    def holds_for(self, verb: Verb) -> bool:
        """Return True if the test holds for a verb."""
        found = verb.stems[-1] if self.name == "stem" else getattr(verb, self.name)
        return (found in self.values if self.values else bool(found)) == self.holds


class Item(NamedTuple):
    """An item of a pattern; see the module docstring."""

    forms: frozenset[str]
    tags: tuple[str, ...]
    how: str = ""
    tests: tuple[_Test, ...] = ()

    def matches_at(self, every: Sequence[Morph], at: int) -> bool:
        """Return True if the item matches at a position."""
        one = morpheme_at(every, at) if at >= 0 else None
        if one is None:
            return _END in self.tags
        if self.forms and one.form not in self.forms:
            return False
        if self.how in ("+", "_") and (one.start > every[at - 1].end) != (self.how == "_"):
            return False
        plain = tuple(tag for tag in self.tags if tag not in (_VERB, _END))
        return (
            not self.tags
            or one.tag.startswith(plain)
            or (_VERB in self.tags and is_verb(every, at))
        )


class Pattern(NamedTuple):
    """A pattern: its items, and its result."""

    items: tuple[Item, ...]
    means: tuple[str, ...]

    @property
    def first(self) -> Item:
        """Item that the pattern begins with."""
        return next(item for item in self.items if item.how != "(")._replace(how="")


@lru_cache(maxsize=4096)
def patterns_at(table: str, form: str, tag: str) -> tuple[Pattern, ...]:
    """Return the patterns of a table that can begin with a morpheme, in order."""
    morph = (Morph(form, tag, 0, 0),)
    return tuple(one for one in _load_patterns(table) if one.first.matches_at(morph, 0))


@cache
def _load_patterns(table: str) -> tuple[Pattern, ...]:
    found = []
    for line in words("ko", table):
        left, _, right = line.partition(" ->")
        found.append(Pattern(tuple(map(_parse_item, _ITEM.findall(left))), tuple(right.split())))
    return tuple(found)


def _parse_item(text: str) -> Item:
    if text[0] == "{":
        return Item(frozenset(), (), "{", _parse_tests(text[1:-1]))
    if text[0] == "<":
        head, _, tests = text[1:-1].partition(":")
        forms, tags = _parse_alternatives(head)
        return Item(forms, tags or (_VERB,), "<", _parse_tests(tests))
    how = text[0] if text[0] in _HOW else text[-1] if text[-1] in "*?" else ""
    return Item(*_parse_alternatives(text.strip("=!+_()*?")), how)


def _parse_alternatives(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    forms, _, tags = text.strip().partition("/")
    named = [one for one in forms.split("|") if one not in ("", ".")]
    every = [part for one in named for part in _expand_class(one)]
    return frozenset(every), tuple(tag for tag in tags.split("|") if tag)


def _expand_class(name: str) -> tuple[str, ...]:
    return words("ko", name[1:]) if name[0] == "@" else (name,)


def _parse_tests(text: str) -> tuple[_Test, ...]:
    found = []
    for one in filter(None, (part.strip() for part in text.split(","))):
        name, equals, values = one.partition("=")
        if equals:
            alternatives, _ = _parse_alternatives(values)
            found.append(_Test(name.rstrip("!"), alternatives, not name.endswith("!")))
        else:
            found.append(_Test(one[1:], frozenset(), one[0] == "+"))
    return tuple(found)


def match_items(
    items: Sequence[Item],
    every: Sequence[Morph],
    at: int,
    verb: Verb | None = None,
    read_verb: ReadVerb | None = None,
) -> tuple[int, Verb | None] | None:
    """Return the end of a match at `at` and the further verb, or None without a match.

    Args:
        items: Items of the pattern.
        every: The morphemes.
        at: Start of the match.
        verb: Verb that ``{tests}`` refer to.
        read_verb: Function that reads the verb at a position, for ``<…>``.
    """
    inner = verb
    for item in items:
        if item.how == "{":
            assert verb is not None
            held = all(test.holds_for(verb) for test in item.tests)
        elif item.how == "<":
            assert read_verb is not None
            held = item.matches_at(every, at)
            if held:
                inner, at = read_verb(every, at)
                held = all(test.holds_for(inner) for test in item.tests)
        elif item.how in "*?" and item.how:
            held = True
            at = _end_of_repetition(item, every, at)
        elif item.how == "(":
            held = item.matches_at(every, at - 1)
        else:
            held = item.matches_at(every, at) != (item.how == "!")
            at += item.how not in ("=", "!")
        if not held:
            return None
    return at, inner


def _end_of_repetition(item: Item, every: Sequence[Morph], at: int) -> int:
    """Return the end of an item that may be repeated."""
    most = 1 if item.how == "?" else len(every)
    end = at
    while end < len(every) and end - at < most and item.matches_at(every, end):
        end += 1
    return end
