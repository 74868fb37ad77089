"""Use of unknown nouns as texts of a verb; other unknown nouns refuse the command."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.piece import Piece
from bt_exec_llm.offline.step import Step
from bt_exec_llm.offline.trouble import Trouble

__all__ = ["find_noun_attributes", "use_unknown_nouns_as_texts"]

_CLAUSE = re.compile(r"(?<!\bof)(?<!\bfor)(?<!\bwith) (?:the|a|an|my|your|his|her|their|is|are) ")
"""Words that do not occur in a noun phrase ("*needs the folder*")."""


def find_noun_attributes(pieces: list[Piece]) -> list[tuple[Piece, Piece]]:
    """Return the values that directly precede a noun, with the noun ("the left door")."""
    return [
        (piece, after)
        for piece, after in pairwise(pieces)
        if piece.kind == "value" and not piece.mark and after.kind == "noun"
        if 0 <= after.start - piece.end <= 1
    ]


def use_unknown_nouns_as_texts(step: Step, lexicon: Lexicon) -> Step | Trouble:
    """Use unknown nouns as texts where the verb takes one; refuse the others."""
    unknown = [p for p in step.pieces if p.kind == "unknown"]
    slot = next(
        (
            (name, slot)
            for name, slot in lexicon.texts.items()
            if slot.shape == "noun" and set(step.verbs) & set(slot.verbs)
        ),
        None,
    )
    if not unknown:
        return step
    if slot is None or any(p.name != "noun" for p in unknown) or not step.verbs:
        first = next((p for p in unknown if p.name != "noun"), unknown[0])
        return _unknown_word_trouble(step, first)
    name, shape = slot
    pieces = []
    for piece in step.pieces:
        if piece.kind == "unknown":
            last = piece.value.split()[-1].casefold() if piece.value.split() else ""
            if piece.mark in ("at", "from", "to", "with") or last in {
                *shape.never.en,
                *shape.never.ko,
            }:
                return Trouble("UNKNOWN_OBJECT", piece.text)
            if _CLAUSE.search(piece.value.casefold()):  # e.g. needs the folder
                return Trouble("UNKNOWN_WORD", piece.text)
            piece = replace(
                piece, kind="text", name=name, mark=piece.mark if piece.mark == "not" else ""
            )
        pieces.append(piece)
    return replace(step, pieces=pieces, verbs=tuple(v for v in step.verbs if v in shape.verbs))


def _unknown_word_trouble(step: Step, piece: Piece) -> Trouble:
    alone = not any(p.kind in ("noun", "value") for p in step.pieces)
    if not step.verbs:
        first = all(piece.start <= other.start for other in step.pieces)
        if first and piece.text.isascii() and (not alone or step.joined):
            return Trouble("UNKNOWN_ACTION", piece.text)
        return Trouble("NOT_UNDERSTOOD" if alone else "UNKNOWN_WORD", piece.text)
    code = (
        "UNKNOWN_OBJECT"
        if alone or piece.mark in ("at", "to", "from", "subject")
        else "UNKNOWN_WORD"
    )
    return Trouble(code, piece.text)
