"""Parts that both grammars share: building a phrase from words, and reading on from a place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bt_exec_skills.tabletop.goals.model import Number, Order, Phrase
from bt_exec_skills.tabletop.goals.tokens import Token
from bt_exec_skills.tabletop.names import Attribute
from bt_exec_skills.tabletop.robot import Side

__all__ = ["Draft", "Words", "taken_from"]


def taken_from(theme: Phrase, holder: Phrase) -> Phrase:
    """Return a phrase for what lies in something: "take the cup out of the bowl"."""
    if theme.again or theme.name or theme.relation is not None:
        return theme
    return replace(theme, relation=("in", holder))


class Words:
    """The words of a command, by place; reading past the end finds nothing."""

    def __init__(self, tokens: Sequence[Token], text: str) -> None:
        self.tokens = tuple(tokens)
        self.text = text

    def __len__(self) -> int:
        return len(self.tokens)

    def of(self, at: int, kind: str) -> str | None:
        """Return the value of the word at a place as `kind`, or None."""
        return self.tokens[at].of(kind) if at < len(self.tokens) else None

    def all_of(self, at: int, kind: str) -> frozenset[str]:
        """Return every value of the word at a place as `kind`."""
        return self.tokens[at].all_of(kind) if at < len(self.tokens) else frozenset()

    def said(self, start: int, end: int) -> str:
        """Return the words from `start` up to `end` as they were typed."""
        if end <= start:
            return ""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end]


@dataclass
class Draft:
    """A phrase in the making."""

    kind: str = ""
    values: dict[Attribute, tuple[str, ...]] = field(default_factory=dict)
    number: Number | None = None
    count: int = 0
    order: Order = ""
    rest: bool = False
    again: bool = False
    own: Attribute | None = None
    table: bool = False
    part: str = ""
    name: str = ""
    index: int | None = None
    plural: bool = False
    headed: bool = False
    relation: tuple[Side, Phrase] | None = None
    but: tuple[Phrase, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing was said."""
        return not (
            self.headed
            or self.values
            or self.order
            or self.rest
            or self.again
            or self.table
            or self.name
            or self.count
            or self.number == "all"
        )

    def add(self, attribute: Attribute, value: str) -> None:
        """Allow one more value of an attribute."""
        self.values = {**self.values, attribute: (*self.values.get(attribute, ()), value)}

    def head(self, noun: str) -> None:
        """Take a noun."""
        self.headed = True
        self.kind = noun

    def phrase(self, text: str, default: Number = "one") -> Phrase:
        """Return the phrase."""
        number = self.number or ("all" if self.plural or self.rest else default)
        return Phrase(
            text=text,
            kind=self.kind,
            values=dict(self.values),
            number=number,
            count=self.count,
            order=self.order,
            relation=self.relation,
            but=self.but,
            rest=self.rest,
            again=self.again,
            own=self.own,
            table=self.table,
            part=self.part,
            name=self.name,
            index=self.index,
        )
