"""Lattice edges of remarks in commands, which request nothing ("it is cold in here").

The categories are ``remark`` for a sentence about a person or an object, ``purpose`` for the
reason of an order ("so I can look inside"), and ``benefit`` for a phrase such as "for some fresh
air", in which no word has a meaning here. The meaning lists the objects that a remark names. A
remark that names no object and contains no question word is also a ``plain_remark``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from bt_exec.language.logical_operators import operators_in
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.lexicon import Lexicon
from bt_exec.language.reading.meaning_node import Node, conjunction, conjuncts
from bt_exec.language.reading.normalized_text import Text

__all__ = ["ASKED", "PLAIN_REMARK", "asides", "is_plain", "longest_nouns", "remark_about"]

PLAIN_REMARK = "plain_remark"
"""Category of remarks that name nothing and contain no word of a question."""

_DETERMINERS = ("the", "det")
_PERSONS = "asker"  # category of nouns for persons whom the speaker mentions
_WORD = 0.1  # cost per word of a remark
_PAUSES = frozenset({",", ":"})
"""Marks at which a remark ends."""
_SUBJECT = 4
"""Number of words at the beginning of a remark, one of which must be its verb."""
ASKED = frozenset({"how", "what", "which", "where", "only", "limit", "every", "all", "most"})
"""Categories of words with which a text asks something or limits an order."""
_NAMELESS = ("unknown", "as_typed", "pronoun", "relation")
_ATTRIBUTES = ("adj", "hue", "adj.adn", "adj.done")
_STATES = ("adj", "noun", "any_noun", "wh_noun")


def asides(text: Text, lexicon: Lexicon, edges: Iterable[Edge]) -> Iterator[Edge]:
    """Yield the edges of the remarks in a text.

    Args:
        text: The text.
        lexicon: The words of its language.
        edges: Edges of the lattice for the words in the text.
    """
    made = _Asides(text, lexicon, edges)
    for first in range(len(text.words)):
        for last in range(first + 1, len(text.words)):
            yield from made.remark_of_words(first, last + 1)


def is_plain(inside: Iterable[Edge]) -> bool:
    """Return True if no word of a remark names an object, asks a question or limits an order.

    Args:
        inside: The edges within the remark.
    """
    return all(
        (one.meaning is None or one.category in _NAMELESS) and one.category not in ASKED
        for one in inside
    )


class _Asides:
    """Search for the remarks within one text."""

    def __init__(self, text: Text, lexicon: Lexicon, edges: Iterable[Edge]) -> None:
        rules: Mapping[str, Any] = lexicon.language.data["asides"]
        self._text = text
        self._rules = rules
        self._orders = lexicon.language.orders
        self._takes_items = lexicon.takes_texts
        self._words = [text.chars[start:end] for start, end in text.words]
        self._edges = [one for one in edges if {one.start, one.end} <= text.gaps]
        objects = {one.start for one in self._edges if one.category in rules["objects"]}
        joined = {end for start, end in text.words if text.chars[start:end] in rules["joined"]}
        self._unknown = {one.start for one in self._edges if one.category == "unknown"}
        self._acts = [
            one
            for one in self._edges
            if one.category.startswith("v.")
            and not one.category.endswith((".ing", ".done"))
            and (one.start in joined or (one.end in objects and not one.is_impossible))
        ]

    def remark_of_words(self, first: int, last: int) -> Iterator[Edge]:
        """Yield the edges of the remark that consists of words `first` to `last` - 1, if any."""
        words = self._words[first:last]
        rules = self._rules
        ranked = self._orders and words[-1] in rules["ranking"]
        if not _PAUSES.isdisjoint(words) or ranked or not self._is_at_end_of_remark(last):
            return
        if operators_in(words[-1], "en"):
            return
        stated = self._is_sentence(words) or self._is_confirmed(words, last)
        if self._may_start(first) and self._is_subject(first) and stated:
            yield from self._edge("remark", first, last, words, rules["duties"])
        said = " ".join(words)
        if any(said.startswith(f"{one} ") for one in rules["purposes"]) and first:
            yield from self._edge("purpose", first, last, words, ())
        if words[0] in rules["benefiting"] and self._is_unknown_object(first + 1, last):
            start, end = self._text.words[first][0], self._text.words[last - 1][1]
            yield Edge(start, end, "benefit", None, _WORD * len(words), text="".join(words))

    def _is_unknown_object(self, first: int, last: int) -> bool:
        """Return True for a noun phrase that contains no word with a meaning: "some fresh air"."""
        unknown = [self._text.words[at][0] in self._unknown for at in range(first, last)]
        light = (word in self._rules["light"] for word in self._words[first:last])
        return any(unknown) and all(map(any, zip(unknown, light, strict=True)))

    def _may_start(self, first: int) -> bool:
        """Return True if a remark may start at a word: after a pause, or before "is" or "am"."""
        before = self._words[first - 1] if first else ","
        if first and self._words[first] in self._rules["relative"]:
            verb, *following = [*self._words[first + 1 : first + 3], ""]
            if verb not in self._rules["singular"] or following[0] in self._rules["placing"]:
                return False  # "the plates, that are in the bottom half"
        if before in (",", *self._rules["after"]):
            return True
        if before in self._rules["joins"] or self._words[first] in self._rules["relative"]:
            return False
        return self._words[first + 1] in self._rules["be"]

    def _is_subject(self, first: int) -> bool:
        """Return True if a word may begin a subject: a listed word, or "dinner" in "dinner is"."""
        unknown = self._text.words[first][0] in self._unknown
        following = self._words[first + 1 : first + 2]
        opens = first == 0 or (self._words[first - 1] == "," and not self._takes_items)
        named = unknown and opens and following and following[0] in self._rules["be"]
        begins = (*self._rules["subjects"], self._rules["robot"])
        start = self._text.words[first][0]
        person = any((one.start, one.category) == (start, _PERSONS) for one in self._edges)
        return self._words[first] in begins or bool(named) or (opens and person)

    def _is_at_end_of_remark(self, last: int) -> bool:
        after = self._words[last] if last < len(self._words) else ","
        return after in (*_PAUSES, *self._rules["before"])

    def _is_sentence(self, words: list[str]) -> bool:
        rules = self._rules
        if words[0] == rules["robot"]:
            begun = words[1:2] and words[1] in rules["addressed"]
            planned = "to" in words[2:_SUBJECT] and not self._is_forgotten(" ".join(words[:3]))
            return bool(begun) and not planned
        if words[0] in rules["persons"] and words[1:]:
            return words[1] not in rules["joins"]
        if words[0] in rules["own"] and not set(words[1:_SUBJECT]).isdisjoint(rules["contracted"]):
            return True
        pairs = pairwise(words[1 : _SUBJECT + 1])
        if any(s in rules["contracted"] and after in rules["stating"] for s, after in pairs):
            return True
        if words[0] in rules["determiners"] and words[1] in rules["be"]:
            return False
        return any(
            word in rules["finite"] or word in rules["be"] or word.endswith("ed")
            for word in words[1:_SUBJECT]
        )

    def _is_confirmed(self, words: list[str], last: int) -> bool:
        """Return True for a statement about the robot before a tag: "you moved it, did you not"."""
        following = self._words[last : last + 4]
        robot, tags = self._rules["robot"], self._rules["tags"]
        asks = following[:1] == [","] and not set(following[1:2]).isdisjoint(tags)
        return words[0] == robot and asks and robot in following[2:]

    def _edge(
        self, category: str, first: int, last: int, words: list[str], duties: Iterable[str]
    ) -> Iterator[Edge]:
        start, end = self._text.words[first][0], self._text.words[last - 1][1]
        inside = [
            one
            for one in self._edges
            if start <= one.start and one.end <= end and not self._is_verb_of_remark(one, first)
        ]
        named = any(one.category in _STATES and isinstance(one.meaning, Node) for one in inside)
        denied = any(
            one.kind != "limit" and (named or one.kind != "negation")
            for one in operators_in(" ".join(words), "en", self._rules["harmless"])
        )
        restated = " ".join(words).startswith(tuple(self._rules["restating"]))
        wishes = self._orders and named and not set(words).isdisjoint(self._rules["wishes"])
        wished = wishes or (restated and (named or not self._orders))
        known = named or any(one.category == "pronoun" for one in inside)
        kept = known and bool(duties) and not set(words).isdisjoint(self._rules["keeping"])
        limits = not self._orders and not set(words).isdisjoint(self._rules["referring"])
        asks = " ".join(words).startswith(tuple(self._rules["asking"]))
        asks = asks and any(one.category in ASKED for one in inside)
        if denied or wished or kept or limits or asks or not set(words).isdisjoint(duties):
            return
        if category == "remark" and any(map(self._contains_command, inside)):
            return
        if category == "remark" and is_plain(inside):
            said = self._text.chars[start:end]
            yield Edge(start, end, PLAIN_REMARK, None, _WORD * len(words), text=said)
        subject = words[0] in self._rules["subjects"] or category == "purpose"
        things = tuple(dict.fromkeys((*longest_nouns(inside), *self._items(inside))))
        things = things if subject else ()
        yield Edge(
            start,
            end,
            category,
            remark_about(things),
            _WORD * len(words),
            text=self._text.chars[start:end],
        )

    def _items(self, inside: Sequence[Edge]) -> Iterator[Node]:
        """Yield the last thing of unknown kind that a remark names: "I put a box on your tray"."""
        named = {one.start: one for one in inside if one.category == "unknown"}
        placed = {one.end for one in self._edges if one.text in self._rules["placing"]}
        items = []
        for one in inside if self._takes_items else ():
            words, end = [], one.end
            while one.category in _DETERMINERS and one.start not in placed and end in named:
                words.append(named[end].text)
                end = named[end].end
            items += [" ".join(words)] if words else []
        yield from (Node("quote", (("said", one),)) for one in items[-1:])

    def _is_verb_of_remark(self, edge: Edge, first: int) -> bool:
        """Return True for another reading of the verb of a remark, as "left" in "you left it"."""
        follows_subject = edge.start == self._text.words[first + 1][0]
        follows_person = follows_subject and self._words[first] in self._rules["persons"]
        if follows_person and edge.category.startswith("v."):
            return True  # "I put a box on your tray"
        may_be_verb = edge.category in _STATES or follows_subject
        if not may_be_verb or edge.text not in self._rules["finite"] or edge in self._acts:
            return False
        return not any(
            one.end == edge.start and one.category in _DETERMINERS for one in self._edges
        )

    def _contains_command(self, edge: Edge) -> bool:
        """Return True if an edge is a command; a verb after "I forgot to" is not one."""
        if edge not in self._acts:
            return False
        before = " ".join(self._text.chars[a:b] for a, b in self._text.words if b <= edge.start)
        return not self._is_forgotten(before)

    def _is_forgotten(self, said: str) -> bool:
        return said.endswith(tuple(self._rules["forgotten"]))


def remark_about(things: tuple[Node, ...]) -> Node:
    """Return a remark that names some objects."""
    return Node("remark", (("of", things),))


def longest_nouns(edges: Iterable[Edge]) -> Iterator[Node]:
    """Yield the nouns that are not part of a longer noun, in order, each with its adjectives.

    A noun before a place is left out, because the place would not be part of the phrase.
    """
    edges = tuple(edges)
    counters = {(one.start, one.end) for one in edges if one.category.endswith("counter")}
    nouns = [
        one
        for one in edges
        if one.category == "noun"
        and isinstance(one.meaning, Node)
        and (one.start, one.end) not in counters
    ]
    for one in nouns:
        longer = any(
            other.start <= one.start and one.end <= other.end and len(other.text) > len(one.text)
            for other in nouns
        )
        placed = any(other.start == one.end and other.category == "relation" for other in edges)
        named = any(part.kind == "thing" for part in conjuncts(one.meaning))
        if named and not longer and not placed:
            yield Node("np", (("of", conjunction(one.meaning, *_adjectives_before(one, edges))),))


def _is_attribute(edge: Edge) -> bool:
    return edge.category in _ATTRIBUTES and isinstance(edge.meaning, Node)


def _adjectives_before(noun: Edge, edges: Sequence[Edge]) -> Iterator[Node]:
    """Yield the meanings of the adjectives directly before a noun."""
    start = noun.start
    adjectives = {one.end: one for one in edges if _is_attribute(one)}
    while start in adjectives:
        yield adjectives[start].meaning
        start = adjectives[start].start
