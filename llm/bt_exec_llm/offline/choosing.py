"""Which of several commands that were offered an answer takes: the left one, 왼팔이요, open."""

from __future__ import annotations

from collections.abc import Sequence

from bt_exec_llm.offline.piece import Clause
from bt_exec_llm.offline.reader import Reader

__all__ = ["chosen_of"]

_IDLE = ("filler", "pronoun", "speaker")


def chosen_of(offered: Sequence[str], answer: list[Clause], language: str, reader: Reader) -> str:
    """Return the one offered command that holds all that an answer names; empty if there is none.

    An answer that names nothing, or something that is in more than one of them, takes none.
    """
    said = _content(answer)
    if not said:
        return ""
    fits = [one for one in offered if said <= _content(reader.clauses(one, language))]
    return fits[0] if len(fits) == 1 else ""


def _content(clauses: list[Clause]) -> set[tuple[str, ...]]:
    """Return what clauses name, to be compared: values, things, verbs, what denies them."""
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
