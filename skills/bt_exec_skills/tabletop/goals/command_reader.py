"""Parsing of commands and questions about tables, with the words of the pack."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bt_exec.language.reading.branch_completion import (
    with_completed_branches,
    with_decided_presence,
)
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.reader import Reading, Unread
from bt_exec.language.reading.reference_resolution import with_named_conditions
from bt_exec_skills.tabletop.display_names import display_name
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.lexicon import lexicon, reader
from bt_exec_skills.tabletop.name_attributes import attributes_in_name
from bt_exec_skills.things.nouns import kind_of_word, nouns

__all__ = [
    "PossibleMeanings",
    "kinds_of",
    "names_by_word",
    "parse_meanings",
    "shortened_commands",
    "spelling_corrections",
]

WIDTH = 0.5
"""Maximum difference between the cost of a meaning and the lowest cost."""
_LONGEST = 400
_IDENTIFIER = re.compile(r"[A-Za-z]+(?:_[A-Za-z0-9]+)+")


class PossibleMeanings(NamedTuple):
    """Possible meanings of a text.

    Attributes:
        reading: The parsed text.
        meanings: Meanings with their costs, the cheapest first.
    """

    reading: Reading
    meanings: tuple[tuple[Node, float], ...]


def parse_meanings(text: str, now: Environment) -> PossibleMeanings:
    """Return the possible meanings of a text.

    Raises:
        Trouble: NOTHING_SAID, TOO_LONG, NO_SUCH_OBJECT, HAZARD, UNKNOWN_WORD, CANNOT_DO or
            NOT_UNDERSTOOD.
    """
    if not text.strip(" \t\n.,!?"):
        raise Trouble("NOTHING_SAID")
    if len(text) > _LONGEST:
        raise Trouble("TOO_LONG")
    called_here = names_by_word(now)
    whole = {name.casefold() for name in called_here.values()} | set(called_here)
    for word in _IDENTIFIER.findall(text):
        if word.casefold() in whole:
            continue
        meant = [
            name
            for name in now.objects
            if _bare_name(name) == word.casefold().removeprefix("object_")
        ]
        if len(meant) != 1:
            raise Trouble("NO_SUCH_OBJECT", (*now.objects, *now.tables), name=word)
        called_here[word.casefold()] = meant[0]
    found = _parse_text(text, called_here, kinds_of(now))
    if found.impossible and (not isinstance(found, Reading) or found.unknown_words):
        raise Trouble("CANNOT_DO", what=found.impossible[0])
    if not isinstance(found, Reading):
        if found.is_hazard:
            raise Trouble("HAZARD")
        unknown = "”, “".join(found.unknown_words)
        raise Trouble("UNKNOWN_WORD" if unknown else "NOT_UNDERSTOOD", word=unknown)
    if found.unknown_words:
        raise Trouble("UNKNOWN_WORD", word=found.unknown_words[0])
    if found.denied_limit is not None:
        raise Trouble("NOT_UNDERSTOOD")  # "all cubes, not just the red ones"
    every = ((found.meaning, found.cost), *found.others)
    meanings = [(node, cost) for node, cost in every if not _is_route(node)]
    if not meanings:
        raise Trouble("NOT_UNDERSTOOD")
    meanings = [(node, cost) for node, cost in meanings if cost <= meanings[0][1] + WIDTH]
    return PossibleMeanings(
        found,
        tuple((_with_clear_branches(node), cost) for node, cost in meanings),
    )


def _with_clear_branches(meaning: Node) -> Node:
    """Return a meaning with complete conditions and branches."""
    meaning = with_completed_branches(_without_waiting(meaning))
    return with_named_conditions(with_decided_presence(meaning))


def _is_route(meaning: Node) -> bool:
    """Return True for a request to visit listed places in turn, which this robot cannot do."""
    return any(one.text("verb") == "stop_at" for one in meaning.walk())


def _without_waiting(meaning: Node) -> Node:
    """Return a meaning in which waiting for a state before other acts is a condition.

    Nothing on the tables changes by itself, so the state holds now or never.
    """
    first, *rest = (meaning.kind == "seq" and meaning.parts()) or (meaning,)
    waits = first.kind == "until" and not first.get("sign")
    if not (waits and rest) or first.node("of").args != (("verb", "wait"),):
        return meaning
    then = rest[0] if len(rest) == 1 else Node("seq", (("of", tuple(rest)),))
    return Node("if", (("of", first.node("hold")), ("then", then)))


def spelling_corrections(text: str, now: Environment) -> Iterator[str]:
    """Yield possible corrections of a misspelt text, the nearest first."""
    return reader(kinds_of(now)).intended_texts(text, names_by_word(now))


def shortened_commands(text: str, now: Environment) -> Iterator[str]:
    """Yield parts of a text that can be parsed, the longest first."""
    return reader(kinds_of(now)).shortened_texts(text, names_by_word(now))


def _parse_text(text: str, words: Mapping[str, str], kinds: frozenset[str]) -> Reading | Unread:
    """Parse a text; if words are unknown, parse it again with nouns of the shared vocabulary."""
    found = reader(kinds).read(text, words)
    named = kinds.union(filter(None, map(kind_of_word, found.unknown_words)))
    return found if named == kinds else reader(named).read(text, words)


def kinds_of(now: Environment) -> frozenset[str]:
    """Return the kinds of present objects for which the pack's own lexicon has no noun."""
    kinds = {one.kind for one in now.object_attributes()}
    return frozenset(kinds - lexicon()["things"].keys())


def _bare_name(name: str) -> str:
    """Return a name without prefix and number, such as ``red_bowl``."""
    return re.sub(r"_\d+$", "", name.removeprefix("object_"))


def names_by_word(now: Environment) -> dict[str, str]:
    """Return the words for the present objects and tables, with the name that each word means."""
    found: dict[str, str] = {}
    for name in (*now.objects, *now.tables):
        looks = attributes_in_name(name)
        words = {name.casefold()}
        if looks.number is not None:
            display = (display_name(name, "en"), display_name(name, "ko"))
            words |= {name.casefold().removeprefix("object_"), *filter(None, display)}
        found.update(dict.fromkeys(words, name))
        spoken = looks.kind.replace("_", " ")
        if looks.kind not in (*lexicon()["things"], "object") and spoken not in nouns():
            found.setdefault(spoken, looks.kind)
    return found
