"""What a question about a picture asks, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bt_exec_skills.image.perception.attributes import AttributeName
from bt_exec_skills.image.perception.compare import Aspect
from bt_exec_skills.image.perception.relations import RelationName

__all__ = ["Kind", "Phrase", "Question", "Unread"]

Kind = Literal["count", "exists", "where", "colour", "compare", "read", "same", "alike"]


@dataclass(frozen=True)
class Phrase:
    """A noun phrase: what is meant.

    Attributes:
        attributes: What it must have.
        thing: The label of it; empty for anything.
        said: Its words.
    """

    attributes: tuple[AttributeName, ...] = ()
    thing: str = ""
    said: str = ""


@dataclass(frozen=True)
class Question:
    """A question that tools can answer.

    Attributes:
        kind: What is wanted.
        target: Of what.
        left_out: What is not meant, each by its attributes.
        relation: How it lies to `landmark`, or None.
        landmark: To what.
        other: With what it is compared, or None.
        aspect: By what things are compared, for ``alike``.
    """

    kind: Kind
    target: Phrase
    left_out: tuple[Phrase, ...] = ()
    relation: RelationName | None = None
    landmark: Phrase | None = None
    other: Phrase | None = None
    aspect: Aspect = "colour"


class Unread(ValueError):  # noqa: N818 - it is an answer of the reader, not a fault of it
    """Words that no tool can answer to.

    Args:
        code: ``NEEDS_MODEL`` or ``QUESTION_UNCLEAR``.
        words: Which.
    """

    def __init__(self, code: str, words: str) -> None:
        super().__init__(f"{code}: {words}")
        self.code = code
        self.words = words
