"""Goals of a command, before and after their resolution to present objects.

A `Phrase` is what was said of things; a `Move` is a thing and where it goes; a `Subgoal` is one
objective of a command with its moves in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bt_exec_skills.tabletop.names import Attribute
from bt_exec_skills.tabletop.robot import Side, Spot

__all__ = ["Ask", "Move", "Number", "Phrase", "Subgoal", "Trouble", "Verb"]

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
Number: TypeAlias = Literal["all", "one", "any", "some"]
"""All of them; exactly one that is meant; any one; one or all, as the act has it."""
Order: TypeAlias = Literal[
    "", "biggest", "smallest", "nearest", "farthest", "left", "right", "middle"
]


@dataclass(frozen=True)
class Phrase:
    """Description of objects in a command.

    Attributes:
        text: The words.
        kind: The noun: ``cube``, ``bowl``; empty for things of any kind.
        values: Colours, sizes and shapes that are allowed, by attribute.
        number: How many are meant, if no count is said.
        count: How many, if said; 0 if not.
        order: Which of several: by size, by distance, as the robot sees them.
        relation: Where they are, relative to others.
        but: What is left out; of "some", there may be none.
        rest: Whether what no other part of the command is about is meant.
        again: Whether what the part before was about is meant.
        own: The attribute in which container and thing agree: "the bowl of its colour".
        table: Whether a table itself is meant.
        part: Which part of a table: ``left``, ``right``, ``middle``.
        name: The full name of an object.
        index: The number in its name: "cube 1"; None if none is said.
        definite: Whether it is said as known: "the two cubes".
        empty: Whether a container is meant in which nothing lies.
    """

    text: str = ""
    kind: str = ""
    values: dict[Attribute, tuple[str, ...]] = field(default_factory=dict)
    number: Number = "one"
    count: int = 0
    order: Order = ""
    relation: tuple[Side, Phrase] | None = None
    but: tuple[Phrase, ...] = ()
    rest: bool = False
    again: bool = False
    own: Attribute | None = None
    table: bool = False
    part: str = ""
    name: str = ""
    index: int | None = None
    definite: bool = False
    empty: bool = False


@dataclass(frozen=True)
class Ask:
    """One part of a command.

    Attributes:
        verb: What to do.
        text: The words.
        themes: What it is done with.
        to: Where things go.
        side: How: into it, or beside it.
        by: What to sort by.
    """

    verb: Verb
    text: str
    themes: tuple[Phrase, ...] = ()
    to: Phrase | None = None
    side: Side = "in"
    by: Attribute | None = None


@dataclass(frozen=True)
class Move:
    """A thing and where it goes; without a target it is only picked, or gone to.

    Attributes:
        thing: Name of the object.
        target: Name of what it goes into or beside; empty if it goes nowhere.
        side: How.
        spot: Where on a table, if that matters.
        hold: Whether it is picked.
    """

    thing: str
    target: str = ""
    side: Side = "in"
    spot: Spot = ()
    hold: bool = True


@dataclass(frozen=True)
class Subgoal:
    """One objective, without motion words, and what reaches it.

    Attributes:
        text: The objective.
        moves: What reaches it, in order.
        remark: What the operator should know of it.
    """

    text: str
    moves: tuple[Move, ...]
    remark: Trouble | None = field(default=None, compare=False)


class Trouble(Exception):  # noqa: N818 - a value for the person, on its way up
    """Raised where a command cannot be followed.

    Args:
        code: Of `bt_exec_skills.tabletop.messages`.
        choices: Objects or words to choose from.
        **facts: For the sentence: text, the name of a thing, or the names of several.
    """

    def __init__(
        self, code: str, choices: tuple[str, ...] = (), /, **facts: str | tuple[str, ...]
    ) -> None:
        super().__init__(code, facts)
        self.code = code
        self.choices = choices
        self.facts = facts
