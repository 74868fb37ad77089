"""Selection among offered commands by a short answer ("the left one", 왼팔이요, "open")."""

from __future__ import annotations

from collections.abc import Sequence

from bt_exec_llm.offline.piece import Clause
from bt_exec_llm.offline.reader import Reader

__all__ = ["find_chosen_command"]

_IDLE = ("filler", "pronoun", "speaker")


def find_chosen_command(
    offered: Sequence[str], answer: list[Clause], language: str, reader: Reader
) -> str:
    """Return the one offered command that contains everything an answer names; otherwise "".

    An answer that names nothing, or that matches several commands, selects none.
    """
    said = _clause_content(answer)
    if not said:
        return ""
    fits = [one for one in offered if said <= _clause_content(reader.parse_clauses(one, language))]
    return fits[0] if len(fits) == 1 else ""


def _clause_content(clauses: list[Clause]) -> set[tuple[str, ...]]:
    """Return the content of clauses for comparison: values, objects, verbs and negations."""
    found: set[tuple[str, ...]] = set()
    for clause in clauses:
        found |= {("verb", verb) for verb in clause.verbs}
        found |= {
            (p.kind, p.name, p.value, p.mark if p.mark == "not" else "")
            for p in clause.pieces
            if p.kind not in _IDLE
        }
        if not clause.positive or clause.mood != "do":
            found.add(("mood", clause.mood, str(clause.positive)))
    return found
