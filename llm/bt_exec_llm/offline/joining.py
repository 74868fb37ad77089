"""Removal of corrected clauses, and attachment of clauses without a verb."""

from __future__ import annotations

from dataclasses import replace

from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.piece import Clause, Piece
from bt_exec_llm.offline.step import QUESTION
from bt_exec_llm.offline.trouble import Trouble

__all__ = ["attach_verbless_clauses", "without_retracted_clauses"]


def without_retracted_clauses(clauses: list[Clause]) -> list[Clause] | Trouble:
    """Return clauses without those that the operator took back."""
    found: list[Clause] = []
    for clause in clauses:
        if any(code == "TAKEN_BACK" for code, _ in clause.whys):
            return Trouble(
                "NEGATED", next(words for code, words in clause.whys if code == "TAKEN_BACK")
            )
        if clause.correction and found:
            before = found.pop()
            hangs = before.mood == "else" or (before.mood == "if" and clause.mood in ("do", "else"))
            if hangs and clause.verbs:  # e.g. if it is open, wait, otherwise open it
                return Trouble("CONDITION", before.said or clause.said)
            if not clause.verbs and not clause.whys:
                kinds = {(p.kind, p.name if p.kind != "unknown" else "") for p in clause.pieces}
                kept = [p for p in before.pieces if (p.kind, p.name) not in kinds]
                clause = replace(before, pieces=[*kept, *clause.pieces], end=clause.end)
            elif any(p.kind == "pronoun" for p in clause.pieces) or not clause.pieces:
                nouns = [p for p in before.pieces if p.kind in ("noun", "value")]
                rest = [p for p in clause.pieces if p.kind != "pronoun"]
                clause.pieces = [*nouns, *rest] if not rest else clause.pieces
                if rest and nouns:
                    clause.pieces = [*(n for n in nouns if n.kind == "noun"), *rest]
        found.append(clause)
    return found


def attach_verbless_clauses(
    clauses: list[Clause], lexicon: Lexicon, text: str
) -> list[Clause] | Trouble:
    """Return clauses with those without a verb attached to their neighbours."""
    found: list[Clause] = []
    waiting: list[Piece] = []
    listed = lexicon.list_types("each")
    for at, clause in enumerate(clauses):
        if clause.joined == "or" and found:
            return Trouble("CHOICE", text[found[-1].start : clause.end])
        if not clause.positive and not clause.verbs:
            clause.pieces = [p.with_mark("not") for p in clause.pieces]
        if clause.mood == "said":
            found.append(clause)
            continue
        if clause.first and not clause.verbs:  # e.g. …, but before that the break room
            return Trouble("OPERATOR", text[clause.start : clause.end])
        if clause.verbs or clause.whys:
            if waiting and clauses[at - 1].mood == "before":  # e.g. before the corridor check …
                clause.pieces.extend(waiting)
                waiting = []
            elif waiting:
                clause.pieces[:0] = waiting
                clause.start = min(p.start for p in clause.pieces)
                waiting = []
            found.append(clause)
            continue
        kinds = {p.name for p in clause.pieces if p.kind == "value"}
        last = at == len(clauses) - 1
        if clause.mood == "ask" or _is_status(clause, lexicon):
            clause.verbs, clause.mood = (QUESTION,), "ask"
            found.append(clause)
        elif (
            found
            and clause.pieces
            and not last
            and clauses[at + 1].verbs
            and not kinds & {p.name for p in found[-1].pieces}
        ):
            waiting = list(clause.pieces)
        elif found and kinds and found[-1].verbs and all(p.kind == "value" for p in clause.pieces):
            if found[-1].mood == "if" and any(p.mark == "with" for p in clause.pieces):
                return Trouble("CONDITION", text[found[-1].start : clause.end])  # e.g. then with …
            if clause.mood in ("before", "after") and not kinds <= listed:  # after the professor
                found[-1].whys.append(("CONDITION", text[clause.start : clause.end]))
            if clause.mood == "after":
                found[-1].pieces[:0] = clause.pieces
            else:
                found[-1].pieces.extend(p.with_mark(p.mark or "after") for p in clause.pieces)
            found[-1].end = clause.end
        elif (
            found and clause.pieces and clause.joined in ("", "stop") and _has_only_verb(found[-1])
        ):
            found[-1].pieces.extend(clause.pieces)  # e.g. close, um, the door
            found[-1].end = clause.end
        elif not last and not found and (clause.mood == "do" or kinds <= listed):
            waiting += clause.pieces
        else:
            found.append(clause)
    if waiting:
        found.append(Clause(pieces=waiting, start=waiting[0].start, end=waiting[-1].end))
    return found


def _has_only_verb(clause: Clause) -> bool:
    """Return True if a clause has a verb and no object."""
    bare = all(p.kind in ("filler", "speaker", "pronoun") for p in clause.pieces)
    return bare and bool(clause.verbs) and clause.mood == "do"


def _is_status(clause: Clause, lexicon: Lexicon) -> bool:
    names = {p.name for p in clause.pieces}
    return (
        clause.mood == "do"
        and bool(names & lexicon.list_types("each"))
        and bool(names & lexicon.list_types("joined"))
    )
