"""Context of a session: the referents of *again*, *it* and *the other one*.

It is data, kept by whoever takes the commands (`bt_exec.mission.session`), and handed to compilers
with each request. A compiler reads the earlier commands as it reads the new one, so that what a
word points at follows from the words alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

__all__ = ["MOST_TURNS", "Context", "Turn"]

MOST_TURNS = 8
"""How many commands back a word may point at least; twice as many at most."""


@dataclass(frozen=True)
class Turn:
    """A command, and what became of it.

    Attributes:
        command: As it was typed.
        status: How its mission ended, see `bt_exec.outcome`; empty if it was only compiled.
        code: ``OK``, or why not.
        message: What was said at its end.
        did_you_mean: Of a refusal: the commands that were offered instead.
        acted: Whether a skill was started; a question and a refusal start none.
    """

    command: str
    status: str = ""
    code: str = ""
    message: str = ""
    did_you_mean: tuple[str, ...] = ()
    acted: bool = True


@dataclass(frozen=True)
class Context:
    """The session so far.

    Attributes:
        turns: Its commands, oldest first.
        earlier: What was done before this session: it may be asked about, nothing points at it.
        recall: Reads the same from the record, where somebody asks; None where there is none.
    """

    turns: tuple[Turn, ...] = ()
    earlier: tuple[Turn, ...] = ()
    recall: Callable[[], tuple[Turn, ...]] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, commands: Iterable[str]) -> Context:
        """Return the context of commands that were said and are taken as done."""
        return cls(tuple(Turn(command) for command in commands))

    def then(self, turn: Turn) -> Context:
        """Return the context after one more command."""
        turns = (*self.turns, turn)
        if len(turns) >= 2 * MOST_TURNS:  # now and then many, so that readers start anew seldom
            turns = turns[-MOST_TURNS:]
        return replace(self, turns=turns)

    def before(self) -> tuple[Turn, ...]:
        """Return what was done before this session, oldest first; reads the record if need be."""
        return self.earlier or (self.recall() if self.recall is not None else ())

    def last(self) -> Turn | None:
        """Return the last mission that acted; the last one of all where none did."""
        acted = [turn for turn in self.turns if turn.acted]
        told = acted or self.before() or self.turns
        return told[-1] if told else None
