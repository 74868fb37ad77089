"""A step: one thing to do or to find out, with everything said about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from bt_exec_llm.offline.piece import Piece

__all__ = ["QUESTION", "Step", "nouns_before", "pointing_at", "positive_first"]

QUESTION = "?"
"""The predicate of a question."""


@dataclass
class Step:
    """One thing to do or to find out.

    Attributes:
        verbs: What its verb can be.
        pieces: What it is about.
        via: For a question: ``look`` if it is only to be looked after, ``tell`` if it is to be told
            in the end, ``ask`` if it was asked directly.
        positive: False where it is forbidden.
        condition: The question that decides, and the answer that is needed.
        times: How often.
        keeps: Whether a state is to stay so.
        pronoun: Whether it says *it*.
        said: Whether it is only said, and nothing is to be done: it is cold.
        probe: Whether it is bound only to know what it would do.
        contrast: Whether it is set against the rest: 자재는, but not …
        case: Which of several conditions it hangs on: 0 for the first, then its alternatives.
        told: Whether what is found is to be told: 복도 순찰, as a mere noun.
        start: Where its words begin.
        end: Where they end.
        text: Its words.
    """

    verbs: tuple[str, ...]
    pieces: list[Piece] = field(default_factory=list)
    via: str = ""
    positive: bool = True
    condition: tuple[Step, bool] | None = None
    times: int = 1
    keeps: bool = False
    pronoun: bool = False
    told: bool = False
    said: bool = False
    case: int = 0
    contrast: bool = False
    probe: bool = False
    joined: str = ""
    start: int = 0
    end: int = 0
    text: str = ""


def positive_first(steps: list[Step]) -> list[Step]:
    """Return steps with prohibitions last, as in "do not close it, but fetch …"."""
    found = list(steps)
    for at in range(len(found) - 1):
        if not found[at].positive and found[at + 1].positive:
            found[at : at + 2] = found[at + 1], found[at]
    return found


def nouns_before(steps: list[Step]) -> list[Piece]:
    """Return the things that steps name, the latest first."""
    return [p for one in reversed(steps) for p in reversed(one.pieces) if p.kind == "noun"]


def pointing_at(step: Step, nouns: Iterable[Piece]) -> Iterator[Step]:
    """Yield a step that says *it* with each of some things in its place; none if it names one."""
    if not step.pronoun or any(p.kind in ("noun", "text") for p in step.pieces):
        return
    for name in dict.fromkeys(p.name for p in nouns if p.name):
        pieces = [
            replace(piece, kind="noun", name=name)
            if piece.kind == "pronoun" and piece.name != "person"
            else piece
            for piece in step.pieces
        ]
        if pieces != step.pieces:
            yield replace(step, pieces=pieces, pronoun=False)
