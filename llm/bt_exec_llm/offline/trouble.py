"""Why a reading is not understood: one code, and the words it is about.

=================  ==============================================================================
code               the command …
=================  ==============================================================================
EMPTY              says nothing
TOO_LONG           is longer than a command can be
BAD_CHARACTERS     holds characters that cannot be seen
STOP               says no more than to stop
NEGATED            forbids something
NOT_ASKED          asks whether something is *not* so
OPERATOR           holds a word of order, negation or condition that could not be used
CONDITION, TIME,   holds a condition, a time, a number, a manner or a choice that cannot be
COUNT, MANNER,     honoured
CHOICE
OUT_OF_REACH       names a place where the robot does not go
NOT_A_COMMAND      tells, or asks back
UNKNOWN_OBJECT     names a thing nobody knows
UNKNOWN_ACTION     names an action nobody knows
UNKNOWN_WORD       holds another word nobody knows
CONTRADICTION      gives two values where one can be
OUT_OF_RANGE       gives a number that is too small or too large
NUMBER             needs a number that it does not give
NOT_APPLICABLE     gives a value that changes nothing there
AMBIGUOUS          can mean two things
NO_ACTION          names a thing and no action
NO_OBJECT          names an action and no thing
NO_REFERENT        says *it*, and nothing was named
NOTHING_SAID       says *again*, and nothing was said before
NOTHING_LEFT       says *go on*, and the last mission came to its end
UNFINISHED         ends in the middle
NOT_TOGETHER       has an action and a thing that do not go together
NOT_UNDERSTOOD     means none of the above
=================  ==============================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["CODES", "Trouble"]

CODES = (
    "EMPTY",
    "TOO_LONG",
    "BAD_CHARACTERS",
    "STOP",
    "NEGATED",
    "OPERATOR",
    "NOT_ASKED",
    "CONDITION",
    "TIME",
    "UNKNOWN_OBJECT",
    "UNKNOWN_ACTION",
    "UNKNOWN_WORD",
    "COUNT",
    "MANNER",
    "CHOICE",
    "OUT_OF_REACH",
    "NOT_A_COMMAND",
    "CONTRADICTION",
    "OUT_OF_RANGE",
    "NUMBER",
    "NOT_APPLICABLE",
    "AMBIGUOUS",
    "UNFINISHED",
    "NO_REFERENT",
    "NOTHING_SAID",
    "NOTHING_LEFT",
    "NO_OBJECT",
    "NO_ACTION",
    "NOT_TOGETHER",
    "NOT_UNDERSTOOD",
)


@dataclass(frozen=True)
class Trouble:
    """Why a command is not understood: a code and the words it is about.

    Attributes:
        code: The code.
        words: The words.
        missing: What would be needed: types, or nouns of the lexicon.
        trees: The trees that it can mean.
        hint: The type of the number that would be needed.
    """

    code: str
    words: str = ""
    missing: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    hint: Any = None

    @property
    def rank(self) -> int:
        """Which of two is told: the smaller."""
        return CODES.index(self.code)
