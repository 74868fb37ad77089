"""Questions about a picture as data for tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from bt_exec_skills.image.perception.attributes import AttributeName, Grouping
from bt_exec_skills.image.perception.bar_chart import BarFact
from bt_exec_skills.image.perception.graded_attributes import DegreeName, GradedName
from bt_exec_skills.image.perception.instance_decisions import Bound
from bt_exec_skills.image.perception.instances import PictureName
from bt_exec_skills.image.perception.measurements import Extent
from bt_exec_skills.image.perception.relations import Column, RelationName, Row
from bt_exec_skills.image.perception.written_values import Written

BAR = "bar"
"""Object whose value is read in a chart."""

SIGN = "sign"
"""Coloured region around text, such as a label."""

SHAPE = "shape"
"""Any drawn shape."""

DIFFERENCE = "difference"
"""Region in which a second picture differs."""

SEVERAL = "|"
"""Separator of the labels of a phrase about objects of several classes."""

__all__ = [
    "BAR", "DIFFERENCE", "SEVERAL", "SHAPE", "SIGN", "Asked", "Conditional", "Degree", "Kind",
    "Known", "Outcome", "Part", "Phrase", "Place", "Question", "Top", "UnanswerableQuestion",
]  # fmt: skip

Kind = Literal[
    "count", "exists", "all", "where", "colour", "shape", "name", "compare", "which", "groups",
    "most", "least", "shared", "variety", "read", "same", "alike", "difference",
    "share",
]  # fmt: skip
Outcome = Literal["yes", "no", "more", "fewer", "as_many"]
"""Answer to a yes/no question, or to a comparison of two counts."""

Top = DegreeName | Literal["nearest", "farthest"]


@dataclass(frozen=True)
class Place:
    """Position of an object relative to others.

    Attributes:
        relation: Required relation.
        to: Objects to which the relation applies.
        holds: False for the negated relation.
        other: For ``between``, the objects on the other side.
    """

    relation: RelationName
    to: Phrase
    holds: bool = True
    other: Phrase | None = None


class Part(NamedTuple):
    """Part of the picture in which an object is.

    Attributes:
        row: ``top``, ``middle`` or ``bottom``; empty for any.
        column: ``left``, ``centre`` or ``right``; empty for any.
        holds: False if the object must be outside that part.
    """

    row: Row
    column: Column
    holds: bool = True


@dataclass(frozen=True)
class Degree:
    """Comparison of size, brightness or sharpness.

    Attributes:
        attribute: Attribute that is compared.
        to: Objects that must be exceeded.
        holds: False for the negated comparison.
    """

    attribute: GradedName
    to: Phrase
    holds: bool = True


@dataclass(frozen=True)
class Known:
    """Known size, which defines the scale of a picture.

    Attributes:
        of: Object with the known size.
        extent: Kind of the size, such as a width.
        length: Value of the size [`unit`].
        unit: Unit of the value.
    """

    of: Phrase
    extent: Extent
    length: int
    unit: str


@dataclass(frozen=True)
class Phrase:
    """Description of objects.

    Attributes:
        attributes: Required attributes.
        thing: Label of the objects, or several (see `SEVERAL`); empty for any.
        said: The description in words, for answers.
        left_out: Excluded combinations of attributes.
        either: Groups of alternatives; an object must have at least one attribute of each group.
        places: Required positions.
        parts: Parts of the picture in which the object must be.
        degrees: Required comparisons.
        top: Superlative that selects one of the objects `of`: a graded attribute, a side, or
            ``nearest`` or ``farthest``. The other conditions then apply to the selected object.
        of: Objects that `top` compares, or None.
        near: Objects from which the distances for ``nearest`` and ``farthest`` are measured.
        not_top: Superlatives among the described objects; the selected objects are excluded.
        rank: Place in the order of `top`, such as 2 for the second biggest.
        picture: Picture in which the objects are.
        text: Text that must be on the objects, or in a line of text; ``0`` stands for any digit.
    """

    attributes: tuple[AttributeName, ...] = ()
    thing: str = ""
    said: str = ""
    left_out: tuple[Phrase, ...] = ()
    either: tuple[tuple[AttributeName, ...], ...] = ()
    places: tuple[Place, ...] = ()
    parts: tuple[Part, ...] = ()
    degrees: tuple[Degree, ...] = ()
    top: Top | None = None
    of: Phrase | None = None
    near: Phrase | None = None
    not_top: tuple[DegreeName, ...] = ()
    rank: int = 1
    picture: PictureName = "first"
    text: str = ""


@dataclass(frozen=True)
class Question:
    """Question that tools can answer.

    Attributes:
        kind: Kind of the question.
        target: Subject; for ``all`` and ``share``, the objects with the property in question.
        other: Objects to compare with, or None; for ``all`` and ``share``, all objects. A distance
            without `other` is measured between the two objects of the target.
        aspect: Aspect of the comparison, for ``alike``; of the groups, for ``groups``,
            ``most`` and ``variety``.
        degree: For ``which``: attribute by which the two sets are compared, or None.
        bound: For ``exists``: kind of the limit of the count, or None.
        number: Limit of the count.
        written: For ``value``: requested value of a price list, receipt or form.
        extent: For ``measure``: requested measure.
        known: For ``measure``: a known size, or None.
        bar: For ``bar``: whether the value or the label of the bar is asked for.
        order: Order in which objects are listed, such as ``left_of``: from left to right.
        said_back: The interpreted question as a full sentence.
    """

    kind: Kind | Literal["value", "measure", "bar"]
    target: Phrase
    other: Phrase | None = None
    aspect: Grouping = "colour"
    degree: GradedName | None = None
    bound: Bound | None = None
    number: int = 1
    written: Written = "total"
    extent: Extent = "area"
    known: Known | None = None
    bar: BarFact = "value"
    order: DegreeName | None = None
    said_back: str = ""

    @property
    def left_out(self) -> tuple[Phrase, ...]:
        """Descriptions of objects that are excluded from the target."""
        return self.target.left_out

    @property
    def relation(self) -> RelationName | None:
        """First relation of the target to other objects, unless it is negated; or None."""
        places = self.target.places
        return places[0].relation if places and places[0].holds else None


@dataclass(frozen=True)
class Conditional:
    """Questions that depend on the answer to another question, which is asked first.

    Attributes:
        condition: The question that decides.
        outcome: Answer to the condition after which `then` is asked; `other` is asked after any
            other answer.
        then: Questions after that answer.
        other: Questions after another answer. If the answer is undecided, none is asked.
    """

    condition: Question
    outcome: Outcome
    then: tuple[Asked, ...] = ()
    other: tuple[Asked, ...] = ()


Asked: TypeAlias = Question | Conditional


class UnanswerableQuestion(ValueError):  # noqa: N818 - an answer of the reader, not an error
    """Raised for a question that tools cannot answer.

    Args:
        code: ``NEEDS_MODEL``, ``PERSON_UNKNOWN`` or ``QUESTION_UNCLEAR``.
        words: Words of the question that tools cannot interpret.
    """

    def __init__(self, code: str, words: str) -> None:
        super().__init__(f"{code}: {words}")
        self.code = code
        self.words = words
