"""History of a session's conversation, for the reader of the next command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bt_exec.language.context import Context, Turn
from bt_exec.outcome import Outcome
from bt_exec.planning.compiler import REPLIES

if TYPE_CHECKING:
    from bt_exec.journal import Journal

__all__ = ["Conversation"]

_EARLIER = 5
"""How many missions of earlier sessions are looked through for the last one that did something."""


class Conversation:
    """The commands of one session, and the last mission before it.

    Args:
        journal: Where earlier missions are, or None.
        site: The site whose missions count.
    """

    def __init__(self, journal: Journal | None, site: str) -> None:
        self._journal = journal
        self._site = site
        self._context = Context(recall=self._earlier)

    def context(self) -> Context:
        """Return what was said so far."""
        return self._context

    def heard(self, outcome: Outcome, *, acted: bool = True) -> None:
        """Take note of a command and its end; thanks and questions leave no trace."""
        if not outcome.command or outcome.reason_code in REPLIES:
            return
        turn = Turn(
            outcome.command,
            outcome.status,
            outcome.reason_code,
            outcome.message,
            outcome.did_you_mean,
            acted,
        )
        self._context = self._context.then(turn)

    def forget(self) -> None:
        """Let nothing point at what was done in a world that is gone."""
        self._context = Context(earlier=self._context.turns[-1:], recall=self._earlier)

    def _earlier(self) -> tuple[Turn, ...]:
        if self._journal is None:
            return ()
        acted = self._journal.last_action(self._site)
        if acted is not None:
            return (Turn(acted.command, acted.status, acted.reason_code, acted.message),)
        for line in self._journal.missions(_EARLIER, site=self._site):
            if line.ended_at is not None and line.reason_code not in REPLIES:
                return (Turn(line.command, line.status, line.reason_code, line.message),)
        return ()
