"""A step: one thing to do or to find out, with everything said about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from bt_exec_llm.offline.piece import Piece

__all__ = ["QUESTION", "Step", "positive_first"]

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
    """Return steps with what is forbidden after what is to be done: do not close it, but fetch …"""
    found = list(steps)
    for at in range(len(found) - 1):
        if not found[at].positive and found[at + 1].positive:
            found[at : at + 2] = found[at + 1], found[at]
    return found
