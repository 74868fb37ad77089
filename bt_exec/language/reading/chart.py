"""Chart parser that uses a grammar to find the cheapest readings of a lattice.

Edges are built bottom-up, from left to right, but only where the goal or a partially matched rule
expects their category. For each category and span, only the `MOST` cheapest meanings are kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import Any, NamedTuple

from bt_exec.language.reading.grammar import Grammar, State
from bt_exec.language.reading.meaning_node import UNSAID

__all__ = ["MOST", "Edge", "parse"]

MOST = 4
"""Default maximum number of meanings per category and span; readers of several packs keep more."""
_BUDGET = 40_000
"""Maximum number of edges; usual commands need up to 3,000."""
_MOST_UNFINISHED = 300_000
"""Maximum number of partially matched rules; the longest commands need up to 40,000."""


class Edge(NamedTuple):
    """Edge of the chart: a category over a span of the text.

    Attributes:
        start: Position of the first character.
        end: Position after the last character.
        category: Category of the grammar.
        meaning: A node, a constant, or None if the category has no meaning.
        cost: Cost of the wording; 0 for the usual wording.
        parts: Edges of the constituents; empty for words.
        text: Text of a word without spaces; empty for other edges.
        past: Whether the edge is a verb in a past form.
    """

    start: int
    end: int
    category: str
    meaning: Any
    cost: float
    parts: tuple[Edge, ...] = ()
    text: str = ""
    past: bool = False

    def walk(self) -> Iterator[Edge]:
        """Yield the edge and all edges below it; each comes before its constituents."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def leaves(self) -> Iterator[Edge]:
        """Yield the edges without parts below this one, or the edge itself, from left to right."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()

    @property
    def is_impossible(self) -> bool:
        """Whether the edge is a verb of an act that no robot here can do, such as "throw"."""
        return self.category.startswith("v.beyond")


class _Active(NamedTuple):
    """A partially matched rule."""

    state: State
    start: int
    parts: tuple[Edge, ...]
    cost: float


def parse(
    grammar: Grammar, lattice: Iterable[Edge], length: int, goal: str, most: int = MOST
) -> list[Edge]:
    """Return the readings of category `goal` over the whole lattice, the cheapest first.

    The number of edges is bounded, so a long text with many repetitions may have no reading.
    """
    by_end: dict[int, list[Edge]] = defaultdict(list)
    for edge in lattice:
        by_end[edge.end].append(edge)
    waiting = [_Waiting() for _ in range(length + 1)]
    waiting[0].places[goal] = []
    found: list[Edge] = []
    number = unfinished = 0
    for end in range(1, length + 1):
        heap: list[tuple[int, float, int, Edge]] = []
        for edge in by_end[end]:
            if not waiting[edge.start].expects(edge.category, grammar):
                continue
            number += 1
            heappush(heap, (-edge.start, edge.cost, number, edge))
        kept: dict[tuple[int, str], list[Any]] = defaultdict(list)
        while heap:
            if number > _BUDGET:
                return []
            edge = heappop(heap)[3]
            rivals = kept[edge.start, edge.category]
            if len(rivals) >= most or edge.meaning in rivals:
                continue
            rivals.append(edge.meaning)
            if edge.category == goal and edge.start == 0 and end == length:
                found.append(edge)
            for made in _completed_edges(grammar, edge, waiting):
                number += 1
                heappush(heap, (-made.start, made.cost, number, made))
        unfinished += sum(map(len, waiting[end].actives))
        if unfinished > _MOST_UNFINISHED:
            return []
    return sorted(found, key=lambda edge: edge.cost)


def _completed_edges(grammar: Grammar, edge: Edge, waiting: list[_Waiting]) -> Iterator[Edge]:
    """Yield the edges of rules that `edge` completes; register the rules that need more items."""
    category = edge.category
    begun = grammar.beginning.get(category, ())
    actives = [_Active(state, edge.start, (edge,), edge.cost) for state in begun]
    before = waiting[edge.start]
    for place in before.places.get(category, ()):
        following = before.states[place].next_states[category]
        for active in before.actives[place]:
            parts, cost = (*active.parts, edge), active.cost + edge.cost
            actives += [_Active(state, active.start, parts, cost) for state in following]
    here = waiting[edge.end]
    for active in actives:
        if active.state.next_states:
            here.add(active)
        for rule in active.state.completed_rules:
            if not waiting[active.start].expects(rule.makes, grammar):
                continue
            meaning = rule.build([part.meaning for part in active.parts])
            if meaning is UNSAID:
                continue
            cost = active.cost + rule.cost
            yield Edge(active.start, edge.end, rule.makes, meaning, cost, active.parts)


class _Waiting:
    """Partially matched rules that end at one position, by the categories that can follow."""

    def __init__(self) -> None:
        self.states: list[State] = []
        self.actives: list[list[_Active]] = []
        self.places: dict[str, list[int]] = defaultdict(list)
        self._known: dict[int, int] = {}
        self._wanted: dict[str, bool] = {}

    def expects(self, category: str, grammar: Grammar) -> bool:
        """Return True if a rule expects `category` here, or a category that may begin with it."""
        if category not in self._wanted:
            begun = grammar.categories_beginning_with(category)
            self._wanted[category] = not self.places.keys().isdisjoint(begun)
        return self._wanted[category]

    def add(self, active: _Active) -> None:
        """Add a partially matched rule."""
        place = self._known.get(id(active.state))
        if place is None:
            place = self._known[id(active.state)] = len(self.states)
            self.states.append(active.state)
            self.actives.append([])
            for category in active.state.next_states:
                self.places[category].append(place)
        self.actives[place].append(active)
