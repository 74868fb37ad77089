"""Questions about the table as data, before they are answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bt_exec_skills.tabletop.goals.model import Phrase, Relation
from bt_exec_skills.tabletop.name_attributes import Attribute

__all__ = ["Fullness", "Place", "Question", "Sign"]

Place: TypeAlias = tuple[Relation, Phrase]
"""Side and object of a place; ``in`` means in or on."""
Sign: TypeAlias = Literal["more", "fewer", "as_many"]
Fullness: TypeAlias = Literal["fullest", "emptiest"]


@dataclass(frozen=True)
class Question:
    """Question about the table.

    Attributes:
        kind: Requested information: ``which`` objects there are, their ``count``, ``where`` they
            are, whether something ``is`` true, which object is ``held``, the ``values`` of an
            attribute, whether everything is ``sorted``, whether a place is ``empty``, which places
            are empty (``empties``), whether there are ``more`` objects of one kind than of another,
            the ``difference`` of their numbers, which of both kinds is the ``majority``, which
            place is the ``fullest`` or the ``emptiest``, by the number of objects of the first
            phrase in `things`, whether objects are ``alike`` in the attribute `by`, or share a
            place of the kind of `place` (``unlike``: whether they differ), or whether they
            are bigger or smaller ``than`` the objects of the last phrase in `things`.
        things: Subject; empty for all objects.
        place: Place of the subject.
        by: Attribute that the question is about.
        like: Attributes to test, as allowed values by attribute: "is the cup red".
        each: For ``which`` and ``count``: whether each place is reported separately.
        every: For ``is``: whether all objects of the subject must satisfy the question.
        sign: For ``more``, ``majority`` and ``than``: the comparison of the counts or sizes.
        bound: For ``is``: limit on the number of objects, as kind and value; None without a limit.
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
            "majority",
            "alike",
            "unlike",
            "than",
        ]
    )
    things: tuple[Phrase, ...] = ()
    place: Place | None = None
    by: Attribute | None = None
    like: Mapping[Attribute, tuple[str, ...]] = field(default_factory=dict)
    each: bool = False
    every: bool = False
    sign: Sign = "more"
    bound: tuple[str, int] | None = None
