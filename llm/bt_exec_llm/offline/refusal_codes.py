"""Reasons why a command is not understood: a code and the words concerned.

=================  ==============================================================================
code               the command …
=================  ==============================================================================
EMPTY              is empty
TOO_LONG           exceeds the maximum length
BAD_CHARACTERS     contains invisible characters
STOP               only asks to stop
HAZARD             reports a body part in a gap
NEGATED            forbids something
NOT_ASKED          asks for the negation of a question
OPERATOR           contains a word of order, negation or condition without a use
CONDITION, TIME,   contains a condition, time, number, manner or choice without a use
COUNT, MANNER,
CHOICE
CONDITION_END      has a condition that may or may not cover the last act
OUT_OF_REACH       names a place where the robot does not go
NOT_A_COMMAND      is a statement, or a question about the operator
UNKNOWN_OBJECT     names an unknown object
UNKNOWN_ACTION     names an unknown action
UNKNOWN_WORD       contains another unknown word
CONTRADICTION      contains two values for one parameter
OUT_OF_RANGE       contains a number that is too small or too large
NUMBER             lacks a required number
NOT_APPLICABLE     contains a value that has no effect on its action
AMBIGUOUS          has two meanings
NO_ACTION          names an object and no action
NO_OBJECT          names an action and no object
NO_REFERENT        contains a pronoun without an antecedent
NOTHING_SAID       refers to an earlier command, and there is none
NOTHING_LEFT       asks to continue a mission that has finished
UNFINISHED         ends in the middle
NOT_TOGETHER       combines an action and an object that do not go together
NOT_UNDERSTOOD     is not understood for another reason
=================  ==============================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["CODES", "RefusalReason"]

CODES = (
    "EMPTY",
    "TOO_LONG",
    "BAD_CHARACTERS",
    "STOP",
    "HAZARD",
    "NEGATED",
    "OPERATOR",
    "NOT_ASKED",
    "CONDITION_END",
    "CONDITION",
    "OUT_OF_RANGE",
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
class RefusalReason:
    """Reason why a command is not understood.

    Attributes:
        code: Code from the table above.
        words: Words of the command that are concerned.
        missing: Types or nouns of the lexicon that the command lacks.
        trees: Names of the trees between which an ambiguous command does not decide.
        hint: Python type of the number that the command must contain.
    """

    code: str
    words: str = ""
    missing: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    hint: Any = None

    @property
    def rank(self) -> int:
        """Rank of the reason; of several reasons, the one with the smallest rank is reported."""
        return CODES.index(self.code)
