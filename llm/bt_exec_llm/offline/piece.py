"""Pieces and clauses, the common output of the English and the Korean parser."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

__all__ = ["Clause", "Kind", "Piece"]

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
        mark: Its relation to the verb: ``to``, ``from``, ``with``, ``by``, ``only``, ``not``,
            ``subject`` or empty.
        relation: Place relative to an object, e.g. ``inside door``.
        start: Start in the cleaned command.
        end: End in the cleaned command.
        text: Text as typed.
        sense: Its meaning in a condition: ``holds``, ``fails`` or empty.
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


@dataclass
class Clause:
    """A part of a command around one verb.

    Attributes:
        verbs: Possible lexicon verbs; empty without a known verb.
        said: The verb as typed.
        pieces: Phrases of the clause.
        mood: ``do``, ``ask`` (a question), ``if``, ``else``, ``before``, ``after``, ``said`` (a
            remark without effect), or ``tell`` for a statement, with the reason in `whys`.
        positive: False if it is forbidden or negated.
        joined: Conjunction to the clause before it: ``then``, ``stop``, ``and``, ``or``.
        asked: The embedded question, as in "check *whether the door is open*"; it is negative if it
            asks for the opposite ("check *whether the door is not open*").
        answers: Reference of a condition without content to the preceding question: ``so`` (if so,
            if not), ``it`` (if it is) or ``there`` (if there is, 있으면, 없으면).
        contrast: Whether it contrasts with the rest (자재는, but not …).
        remark: Whether a question may be a remark if another clause follows (열려 있네).
        first: Whether it precedes earlier clauses: ``all`` of them (but first …) or ``that``, the
            one before (before that …).
        keeps: Whether a state is to be kept (열어 두다).
        whys: Codes of what cannot be executed, with the words.
        nominal: Whether its verb is a noun (복도 순찰).
        leads: Whether words precede its verb.
        start: Start of the clause.
        end: End of the clause.
    """

    verbs: tuple[str, ...] = ()
    said: str = ""
    pieces: list[Piece] = field(default_factory=list)
    mood: str = "do"
    positive: bool = True
    joined: str = ""
    asked: Clause | None = None
    answers: str = ""
    keeps: bool = False
    unless: bool = False
    first: Literal["", "all", "that"] = ""
    remark: bool = False
    contrast: bool = False
    correction: bool = False
    whys: list[tuple[str, str]] = field(default_factory=list)
    leads: bool = False
    nominal: bool = False
    start: int = 0
    end: int = 0
