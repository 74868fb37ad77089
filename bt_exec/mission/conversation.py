"""History of a session's conversation, used to interpret the next command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bt_exec.language.meaning import Context, Turn
from bt_exec.outcome import Outcome
from bt_exec.planning.compiler import REPLIES

if TYPE_CHECKING:
    from bt_exec.journal import Journal

__all__ = ["Conversation"]

_EARLIER = 5
"""Number of missions of earlier sessions that are searched for the last one with actions."""


class Conversation:
    """The commands of one session, and the last mission before it.

    Args:
        journal: Source of earlier missions, or None.
        site: Only missions of this site count.
    """

    def __init__(self, journal: Journal | None, site: str) -> None:
        self._journal = journal
        self._site = site
        self._context = Context(recall=self._earlier)

    def context(self) -> Context:
        """Return the conversation so far."""
        return self._context

    def heard(self, outcome: Outcome, *, acted: bool = True) -> None:
        """Record a command and its outcome; thanks and questions are not recorded."""
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
        """Clear references to objects and actions of a world that was reset."""
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
