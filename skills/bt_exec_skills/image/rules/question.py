"""Questions about a picture as data for tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bt_exec_skills.image.perception.attributes import AttributeName
from bt_exec_skills.image.perception.compare import Aspect
from bt_exec_skills.image.perception.decide import Bound
from bt_exec_skills.image.perception.extents import Extent
from bt_exec_skills.image.perception.relations import RelationName
from bt_exec_skills.image.perception.written_values import Written

BAR = "bar"
"""The thing whose value is read off a chart."""

__all__ = ["BAR", "Degree", "Kind", "Known", "Phrase", "Place", "Question", "Unread"]

Kind = Literal["count", "exists", "all", "where", "colour", "compare", "read", "same", "alike"]


@dataclass(frozen=True)
class Place:
    """Position of an object relative to others.

    Attributes:
        relation: How it lies to them.
        to: The others.
        holds: False if it must not lie so.
    """

    relation: RelationName
    to: Phrase
    holds: bool = True


@dataclass(frozen=True)
class Degree:
    """A comparison of sizes, brightness or sharpness.

    Attributes:
        attribute: What there must be more of.
        to: With what it is compared.
        holds: False if there must not be more of it.
    """

    attribute: AttributeName
    to: Phrase
    holds: bool = True


@dataclass(frozen=True)
class Known:
    """A known size, which gives the scale of a picture.

    Attributes:
        of: Whose size it is.
        extent: Which size.
        length: How long it is.
        unit: In which unit.
    """

    of: Phrase
    extent: Extent
    length: int
    unit: str


@dataclass(frozen=True)
class Phrase:
    """A description of objects.

    Attributes:
        attributes: What each has.
        thing: The label of each; empty for anything.
        said: The description in words.
        left_out: Attributes that an object must not have, each set of them by itself.
        either: Alternatives: an object has at least one attribute of each.
        places: Where each is.
        degrees: What each exceeds.
        top: The attribute that one of `of` has most; the rest is then required of that one.
        of: The objects that `top` compares, or None.
    """

    attributes: tuple[AttributeName, ...] = ()
    thing: str = ""
    said: str = ""
    left_out: tuple[Phrase, ...] = ()
    either: tuple[tuple[AttributeName, ...], ...] = ()
    places: tuple[Place, ...] = ()
    degrees: tuple[Degree, ...] = ()
    top: AttributeName | None = None
    of: Phrase | None = None


@dataclass(frozen=True)
class Question:
    """A question that tools can answer.

    Attributes:
        kind: What is asked.
        target: About what; for ``all`` the objects that the quality holds for.
        other: With what it is compared, or None; for ``all`` all the objects.
        aspect: By what objects are compared, for ``alike``.
        bound: For ``exists``: how `number` limits the count, or None.
        number: See `bound`.
        written: For ``value``: what is asked of a price list, receipt or form.
        extent: For ``measure``: what is measured.
        known: For ``measure``: a known size, or None.
        said_back: The question in full, as it was understood.
    """

    kind: Kind | Literal["value", "measure", "bar"]
    target: Phrase
    other: Phrase | None = None
    aspect: Aspect = "colour"
    bound: Bound | None = None
    number: int = 1
    written: Written = "total"
    extent: Extent = "area"
    known: Known | None = None
    said_back: str = ""

    @property
    def left_out(self) -> tuple[Phrase, ...]:
        """Attributes that the target must not have."""
        return self.target.left_out

    @property
    def relation(self) -> RelationName | None:
        """The first relation of the target to another object, or None."""
        places = self.target.places
        return places[0].relation if places and places[0].holds else None


class Unread(ValueError):  # noqa: N818 - it is an answer of the reader, not a fault of it
    """A question that tools cannot answer.

    Args:
        code: ``NEEDS_MODEL``, ``QUESTION_UNCLEAR`` or ``RESPELT``.
        words: The words in question.
        instead: The question that may have been meant.
    """

    def __init__(self, code: str, words: str, instead: str = "") -> None:
        super().__init__(f"{code}: {words}")
        self.code = code
        self.words = words
        self.instead = instead
