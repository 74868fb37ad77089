"""Clauses: the parts of a reading between connectives and punctuation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from bt_exec_llm.units import Reading, Unit

__all__ = ["Clause", "clauses"]


@dataclass(frozen=True)
class Clause:
    """A part of a command between connectives or punctuation.

    Attributes:
        units: What it says, fillers and values left out.
        values: The values it gives, in order.
        joined: How it is joined to the part before: ``then``, ``stop`` or ``""`` for the first.
        leads: Whether a value stands before its verb.
        closing: The tree that ends a mission, if all it says is that the mission ends so.
    """

    units: tuple[Unit, ...]
    values: tuple[Unit, ...]
    joined: str = ""
    leads: bool = False
    closing: str = ""

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands in the command."""
        placed = (*self.units, *self.values)
        return min(unit.start for unit in placed), max(unit.end for unit in placed)

    def has(self, kind: str) -> bool:
        """Whether it holds a unit of `kind`."""
        return any(unit.kind == kind for unit in self.units)


def clauses(
    reading: Reading,
    complements: frozenset[str] = frozenset(),
    closing: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> list[Clause]:
    """Split a reading into clauses; values of types in `complements` stay among the units.

    A clause without content is dropped; one that only gives values goes with its neighbour. What
    joins two values of the same complement joins no clauses: "the lounge and the corridor". A unit
    in `closing` is a clause of its own.
    """
    found: list[Clause] = []
    units: list[Unit] = []
    values: list[Unit] = []
    joined, leads = "", False

    def close(closes: str = "") -> None:
        nonlocal joined, leads
        if units or values:
            first = joined if found else ""
            found.append(Clause(tuple(units), tuple(values), first, leads, closes))
            joined = ""
        units.clear()
        values.clear()
        leads = False

    for unit in _listed(reading, complements):
        if unit.kind in ("then", "stop"):
            close()
            if found and joined != "then":
                joined = unit.kind
        elif unit.key in closing:
            close()
            units.append(unit)
            close(closing[unit.key])
        elif unit.kind == "value" and unit.name not in complements:
            leads = leads or not units
            values.append(unit)
        elif unit.kind not in ("filler", "lead"):
            units.append(unit)
    close()
    return _with_neighbours(found)


def _listed(reading: Reading, complements: frozenset[str]) -> Iterator[Unit]:
    """Yield `reading` without what joins two values of the same complement."""
    held: list[Unit] = []
    last: Unit | None = None
    for unit in reading:
        if last is not None and unit.kind in ("then", "stop", "filler"):
            held.append(unit)
            continue
        listed = last is not None and unit.kind == "value" and unit.name == last.name
        yield from () if listed else held
        held.clear()
        last = unit if unit.kind == "value" and unit.name in complements else None
        yield unit
    yield from held


def _with_neighbours(found: list[Clause]) -> list[Clause]:
    merged: list[Clause] = []
    waiting: tuple[Unit, ...] = ()
    for clause in found:
        if clause.units:
            values, leads = (*waiting, *clause.values), clause.leads or bool(waiting)
            joined = clause.joined if merged else ""
            merged.append(Clause(clause.units, values, joined, leads, clause.closing))
            waiting = ()
        elif merged:
            last = merged.pop()
            merged.append(replace(last, values=(*last.values, *clause.values)))
        else:
            waiting = (*waiting, *clause.values)
    return merged
