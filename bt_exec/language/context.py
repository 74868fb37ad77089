"""Context of a session: the referents of *again*, *it* and *the other one*.

It is data, stored by the session (`bt_exec.mission.session`) and passed to compilers with each
request. A compiler parses the earlier commands like the new one, so that references are resolved
from the words alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

__all__ = ["MOST_TURNS", "Context", "Turn"]

MOST_TURNS = 8
"""Minimum number of earlier commands to which words may refer; at most twice as many are kept."""


@dataclass(frozen=True)
class Turn:
    """A command and its result.

    Attributes:
        command: The command as typed.
        status: Status of its mission, see `bt_exec.outcome`; empty if it was only compiled.
        code: ``OK``, or the reason code.
        message: The final message.
        did_you_mean: Of a refusal: the suggested commands.
        acted: Whether a skill was started; questions and refusals start none.
    """

    command: str
    status: str = ""
    code: str = ""
    message: str = ""
    did_you_mean: tuple[str, ...] = ()
    acted: bool = True


@dataclass(frozen=True)
class Context:
    """History of a session.

    Attributes:
        turns: Its commands, oldest first.
        earlier: Missions before this session; questions may ask about them, references do not.
        recall: Reads these missions from the record on request; None without a record.
    """

    turns: tuple[Turn, ...] = ()
    earlier: tuple[Turn, ...] = ()
    recall: Callable[[], tuple[Turn, ...]] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, commands: Iterable[str]) -> Context:
        """Return the context after commands that count as done."""
        return cls(tuple(Turn(command) for command in commands))

    def then(self, turn: Turn) -> Context:
        """Return the context after one more command."""
        turns = (*self.turns, turn)
        # drop many at once, so that readers rarely have to start over
        if len(turns) >= 2 * MOST_TURNS:
            turns = turns[-MOST_TURNS:]
        return replace(self, turns=turns)

    def before(self) -> tuple[Turn, ...]:
        """Return the missions before this session, oldest first; reads the record if necessary."""
        return self.earlier or (self.recall() if self.recall is not None else ())

    def last(self) -> Turn | None:
        """Return the last mission with an action; if there is none, the last mission."""
        acted = [turn for turn in self.turns if turn.acted]
        told = acted or self.before() or self.turns
        return told[-1] if told else None
