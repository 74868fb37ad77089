"""Goals of a command, before and after their resolution to present objects.

A `Phrase` describes objects; a `Move` is an object and its target; a `Subgoal` is one objective of
a command with its moves in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bt_exec_skills.tabletop.name_attributes import Attribute
from bt_exec_skills.tabletop.robot import Side, Spot

__all__ = [
    "Move",
    "Number",
    "Order",
    "Phrase",
    "Relation",
    "Subgoal",
    "Trouble",
    "UnresolvedGoal",
    "Verb",
]

Verb: TypeAlias = Literal[
    "move",
    "sort",
    "clear",
    "empty",
    "out",
    "bring",
    "swap",
    "pick",
    "go",
    "leave",
    "put_down",
    "put_back",
]
Relation: TypeAlias = Side | Literal["between"]
"""Position of an object relative to another one, or to two others."""
Number: TypeAlias = Literal["all", "one", "any", "some"]
"""Quantity: all objects, the only one, any one, or one or all of them depending on the act."""
Order: TypeAlias = Literal[
    "", "biggest", "smallest", "nearest", "farthest", "left", "right", "middle", "front", "back",
    "fullest", "emptiest",
]  # fmt: skip


@dataclass(frozen=True)
class Phrase:
    """Description of objects in a command.

    Attributes:
        text: Words of the phrase.
        kind: Noun, such as ``cube`` or ``bowl``; empty for objects of any kind.
        values: Allowed colours, sizes and shapes, by attribute.
        number: Quantity other than a count, such as ``all`` or ``any``.
        count: Count, or 0 without one.
        up_to: Whether the count is a maximum.
        in_all: Whether the count includes the objects that are at the target already.
        total: Whether the count of `in_all` includes objects of any kind.
        share: Divisor of the share that is meant, such as 2 for half of them; 0 without a share.
        order: Selection among several objects: by size, by distance, by side as seen by the robot,
            or by the number of objects inside.
        rank: Place in that order, such as 2 for the second biggest.
        near: Object from which distances are measured; None for the robot. For ``fullest`` and
            ``emptiest``: the objects that are counted.
        relation: Position relative to others.
        but: Exceptions. An exception with the number ``some`` may match no object.
        rest: Whether the phrase means the objects that no other part of the command is about.
        again: Whether the phrase means the objects of the previous part.
        own: Attribute in which the container must agree with the object: "the bowl of its colour".
        table: Whether the phrase means a table.
        part: Part of a table: ``left``, ``right``, ``middle``. For a target, also ``between`` (a
            place between the objects), ``vacated`` (the place that an object leaves), or
            ``shared`` (the table on which most of the objects are).
        name: Full name of an object.
        index: Number in the object's name: 1 for "cube 1"; None without a number.
        definite: Whether the phrase is definite: "the two cubes".
        content: Required content of a container: ``none`` or ``some``; empty for any content.
        held: Whether only the object in the hand matches.
        like: Earlier objects that an elliptical phrase repeats: "the red ball … the blue one".
        group: Objects from which the phrase selects: "the bigger of the red cubes"; or None.
        listed: Phrases of a list, all of which are meant; the other fields select among them.
        sure: Whether the phrase certainly repeats `like`. If not, the operator is asked when it
            makes a difference.
    """

    text: str = ""
    kind: str = ""
    values: dict[Attribute, tuple[str, ...]] = field(default_factory=dict)
    number: Number = "one"
    count: int = 0
    up_to: bool = False
    in_all: bool = False
    total: bool = False
    share: int = 0
    order: Order = ""
    rank: int = 1
    near: Phrase | None = None
    relation: tuple[Relation, Phrase] | None = None
    but: tuple[Phrase, ...] = ()
    rest: bool = False
    again: bool = False
    own: Attribute | None = None
    table: bool = False
    part: str = ""
    name: str = ""
    index: int | None = None
    definite: bool = False
    content: Literal["", "none", "some"] = ""
    held: bool = False
    like: Phrase | None = None
    group: Phrase | None = None
    listed: tuple[Phrase, ...] = ()
    sure: bool = True


@dataclass(frozen=True)
class UnresolvedGoal:
    """Part of a command, before its phrases are resolved to objects.

    Attributes:
        verb: Action.
        text: Words of the part.
        themes: Objects of the action.
        to: Target.
        side: Relation to the target: into it, or beside it.
        by: Attribute to sort by.
    """

    verb: Verb
    text: str
    themes: tuple[Phrase, ...] = ()
    to: Phrase | None = None
    side: Side = "in"
    by: Attribute | None = None


@dataclass(frozen=True)
class Move:
    """Move of an object. Without a target, the robot only picks the object up or drives to it.

    Attributes:
        thing: Name of the object.
        target: Name of the target; empty without one.
        side: Relation to the target.
        spot: Required point on a table; empty for any point.
        hold: Whether the object is picked up; if False, the robot only drives to it.
    """

    thing: str
    target: str = ""
    side: Side = "in"
    spot: Spot = ()
    hold: bool = True


@dataclass(frozen=True)
class Subgoal:
    """One objective, without motion words, and the moves that reach it.

    Attributes:
        text: The objective.
        moves: Moves in order.
        remarks: Notes for the operator.
    """

    text: str
    moves: tuple[Move, ...]
    remarks: tuple[Trouble, ...] = field(default=(), compare=False)


class Trouble(Exception):  # noqa: N818 - a message for the operator, passed up as an exception
    """Raised if a command cannot be followed.

    Args:
        code: Message code of `bt_exec_skills.tabletop.messages`.
        choices: Objects or words to choose from.
        **facts: Arguments of the message: text, the name of an object, or several names.

    Attributes:
        code: The code.
        choices: The choices.
        facts: The arguments of the message.
        absent: Whether no object of the named kind is present.
    """

    absent = False

    def __init__(
        self, code: str, choices: tuple[str, ...] = (), /, **facts: str | tuple[str, ...]
    ) -> None:
        super().__init__(code, facts)
        self.code = code
        self.choices = choices
        self.facts = facts
