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
        kind: Requested information. ``which``: the objects. ``count``: their number. ``where``:
            their places. ``is``: whether a statement is true. ``held``: the object in the hand.
            ``values``: the values of an attribute. ``sorted``: whether everything is sorted.
            ``empty``: whether a place is empty. ``empties``: the empty places. ``more``: whether
            there are more objects of one kind than of another. ``difference``: the difference of
            their numbers. ``majority``: which of two kinds has more objects, or fewer. ``fullest``
            and ``emptiest``: the place with the most, or fewest, objects of the first phrase in
            `things`. ``alike``: whether objects have the same attribute `by`, or share a place of
            the kind of `place`. ``unlike``: whether they differ. ``than``: whether they are bigger,
            or smaller, than the objects of the last phrase in `things`. ``moved``: the number of
            objects that the mission has moved so far.
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
            "moved",
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
