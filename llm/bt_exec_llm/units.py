"""Units of meaning, and the search for the readings of a command.

A reading covers the whole command: every piece of it is a known unit, a *text* that a known verb
takes as it stands, or an *unknown* one. The readings with the least unknown, among these with the
least text, and among these with the fewest pieces are the ones that count; when several are
equally good, all of them are returned and must agree later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Edge", "Kind", "Reading", "Unit", "readings"]

Kind = Literal[
    "verb",  # an action: name is the concept
    "noun",  # an object: name is the concept
    "word",  # any other word that matters: name is the concept or the word itself
    "pronoun",  # it, 그거
    "value",  # a value of a named type: name is the type
    "text",  # the words themselves: name is the type, value the words
    "filler",  # changes nothing
    "lead",  # politeness that a verb must follow: "could you"
    "then",  # one part ends, the next begins
    "stop",  # punctuation or a finished sentence: perhaps the next part begins
    "not",  # negation
    "limit",  # a condition, a number, a time, a manner: name is the refusal's code
    "unknown",
]
_MOST = 64


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a command that means something, or that nobody knows.

    Attributes:
        kind: See `Kind`.
        name: What it is; see `Kind`.
        value: The value of a ``value``, the words of a ``text``, the way of a ``verb`` or ``word``.
        form: ``base`` or ``ing``: the form of an English verb, or the form that a lead wants;
            ``proxy`` of a ``value`` that something else was named for.
        start: Where it begins in the command.
        end: Where it ends.
    """

    kind: Kind
    name: str = ""
    value: str = ""
    form: str = ""
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def key(self) -> tuple[str, str]:
        """What makes two units the same to the library."""
        return (self.kind, self.name)

    @property
    def acts(self) -> bool:
        """Whether it says what to do or what to tell."""
        return self.kind == "verb" or (self.kind == "word" and self.name.startswith("state "))

    def at(self, start: int, end: int) -> Unit:
        """Return it placed in a command."""
        return replace(self, start=start, end=end)


Reading: TypeAlias = tuple[Unit, ...]


class Edge(NamedTuple):
    """A step of a reading.

    Attributes:
        end: The position it leads to.
        units: What it adds.
        unknown: How much of it is unknown.
        text: How much of it is text.
        opens: Whether text may begin after it; None if that is as it was before.
        wants_open: Whether it can only be taken where text may begin.
    """

    end: int
    units: Reading
    unknown: int = 0
    text: int = 0
    opens: bool | None = False
    wants_open: bool = False


_State = tuple[int, bool]  # a position, and whether text may begin there
_Best = tuple[tuple[int, int, int], dict[Reading, None]]


def readings(length: int, edges: Callable[[int], Iterable[Edge]]) -> tuple[Reading, ...]:
    """Return the best readings of positions 0..`length`; at least one if edges always lead on.

    There are at most 64 of them; text with more equally good readings than that has none, so
    time is bounded and no reading is silently preferred.
    """
    best: dict[_State, _Best] = {(0, True): ((0, 0, 0), {(): None})}
    for position in range(length):
        open_here, shut_here = best.get((position, True)), best.get((position, False))
        if open_here is None and shut_here is None:
            continue
        steps = tuple(edges(position))
        for here, is_open in ((open_here, True), (shut_here, False)):
            if here is None:
                continue
            if len(here[1]) > _MOST:
                return ()
            for edge in steps:
                if is_open or not edge.wants_open:
                    _take(best, here, edge, is_open)
    ends = [best[state] for state in ((length, True), (length, False)) if state in best]
    if not ends:
        return ()
    least = min(cost for cost, _ in ends)
    found = {reading: None for cost, paths in ends if cost == least for reading in paths}
    return () if len(found) > _MOST else tuple(found)


def _take(best: dict[_State, _Best], here: _Best, edge: Edge, is_open: bool) -> None:
    """Extend the readings that end `here` by `edge`, where that is as good as any other way."""
    (unknown, text, steps), paths = here
    cost = (unknown + edge.unknown, text + edge.text, steps + 1)
    state = (edge.end, is_open if edge.opens is None else edge.opens)
    there = best.get(state)
    if there is None or cost < there[0]:
        there = best[state] = (cost, {})
    if cost == there[0] and len(there[1]) <= _MOST:
        there[1].update((path + edge.units, None) for path in paths)
