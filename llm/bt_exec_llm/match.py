"""A command into parts, each a tree with arguments, or into the reason why not.

Every reading of the command is split into clauses; clauses whose frame is a tree's are that tree.
A clause that names no object, or says *it*, takes an object that was named beside it, if exactly
one tree comes of that. Nothing else is tried: what is not understood is not guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bt_exec.spec.library import Library
from bt_exec_llm.frames import Clause, Index, clauses
from bt_exec_llm.trouble import Trouble, trouble_of
from bt_exec_llm.units import Reading, Unit

__all__ = ["Part", "understand"]

_FIRST = frozenset({"NEGATED", "CONDITION", "TIME", "COUNT", "MANNER", "CHOICE", "NOT_A_COMMAND"})


@dataclass(frozen=True)
class Part:
    """One part of a command: a tree, its arguments, and the words that said so."""

    tree: str
    args: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""


def understand(
    text: str, language: str, index: Index, library: Library
) -> tuple[Part, ...] | Trouble:
    """Return what a cleaned command asks for, part by part, or why it is not understood."""
    found = index.read(text, language)
    results = [_Matcher(text, language, index, library).match(reading) for reading in found]
    troubles = [result for result in results if isinstance(result, Trouble)]
    for trouble in troubles:
        if trouble.code in _FIRST:
            return trouble
    matches = [result for result in results if not isinstance(result, Trouble)]
    meanings = {tuple((part.tree, *sorted(part.args.items())) for part in m) for m in matches}
    if len(meanings) > 1:
        return Trouble("AMBIGUOUS", text)
    if matches:
        return matches[0]
    return min(troubles, key=lambda trouble: trouble.rank, default=Trouble("NOT_UNDERSTOOD", text))


class _Matcher:
    """Matches the clauses of one reading."""

    def __init__(self, text: str, language: str, index: Index, library: Library) -> None:
        self.text = text
        self.language = language
        self.index = index
        self.library = library

    def match(self, reading: Reading) -> tuple[Part, ...] | Trouble:
        """Return the parts of `reading`, or what is wrong with it."""
        if any(unit.kind == "unknown" for unit in reading) or not _forms_agree(reading):
            return trouble_of(reading, self.text, self.language)
        said = [unit for unit in reading if unit.kind not in ("filler", "stop")]
        if said and said[-1].kind == "then":
            return trouble_of(reading, self.text, self.language, Trouble("UNFINISHED", self.text))
        parts: list[Part] = []
        every = clauses(reading, self.index.complements)
        position = 0
        while position < len(every):
            step = self._step(every, position)
            if isinstance(step, Trouble):
                return trouble_of(reading, self.text, self.language, step)
            part, position, borrowed = step
            same = parts and (parts[-1].tree, parts[-1].args) == (part.tree, part.args)
            if not (borrowed and same):
                parts.append(part)
        if not parts:
            return trouble_of(reading, self.text, self.language)
        return tuple(parts)

    def _step(self, every: list[Clause], first: int) -> tuple[Part, int, bool] | Trouble:
        """Return the part at clause `first`, where the next begins, and whether it borrowed."""
        for end in range(len(every), first, -1):
            names = self.index.find(every[first:end], self.language)
            if len(names) > 1:
                return Trouble("AMBIGUOUS", self._said(every[first:end]))
            if names:
                shared = self._leading(every) if first else []
                part = self._part(next(iter(names)), every[first:end], shared)
                return part if isinstance(part, Trouble) else (part, end, False)
        return self._borrow(every, first)

    def _borrow(self, every: list[Clause], at: int) -> tuple[Part, int, bool] | Trouble:
        """Give a clause the object that was named beside it."""
        clause = every[at]
        said = self._said([clause])
        acts = any(unit.acts for unit in clause.units)
        if clause.has("noun"):
            return Trouble("NOT_TOGETHER" if acts else "NO_ACTION", said)
        if not acts:
            return Trouble("NO_ACTION" if clause.has("pronoun") else "NOT_UNDERSTOOD", said)
        pronoun = clause.has("pronoun")
        sources = list(range(at - 1, -1, -1))
        if not pronoun and not any(every[source].has("noun") for source in sources):
            sources = [at + 1] if self.language == "en" and at + 1 < len(every) else []
        hits: dict[str, int] = {}
        for source in sources:
            for noun in (unit for unit in every[source].units if unit.kind == "noun"):
                for filled in _filled(clause, noun):
                    for name in self.index.find([filled], self.language):
                        hits.setdefault(name, source)
        if len(hits) != 1:
            code = "AMBIGUOUS" if hits else "NO_REFERENT" if pronoun else "NO_OBJECT"
            return Trouble(code, said)
        (name, source), *_ = hits.items()
        shared = [*self._leading(every), *(() if pronoun else every[source].values)]
        part = self._part(name, [clause], shared)
        return part if isinstance(part, Trouble) else (part, at + 1, True)

    def _leading(self, every: list[Clause]) -> list[Unit]:
        """Return the values that open an English command and so hold for all of it."""
        return list(every[0].values) if self.language == "en" and every[0].leads else []

    def _said(self, parts: list[Clause]) -> str:
        start = min(clause.span[0] for clause in parts)
        end = max(clause.span[1] for clause in parts)
        return " ".join(self.text[start:end].split())

    def _part(self, name: str, said: list[Clause], shared: Iterable[Unit]) -> Part | Trouble:
        """Return tree `name` with arguments; shared values hold where it has none of its own."""
        params = self.library.get(name).params
        args: dict[str, Any] = {}
        for unit in (unit for clause in said for unit in clause.units if unit.kind == "value"):
            free = (key for key in params if params[key].type == unit.name and key not in args)
            key = next(free, None)
            if key is None:
                return Trouble("NOT_APPLICABLE", self.text[unit.start : unit.end])
            args[key] = unit.value
        given: dict[str, dict[str, Unit]] = {}
        for unit in (value for clause in said for value in clause.values):
            given.setdefault(unit.name, {})[unit.value] = unit
        mine = set(given)
        for unit in shared:
            if unit.name not in mine and any(p.type == unit.name for p in params.values()):
                given.setdefault(unit.name, {})[unit.value] = unit
        for type_name, values in given.items():
            fitting = [key for key, param in params.items() if param.type == type_name]
            spoken = [self.text[unit.start : unit.end] for unit in values.values()]
            if len(values) > 1:
                return Trouble("CONTRADICTION", " / ".join(spoken))
            if not fitting:
                return Trouble("NOT_APPLICABLE", spoken[0])
            if len(fitting) > 1 and type_name.lower() not in fitting:
                return Trouble("AMBIGUOUS", spoken[0])
            key = type_name.lower() if type_name.lower() in fitting else fitting[0]
            args[key] = next(iter(values))
        return Part(name, args, self._said(said))


def _filled(clause: Clause, noun: Unit) -> Iterable[Clause]:
    """Yield `clause` with `noun` for its pronoun, or in each place where an object could stand."""
    units = clause.units
    if clause.has("pronoun"):
        swapped = tuple(noun if unit.kind == "pronoun" else unit for unit in units)
        yield Clause(swapped, clause.values, clause.joined)
        return
    for place in range(len(units) + 1):
        yield Clause((*units[:place], noun, *units[place:]), clause.values, clause.joined)


def _forms_agree(reading: Reading) -> bool:
    """Whether every English verb has the form that the politeness before it wants."""
    wanted, pending, joined = "base", False, True
    for unit in reading:
        if unit.kind == "lead":
            wanted, pending = unit.form, True
        elif unit.kind == "then":
            if pending:
                return False
            joined = True
        elif unit.kind == "verb":
            loose = joined and not pending and unit.form == "base"
            if unit.form and unit.form != wanted and not loose:
                return False
            pending = joined = False
        elif pending and unit.kind not in ("filler", "stop", "value", "not"):
            return False
    return not pending
