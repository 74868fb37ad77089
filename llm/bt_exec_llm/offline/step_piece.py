"""Pieces: noun phrases and other phrases of a command, as arguments of a step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["BOUNDS", "DECIDED", "FIRST", "LAST", "OTHERS", "RANKS", "Kind", "Piece"]

FIRST, LAST = "first", "last"
OTHERS = "others"
"""Sense of phrases for persons whom the site does not know."""
DECIDED = ("holds", "fails", OTHERS)
"""Senses of phrases that a condition can be decided by."""
RANKS = (FIRST, LAST)
"""Marks of values with which an act over several values begins or ends."""

BOUNDS = ("LeastCount", "MostCount")
"""Types of the lower and upper bound of a number in a condition."""

Kind = Literal[
    "noun", "value", "state", "text", "speaker", "pronoun", "person", "limit", "unknown", "filler"
]


@dataclass(frozen=True)
class Piece:
    """Phrase of a command.

    Attributes:
        kind: Kind of the phrase.
        name: Noun, type of the value, state, or code of the limit, depending on the kind.
        value: Value, or text for a person.
        mark: Relation to the verb: ``to``, ``from``, ``with``, ``by``, ``only``, ``not``,
            ``subject``, ``first``, ``last`` or empty.
        relation: Place relative to an object, such as ``inside door``; may be empty.
        start: Start in the normalised command.
        end: End in the normalised command.
        text: Text as the operator typed it.
        sense: Meaning in a condition: ``holds``, ``fails``, ``others`` or empty.
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
