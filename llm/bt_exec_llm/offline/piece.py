"""Pieces: the phrases of a step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["BOUNDS", "Kind", "Piece"]

BOUNDS = ("LeastCount", "MostCount")
"""Types of the bounds of a number that a condition asks about."""

Kind = Literal[
    "noun", "value", "state", "text", "speaker", "pronoun", "person", "limit", "unknown", "filler"
]


@dataclass(frozen=True)
class Piece:
    """A phrase of a command.

    Attributes:
        kind: Kind of the phrase.
        name: The noun, the type of a value, the state, or the code of a limit.
        value: The value or the text.
        mark: Relation to the verb: ``to``, ``from``, ``with``, ``by``, ``only``, ``not``,
            ``subject`` or empty.
        relation: Place relative to an object, e.g. ``inside door``.
        start: Start in the cleaned command.
        end: End in the cleaned command.
        text: Text as typed.
        sense: Meaning in a condition: ``holds``, ``fails`` or empty.
    """

    kind: Kind
    name: str = ""
    value: str = ""
    mark: str = ""
    relation: str = ""
    start: int = 0
    end: int = 0
    text: str = ""
    sense: str = ""

    def with_mark(self, mark: str) -> Piece:
        """Return a copy with another mark."""
        return replace(self, mark=mark)
