"""Arguments for a tree from the clauses that named it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bt_exec.spec.library import Library
from bt_exec.spec.model import Param
from bt_exec_llm.clauses import Clause
from bt_exec_llm.lexicon import Lexicon
from bt_exec_llm.trouble import Trouble
from bt_exec_llm.units import Unit

__all__ = ["Filler", "Part"]


@dataclass(frozen=True)
class Part:
    """One part of a command: a tree, its arguments, and the words that said so."""

    tree: str
    args: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""


class Filler:
    """Fills the parameters of trees with what a command says.

    Args:
        text: The command.
        library: The trees.
        lexicon: The words; says which values stand in lists and what a value brings along.
    """

    def __init__(self, text: str, library: Library, lexicon: Lexicon) -> None:
        self.text = text
        self.library = library
        self.lexicon = lexicon

    def said(self, parts: Iterable[Clause]) -> str:
        """Return the words of clauses, from the first to the last."""
        spans = [clause.span for clause in parts]
        start, end = min(start for start, _ in spans), max(end for _, end in spans)
        return " ".join(self.text[start:end].split())

    def parts(
        self, name: str, said: list[Clause], shared: Iterable[Unit]
    ) -> tuple[Part, ...] | Trouble:
        """Return tree `name` with arguments: once, or once for each value of a list.

        Shared values hold where it has none of its own.
        """
        params = self.library.get(name).params
        lists = self._complements(said, params)
        if isinstance(lists, Trouble):
            return lists
        given = self._values(said, shared, params)
        if isinstance(given, Trouble):
            return given
        rows: list[dict[str, Any]] = [{}]
        for key, values in lists.items():
            rows = [{**row, key: value} for row in rows for value in values]
        spoken = self.said(said)
        return tuple(Part(name, self._brought(row, params, given), spoken) for row in rows)

    def _complements(
        self, said: list[Clause], params: Mapping[str, Param]
    ) -> dict[str, list[str]] | Trouble:
        """Return the values that belong to the frame, by parameter; a list has several."""
        found: dict[str, list[str]] = {}
        units = [unit for clause in said for unit in clause.units]
        for unit in (unit for unit in units if unit.kind in ("value", "text")):
            takes = [key for key in params if params[key].type == unit.name]
            how = self.lexicon.lists.get(unit.name)
            known = {value for key in takes for value in found.get(key, ())}
            fresh = [value for value in self._each(unit) if value not in known]
            if not fresh:
                continue
            key = next((key for key in takes if how or key not in found), None)
            if key is None:
                code = "CONTRADICTION" if takes else "NOT_APPLICABLE"
                return Trouble(code, self.text[unit.start : unit.end])
            found.setdefault(key, []).extend(fresh)
        return {
            key: [", ".join(values)]
            if self.lexicon.lists.get(params[key].type) == "joined"
            else values
            for key, values in found.items()
        }

    def _each(self, unit: Unit) -> list[str]:
        """Return the values that a unit stands for: its own, or those it is a word for."""
        known = self.lexicon.values.get(unit.name, {}).get(unit.value)
        return (known and known.each) or [unit.value]

    def _values(
        self, said: list[Clause], shared: Iterable[Unit], params: Mapping[str, Param]
    ) -> dict[str, str] | Trouble:
        """Return the values that stand beside the frame, by parameter."""
        args: dict[str, str] = {}
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
        return args

    def _brought(
        self, row: dict[str, Any], params: Mapping[str, Param], given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return all arguments of one part, with what its values bring along."""
        args = {**row, **given}
        for key, value in tuple(args.items()):
            known = self.lexicon.values.get(params[key].type, {}).get(value)
            for name, more in (known.brings if known is not None else {}).items():
                if name in params:
                    args.setdefault(name, more)
        return args
