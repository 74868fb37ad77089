"""Questions about the table as data, before they are answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bt_exec_skills.tabletop.goals.model import Phrase
from bt_exec_skills.tabletop.names import Attribute
from bt_exec_skills.tabletop.robot import Side

__all__ = ["Fullness", "Place", "Question", "Sign"]

Place: TypeAlias = tuple[Side, Phrase]
"""Side and object of a place; ``in`` means in or on."""
Sign: TypeAlias = Literal["more", "fewer", "as_many"]
Fullness: TypeAlias = Literal["fullest", "emptiest"]


@dataclass(frozen=True)
class Question:
    """Question about the table.

    Attributes:
        kind: Requested information: ``which`` there are, the ``count``, ``where`` they are,
            whether something ``is`` true, what is ``held``, the ``values`` of an attribute,
            whether all is ``sorted``, whether something is ``empty``, which of them are, the
            ``empties``, whether there are ``more`` of one than of another, the ``difference`` of
            their numbers, which place is the ``fullest`` or the ``emptiest`` of some, by the number
            of the first of the things.
        things: Subject; empty for all objects.
        place: Place of the subject.
        by: The attribute.
        like: Attributes to test, colours by attribute: "is the cup red".
        every: Whether all of them must be there, for ``is``.
        sign: The comparison of two counts, for ``more``.
        bound: Limit of their number, for ``is``: its kind and its value; None without one.
    """

    kind: (
        Fullness
        | Literal[
            "which",
            "count",
            "where",
            "is",
            "held",
            "values",
            "sorted",
            "empty",
            "empties",
            "more",
            "difference",
        ]
    )
    things: tuple[Phrase, ...] = ()
    place: Place | None = None
    by: Attribute | None = None
    like: Mapping[Attribute, tuple[str, ...]] = field(default_factory=dict)
    every: bool = False
    sign: Sign = "more"
    bound: tuple[str, int] | None = None
