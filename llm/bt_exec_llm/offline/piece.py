"""Pieces and clauses: what both readers turn words into, before anybody asks what they mean."""

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
        kind: What it is.
        name: The noun, the type of a value, the state, or the code of a limit.
        value: The value, or the text.
        mark: How it is joined to its verb: ``to``, ``from``, ``with``, ``by``, ``only``, ``not``,
            ``subject`` or nothing.
        relation: ``inside door`` for what is inside the door.
        start: Where it begins in the cleaned command.
        end: Where it ends.
        text: As it was typed.
        sense: What it says in a condition: ``holds``, ``fails``, or nothing.
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

    def marked(self, mark: str) -> Piece:
        """Return it with another mark."""
        return replace(self, mark=mark)


@dataclass
class Clause:
    """A part of a command around one verb.

    Attributes:
        verbs: The verbs of the lexicon that its verb can be; empty if it has none.
        said: The verb as it was typed.
        pieces: What stands with it.
        mood: ``do``, ``ask`` (a question), ``if``, ``else``, ``before``, ``after``,
            ``said`` (a remark that changes nothing), or ``tell`` for what only
            tells something, with the reason in `why`.
        positive: False where it is forbidden or denied.
        joined: How it follows the clause before it: ``then``, ``stop``, ``and``, ``or``.
        asked: The question that it governs: check *whether the door is open*. It is not positive
            where it asks for the opposite: check *whether the door is not open*.
        answers: How a condition without content refers to the question before it: ``so`` (if so,
            if not), ``it`` (if it is) or ``there`` (if there is, 있으면, 없으면).
        contrast: Whether it is set against the rest: 자재는, but not …
        remark: Whether it may be no question but a remark, if something follows: 열려 있네.
        first: Whether it is to be done before what was said before it: ``all`` of it (but first …),
            or ``that``, the step before (before that …).
        keeps: Whether a state is to stay so: 열어 두다.
        whys: Codes of what cannot be honoured, with the words.
        nominal: Whether its verb is a mere noun: 복도 순찰.
        leads: Whether something stands before its verb.
        start: Where it begins.
        end: Where it ends.
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
