"""Lattice edges of Korean remarks that accompany an order: reasons and facts, in any words.

A remark has one of the endings that the grammar file lists, or ends in a verb of feeling or in a
verb that reports a fact. It contains no order, exclusion, condition, time or addressee, and does
not begin within a clause whose verb is still to come. The category is ``stated_fact``, whose
meaning lists the objects that the remark names, and ``aside_text`` for the same words without a
meaning. A remark that names no object and asks nothing is also a ``plain_remark``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from bt_exec.language.closed_classes import closed_classes
from bt_exec.language.logical_operators import Operator, operators_in
from bt_exec.language.phrase_alternatives import expand_phrase
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.lexicon import Lexicon
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.normalized_text import PAUSES, Text
from bt_exec.language.reading.remark_edges import (
    ASKED,
    PLAIN_REMARK,
    is_plain,
    longest_nouns,
    remark_about,
)

__all__ = ["korean_remark_edges"]

_WORD = 0.1  # cost per word of a remark
_UNSURE = 0.5  # cost of a remark that is recognised only by its ending
_STATED = -0.1  # cost of a remark that reports a fact; it is preferred to a question
_LATE = 0.4  # cost of a remark after a skipped word, which may belong to it
_MOST = 6
"""Maximum number of words of a remark."""
_PROHIBITING = ("instead", "prohibited", "insisted_not")
_OPEN = ("adn", "bare", "done", "insisted", "noun")
"""Moods of verbs that do not end a clause."""
_PARTICLES = ("top", "sub", "obj", "also", "loc", "into", "with", "only")
"""Particles after which the verb of a clause is still to come."""


def korean_remark_edges(text: Text, lexicon: Lexicon, edges: Iterable[Edge]) -> Iterator[Edge]:
    """Yield the edges of the remarks in a text.

    Args:
        text: The text.
        lexicon: The words of its language.
        edges: Edges of the lattice for the words in the text.
    """
    made = _Remarks(text, lexicon, tuple(edges))
    for first, (start, _) in enumerate(text.words):
        for _, end in text.words[first : first + _MOST]:
            yield from made.remarks_between(start, end)


class _Remarks:
    """Search for the remarks within one text."""

    def __init__(self, text: Text, lexicon: Lexicon, edges: Sequence[Edge]) -> None:
        data = lexicon.language.data
        self._text, self._language = text, lexicon.language.name
        self._rules: Mapping[str, Any] = data["remarks"]
        self._ends, self._orders = (
            tuple("".join(one.split()) for end in self._rules[key] for one in expand_phrase(end))
            for key in ("ends", "orders")
        )
        self._here = tuple(self._rules["here"])
        self._persons = tuple(data.get("texts", {}).get("persons", ()))
        self._named = [one for one in edges if one.start in text.gaps]
        self._edges = edges
        self._takes_items = lexicon.takes_texts
        self._adverbs = {one.text for one in edges if one.category == "manner"}
        self._objects = [one for one in edges if one.category == "obj" and one.end in text.gaps]
        facts = [one for one in edges if one.text and self._reports_fact(one)]
        self._stated = {one.end for one in facts}
        self._confirmed = {one.end for one in facts if one.category.endswith((".ask", ".ask!"))}
        kinds = tuple(self._rules["kinds"])
        self._felt = {one.end for one in edges if one.category.startswith(kinds)} | self._stated
        self._late = {one.end for one in edges if one.category in data.get("skipped", ())}
        self._acts = [
            one
            for one in edges
            if {one.start, one.end} <= text.gaps
            and (one.category == "limit" or _has_pack_meaning(one))
            and not any(fact.start <= one.start and one.end <= fact.end for fact in facts)
        ]

    def remarks_between(self, start: int, end: int) -> Iterator[Edge]:
        """Yield the edges of the remark between two positions, if the words form a remark."""
        surface = self._text.chars[start:end]
        words = [self._text.chars[a:b] for a, b in self._text.words if start <= a and b <= end]
        if "," in words or not self._is_remark(words, end) or start in self._within_clauses:
            return
        if self._may_order(words, start, end):
            return
        within = [one for one in self._named if start <= one.start and one.end <= end]
        if end in self._confirmed and any(one.category in ASKED for one in within):
            return  # "where is it": a question
        cost = _STATED if end in self._stated else _UNSURE + _WORD * len(words)
        cost += _LATE if start in self._late else 0.0
        things = tuple(dict.fromkeys((*longest_nouns(within), *self._items(within))))
        yield Edge(start, end, "aside_text", None, cost, text=surface)
        yield Edge(start, end, "stated_fact", remark_about(things), cost, text=surface)
        if is_plain(within) and not self._ends_in_question_verb(within, surface):
            yield Edge(start, end, PLAIN_REMARK, None, cost, text=surface)

    @cached_property
    def _within_clauses(self) -> frozenset[int]:
        """Positions at which no remark begins: within a clause, or within a verb."""
        clauses = _positions_within_clauses(self._text, self._edges)
        return frozenset((*clauses, *_positions_within_verbs(self._text, self._edges)))

    def _items(self, within: Sequence[Edge]) -> Iterator[Node]:
        """Yield the only thing of unknown kind that a remark names: "I put a box there"."""
        marked = {one.start for one in self._objects}
        loading, particles = (tuple(self._rules[key]) for key in ("loading", "particles"))
        unknown = [
            one
            for one in within
            if one.category == "unknown" and not one.text.startswith((*loading, *self._here))
        ]
        items = [
            one.text
            for one in unknown
            if one.end in marked
            or (self._is_loaded_after(one.end) and not one.text.endswith(particles))
        ]
        if self._takes_items and len(set(items)) == 1:
            yield Node("quote", (("said", items[0]),))

    def _is_loaded_after(self, end: int) -> bool:
        """Return True if a verb of loading follows, directly or after "here"."""
        after = self._text.chars[end:]
        here = max((one for one in self._here if after.startswith(one)), key=len, default="")
        return after.removeprefix(here).startswith(tuple(self._rules["loading"]))

    def _is_remark(self, words: Sequence[str], end: int) -> bool:
        if words[-1] in self._rules["retracting"]:
            return False
        ended = "".join(words).endswith(self._ends)
        last = end == len(self._text.chars)  # no act can follow
        return end in self._felt or (ended and (last or not self._may_link_acts(words)))

    def _may_link_acts(self, words: Sequence[str]) -> bool:
        """Return True if the last word may be an act before another one: "peel it and bring it"."""
        linking, subjects = (tuple(self._rules[key]) for key in ("linking", "subjects"))
        return words[-1].endswith(linking) and not any(
            word.endswith(subjects) and word not in self._adverbs for word in words[:-1]
        )

    def _may_order(self, words: Sequence[str], start: int, end: int) -> bool:
        """Return True if a text may contain an order or a limit of an order."""
        surface = "".join(words)
        if any(word.endswith(self._persons) for word in words if self._persons):
            return True
        duty = surface.endswith(tuple(self._rules["own_duties"]))  # "because I must clean"
        if any(one in surface for one in self._orders) and not duty:
            return True
        ongoing = words[-1].endswith(tuple(self._rules["ongoing"]))
        final = start > 0 and end == len(self._text.chars)
        inside = (one for one in self._acts if start <= one.start and one.end <= end)
        for one in inside:
            owned = ongoing and one.category.endswith(".noun")
            owned |= one.is_impossible and one.end < end  # "I will wash it and come back"
            owned |= one.category.endswith(".own") and words[0] in self._rules["owners"]
            timed = one.category == "limit" and (final or one.start > start)  # limits the remark
            if not owned and not timed:
                return True
        said = self._text.typed_words(start, end)
        aims = words[-1].endswith(tuple(self._rules["aims"]))  # "so that it does not fall"
        if aims and self._rules["not"] in words and words[-1] not in self._rules["entering"]:
            return True
        operators = operators_in(said, self._language)
        return any(aims or _is_limiting(one, self._language) for one in operators)

    def _reports_fact(self, edge: Edge) -> bool:
        """Return True for a verb that reports or confirms a fact: "they say it is empty"."""
        kind, _, mood = edge.category.rstrip("!").partition(".")
        confirms = kind in self._rules["states"] and mood == "ask"
        confirms = confirms and edge.text.endswith(tuple(self._rules["confirming"]))
        return confirms or mood.endswith(self._rules["mood"])

    def _ends_in_question_verb(self, edges: Iterable[Edge], said: str) -> bool:
        """Return True if a text ends in an interrogative verb longer than a remark's ending."""
        end = max((one for one in self._ends if said.endswith(one)), key=len, default="")
        verbs = (one.text for one in edges if one.category.endswith(".ask"))
        return any(said.endswith(verb) and len(verb) > len(end) for verb in verbs)


def _positions_within_clauses(text: Text, edges: Sequence[Edge]) -> Iterator[int]:
    """Yield the ends of words after which a clause still lacks its verb: "the door with …"."""
    within = False
    for start, end in text.words:
        ending = [one for one in edges if one.end == end]
        closing = (one for one in ending if one.start in text.gaps and _closes_clause(one))
        if text.chars[start:end] in PAUSES or any(closing):
            within = False
        elif any(
            (one.start in text.gaps or start <= one.start < end) and _opens_clause(one, text)
            for one in ending
        ):
            within = True
        if within:
            yield end


def _positions_within_verbs(text: Text, edges: Iterable[Edge]) -> Iterator[int]:
    """Yield the ends of words within verbs of several words: "open it | for me"."""
    for one in edges:
        if "." in one.category and one.start in text.gaps:
            yield from (gap for gap in text.gaps if one.start < gap < one.end)


def _closes_clause(edge: Edge) -> bool:
    """Return True for a verb that ends or links a clause, and for words that join clauses."""
    _, mood, ending = edge.category.rstrip("!").rpartition(".")
    return edge.category == "joint" or (bool(mood) and ending not in _OPEN)


def _opens_clause(edge: Edge, text: Text) -> bool:
    """Return True for a noun, a particle after one, or a verb that does not end a clause."""
    kind, _, mood = edge.category.rstrip("!").rpartition(".")
    attached = edge.start not in text.gaps
    return mood == "noun" or (bool(kind) and mood in _OPEN) or (attached and mood in _PARTICLES)


def _is_limiting(operator: Operator, language: str) -> bool:
    """Return True for an operator that limits an order; a negated verb may be part of a remark."""
    excludes = operator.text in closed_classes(language)["operators"]["negation"]["words"]
    return operator.kind != "negation" or excludes


def _has_pack_meaning(edge: Edge) -> bool:
    """Return True for prohibitions, and for verbs and states of packs that give no reason."""
    kind, _, mood = edge.category.rstrip("!").partition(".")
    stated = mood.endswith(("since", "adn", "done", "planned"))
    stated = stated or (mood.endswith("goal") and not edge.category.endswith("!"))
    return mood in _PROHIBITING or (kind in ("v", "adj") and not stated)
