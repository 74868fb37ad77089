"""Units of meaning, and the search for the readings of a command.

A reading covers the whole command: every piece of it is a known unit or an *unknown* one. The
readings with the least unknown text, and among these with the fewest pieces, are the ones that
count; when several are equally good, all of them are returned and must agree later.
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
        value: The value of a ``value``.
        form: ``base`` or ``ing``: the form of an English verb, or the form that a lead wants.
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
    """A step of a reading: the position it leads to, what it adds, how much of it is unknown."""

    end: int
    units: Reading
    unknown: int = 0


def readings(length: int, edges: Callable[[int], Iterable[Edge]]) -> tuple[Reading, ...]:
    """Return the best readings of positions 0..`length`; at least one if edges always lead on.

    There are at most 64 of them; text with more equally good readings than that has none, so
    time is bounded and no reading is silently preferred.
    """
    best: list[tuple[tuple[int, int], dict[Reading, None]] | None] = [None] * (length + 1)
    best[0] = ((0, 0), {(): None})
    for position in range(length):
        here = best[position]
        if here is None:
            continue
        (unknown, steps), paths = here
        if len(paths) > _MOST:
            return ()
        for edge in edges(position):
            cost = (unknown + edge.unknown, steps + 1)
            there = best[edge.end]
            if there is None or cost < there[0]:
                there = best[edge.end] = (cost, {})
            if cost == there[0] and len(there[1]) <= _MOST:
                there[1].update((path + edge.units, None) for path in paths)
    last = best[length]
    return () if last is None or len(last[1]) > _MOST else tuple(last[1])
