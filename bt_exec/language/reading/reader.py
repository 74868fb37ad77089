"""Parsing of texts into meanings, with the words of packs and the grammar of the language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from bt_exec.language.messages import language_of
from bt_exec.language.reading.chart import MOST, Edge, parse
from bt_exec.language.reading.lattice import lattice
from bt_exec.language.reading.lexicon import Lexicon, language_data
from bt_exec.language.reading.meaning_node import NOTHING, Node, normal_form, without_number
from bt_exec.language.reading.normalized_text import Text
from bt_exec.language.reading.shortened_texts import shortened_texts
from bt_exec.language.reading.typo_candidates import intended_texts

__all__ = ["Reader", "Reading", "Unread", "may_deny_more"]

MARGIN = 0.08
"""Cost difference below which readings count as rivals."""

LONGEST = 400
"""Maximum length of a text [characters]."""

_KEPT = 128
"""Maximum number of texts whose readings are cached."""

_REMARKS = frozenset({"aside_text", "benefit", "plain_remark", "stated_fact"})
"""Categories of remarks that may contain any word."""

GOAL = "sentence"
STATED = "statement"
"""Category of questions in the word order of statements: "the door is open?"."""
_EMPTY = Text("", frozenset({0}), False)
CLAIM = "claim"
_LINKING = (".and", ".after")
_DENYING = (".prohibited", ".insisted_not")
"""Moods of negated Korean verbs whose negation may include the verb linked before them."""


@dataclass(frozen=True)
class Reading:
    """A text that was parsed, with its meaning.

    Attributes:
        text: The text as typed.
        language: ``en`` or ``ko``.
        meaning: The meaning in normal form.
        cost: Cost of the wording; unusual wordings cost more.
        edge: Root of the parse tree; its leaves are the words.
        rivals: Other meanings of similar cost.
        others: All other meanings with their costs, the cheapest first.
        trees: The parse trees of the other meanings, in the same order.
        typed: The normalized text.
    """

    text: str
    language: str
    meaning: Node
    cost: float
    edge: Edge
    rivals: tuple[Node, ...] = ()
    others: tuple[tuple[Node, float], ...] = ()
    typed: Text = _EMPTY
    trees: tuple[Edge, ...] = ()

    @cached_property
    def _edges_by_node(self) -> dict[Node, tuple[Edge, Edge]]:
        """Outermost and innermost edge of the parse trees for each node of a meaning."""
        found: dict[Node, tuple[Edge, Edge]] = {}
        for tree in (*reversed(self.trees), self.edge):
            stack, outer = [tree], dict[Node, Edge]()
            while stack:
                edge = stack.pop()
                stack += edge.parts
                if isinstance(edge.meaning, Node):
                    node = normal_form(edge.meaning)
                    found[node] = outer.setdefault(node, edge), edge
        return found

    def with_meaning(self, meaning: Node) -> Reading:
        """Return the reading with the parse tree of one of its meanings.

        If `meaning` is not a meaning of the text, the reading itself is returned.
        """
        rivals = (tree for tree in self.trees if normal_form(tree.meaning) == meaning)
        tree = self.edge if meaning == self.meaning else next(rivals, self.edge)
        return self if tree is self.edge else replace(self, edge=tree)

    def edge_of(self, node: Node) -> Edge | None:
        """Return the edge of the parse tree from which `node` was built; None if there is none."""
        edges = self._edges_by_node.get(node)
        return None if edges is None else edges[1]

    def part_of(self, node: Node, category: str) -> Any:
        """Return the meaning of the first constituent of a category within `node`, or None."""
        edge = self.edge_of(node)
        parts = () if edge is None else edge.walk()
        return next((part.meaning for part in parts if part.category == category), None)

    def words_of(self, node: Node, *, whole: bool = False) -> str:
        """Return the words of the text from which `node` was built; empty if there are none.

        Args:
            node: The node.
            whole: Whether to include surrounding words that add no meaning, such as "tell me".
        """
        edges = self._edges_by_node.get(node)
        if edges is None:
            return ""
        edge = edges[0 if whole else 1]
        chars = self.typed.chars
        spans = [pair for pair in self.typed.words if edge.start <= pair[0] < edge.end]
        said = " ".join(chars[max(a, edge.start) : min(b, edge.end)] for a, b in spans)
        return said.replace(" , ", ", ").strip(" ,")

    @property
    def denied_limit(self) -> Edge | None:
        """Part of the text whose negation or question concerns more than an act or state.

        A negation may concern a limit or an order, as in "not only the cup" or "not first". A
        question may concern a manner or a duty, as in "are they together" or "do you have to".
        """
        orders = language_data(self.language)["orders"]
        limits, asked = orders.get("denied_limits", ()), orders.get("asked_manners", ())
        words = {"denied": orders.get("denied_ranks", ()), "question": asked}
        limited = [
            part
            for part in self.edge.walk()
            if (kind := part.category.partition(".")[0]) in words
            for one in part.leaves()
            if one.text in words[kind] or (kind == "denied" and one.category == "only")
        ]
        first, *others = leaves = [*self.edge.leaves()]
        pairs = pairwise(leaves)
        limited += [other for one, other in pairs if f"{one.text} {other.text}" in limits]
        if first.text in orders.get("opinions", ()):
            duties = orders["duties"]
            limited += [one for one in others if any(duty in one.text for duty in duties)]
        return limited[0] if limited else None

    @property
    def unknown_words(self) -> tuple[str, ...]:
        """Words outside the lexicon, taken as names of objects."""
        return tuple(one.text for one in self.edge.leaves() if one.category == "unknown")

    @property
    def impossible(self) -> tuple[str, ...]:
        """Verbs of acts that no pack can do."""
        return tuple(one.text for one in self.edge.leaves() if one.is_impossible)


@dataclass(frozen=True)
class Unread:
    """A text that could not be parsed.

    Attributes:
        text: The text as typed.
        language: ``en`` or ``ko``.
        unknown_words: Words outside the lexicon.
        impossible: Verbs of acts that no pack can do.
        is_hazard: Whether the text reports a body part in a gap; such an order is not parsed.
    """

    text: str
    language: str
    unknown_words: tuple[str, ...]
    impossible: tuple[str, ...] = ()
    is_hazard: bool = False


class Reader:
    """Reader of commands and questions in the words of some packs.

    Args:
        packs: The lexicons of the packs, as plain data.
    """

    def __init__(self, packs: Sequence[Mapping[str, Any]]) -> None:
        self._packs = tuple(packs)
        self._numbered = any("verbs" in pack for pack in packs)
        self._most = MOST * max(1, len(self._packs)) ** 2  # most mixtures of packs are invalid
        self._lexicons: dict[str, Lexicon] = {}
        self._parsed = lru_cache(maxsize=_KEPT)(self._parse)

    def lexicon(self, language: str) -> Lexicon:
        """Return the words of a language, loaded on first use."""
        if language not in self._lexicons:
            self._lexicons[language] = Lexicon.load(language, self._packs)
        return self._lexicons[language]

    def read_claim(self, text: str, names: Iterable[str] = (), goal: str = CLAIM) -> Node | None:
        """Return the meaning of a sentence in an answer; None if it cannot be parsed unchanged.

        Spelling is not corrected, and a sentence with rival meanings is rejected.

        Args:
            text: Korean or English.
            names: Names of current objects, as nouns in addition to those of the lexicon.
            goal: The category of the grammar that the sentence must have.
        """
        if len(text) > LONGEST:
            return None
        found = self._parsed(text, language_of(text), _names_by_spelling(names), goal)
        return found.meaning if isinstance(found, Reading) and not found.rivals else None

    def read(self, text: str, names: Iterable[str] | Mapping[str, str] = ()) -> Reading | Unread:
        """Return the meaning of a text.

        Args:
            text: Korean or English.
            names: Names of current objects, as nouns in addition to those of the lexicon; or a
                mapping of further words to such names.
        """
        language = language_of(text)
        if len(text) > LONGEST:
            return Unread(text, language, ())
        return self._parsed(text, language, _names_by_spelling(names), GOAL)

    def intended_texts(
        self, text: str, names: Iterable[str] | Mapping[str, str] = ()
    ) -> Iterator[str]:
        """Yield corrections of a misspelt text that can be parsed, the nearest first.

        Messages, and remarks in which any word may occur, are not corrected. The caller asks for
        confirmation before it acts on a corrected text.

        Args:
            text: Korean or English.
            names: Names of current objects, as for `read`.
        """
        if len(text) > LONGEST:
            return
        unread = not isinstance(self.read(text, names), Reading)
        lexicon = self.lexicon(language_of(text))
        for intended, found in self._readable(intended_texts(text, lexicon, unread=unread), names):
            if self._keeps_parts_in_any_words(found, text):
                yield intended

    def shortened_texts(
        self, text: str, names: Iterable[str] | Mapping[str, str] = ()
    ) -> Iterator[str]:
        """Yield parts of a text that can be parsed, with some words left out, the longest first.

        No word is left out of a verbatim text, such as a message to a person, or of a remark. The
        caller asks for confirmation before it acts on one of the parts.

        Args:
            text: Korean or English.
            names: Names of current objects, as for `read`.
        """
        if len(text) > LONGEST:
            return
        lexicon = self.lexicon(language_of(text))
        if _reports_hazard(Text.of(text, lexicon.language.contractions), lexicon):
            return
        texts = shortened_texts(text, lexicon)
        for short, found in self._readable(texts, names):
            quotes = (one.text("said") for one in found.meaning.walk() if one.kind == "quote")
            whole = all(_with_words_around(quote, short) in _bounded(text) for quote in quotes)
            if whole and self._keeps_parts_in_any_words(found, text):
                yield short

    def _keeps_parts_in_any_words(self, found: Reading, text: str) -> bool:
        """Return True if `text` contains the messages, items and remarks of a reading unchanged."""
        contractions = self.lexicon(found.language).language.contractions
        typed = Text.of(text, contractions).chars
        return all(part in typed for part in _parts_in_any_words(found.edge))

    def _readable(
        self, texts: Iterable[str], names: Iterable[str] | Mapping[str, str]
    ) -> Iterator[tuple[str, Reading]]:
        """Yield the texts that can be parsed and contain no unknown word, with their readings."""
        for text in texts:
            found = self.read(text, names)
            if isinstance(found, Reading) and not found.unknown_words:
                yield text, found

    def _parse(
        self, text: str, spoken: str, names: tuple[tuple[str, str], ...], goal: str
    ) -> Reading | Unread:
        lexicon = self.lexicon(spoken)
        language = lexicon.language
        plain = Text.of(text, language.contractions)
        if _reports_hazard(plain, lexicon):
            return Unread(text, language.name, (), is_hazard=True)
        edges = lattice(plain, lexicon, dict(names))
        stated = language.name == "en" and goal == GOAL and plain.asked
        found: list[Edge] = []
        for kind in (goal, STATED) if stated else (goal,):
            if plain.chars and not found:
                grammar = language.grammar_for(kind)
                found = parse(grammar, edges, len(plain.chars), kind, self._most)
        meanings: dict[Node, Edge] = {}
        for edge in found:
            if isinstance(edge.meaning, Node) and NOTHING.isdisjoint(edge.meaning.walk()):
                said = normal_form(edge.meaning if self._numbered else without_number(edge.meaning))
                if NOTHING.isdisjoint(said.walk()):
                    meanings.setdefault(said, edge)
        if not meanings:
            unknown = {
                edge.start: edge.text for edge in edges if edge.category == "unknown" and edge.text
            }
            beyond = tuple(edge.text for edge in edges if edge.is_impossible)
            return Unread(text, language.name, tuple(unknown.values()), beyond)
        (meaning, edge), *rest = meanings.items()
        rivals = tuple(node for node, other in rest if other.cost < edge.cost + MARGIN)
        others = tuple((node, other.cost) for node, other in rest)
        return Reading(
            text,
            language.name,
            meaning,
            edge.cost,
            edge,
            rivals,
            others=others,
            typed=plain,
            trees=tuple(other for _, other in rest),
        )


def may_deny_more(reading: Reading) -> bool:
    """Return True if a negation may also cover another clause.

    This is the next clause in English ("do not open it and go home"). In Korean it is the previous
    one, if it accompanies the denied act or if the denied verb has no words of its own ("do not go
    leaving it open").
    """
    accompanying = tuple(language_data(reading.language)["orders"].get("accompanying", ("\0",)))
    leaves = [one for one in reading.edge.leaves() if one.text]
    for at, one in enumerate(leaves):
        linked = one.category.startswith("v.") and one.category.endswith(_LINKING)
        following = leaves[at + 1 :] if one.text.endswith(accompanying) else leaves[at + 1 : at + 2]
        if linked and any(other.category.endswith(_DENYING) for other in following):
            return True
    return any(map(_denies_next, reading.edge.walk()))


def _denies_next(edge: Edge) -> bool:
    """Return True if one of the constituents of an edge is a negation that may cover the next."""
    for denied, joint in pairwise(edge.parts):
        negated = isinstance(denied.meaning, Node) and denied.meaning.kind == "avoid"
        joined = joint.category == "joint" and not _has_leaf(joint, "comma")
        if negated and joined and _has_leaf(denied, "neg"):
            return True
    return False


def _reports_hazard(text: Text, lexicon: Lexicon) -> bool:
    """Return True if an order reports a body part in a gap.

    "My hand is in the gap, just close it" must not be ignored as a remark. Robots that pass on
    messages are exempt, because a message may report anything.
    """
    language = lexicon.language
    if not language.orders or lexicon.takes_texts:
        return False
    return re.search(language.data["hazard"], text.chars) is not None


def _has_leaf(edge: Edge, category: str) -> bool:
    return any(leaf.category == category for leaf in edge.leaves())


def _parts_in_any_words(edge: Edge) -> Iterator[str]:
    """Yield the messages, items and remarks in a parse tree, normalized."""
    for leaf in edge.leaves():
        if leaf.category in _REMARKS or leaf.category.startswith("text"):
            yield leaf.text


def _with_words_around(quote: str, text: str) -> str:
    """Return a verbatim part of a text together with the word before and the word after it."""
    before, _, after = _bounded(text).partition(quote)
    return " ".join((*before.split()[-1:], quote, *after.split()[:1]))


def _bounded(text: str) -> str:
    """Return a text with a mark at each end, without final punctuation."""
    return f"\x02 {' '.join(text.split()).rstrip('.!?')} \x03"


def _names_by_spelling(
    names: Iterable[str] | Mapping[str, str],
) -> tuple[tuple[str, str], ...]:
    """Return pairs of a spelling, in lower case and without spaces, and a name."""
    pairs = names.items() if isinstance(names, Mapping) else ((name, name) for name in names)
    return tuple({re.sub(r"[\s_]", "", surface.lower()): name for surface, name in pairs}.items())
