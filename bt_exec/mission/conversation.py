"""Conversation of a session: the history with which the next command is interpreted."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from bt_exec.language.closed_classes import is_yes
from bt_exec.language.meaning import Context, Turn
from bt_exec.mission_outcome import Outcome
from bt_exec.planning.compiler import REPLIES

if TYPE_CHECKING:
    from bt_exec.journal import Journal, MissionSummary

__all__ = ["Conversation"]

_EARLIER = 5
"""Maximum number of missions that are searched for one that was more than a reply."""


class Conversation:
    """History of a session: its commands with their results, and the missions before it.

    Args:
        journal: Source of earlier missions, or None.
        site: Name of the site; missions of other sites are ignored.
        actions: Names of the skills that change something; a mission that started one of them is
            preferred as the earlier mission.
        session: Returns the identifier of the session and its world; missions with this identifier
            are not read from the journal.
    """

    def __init__(
        self,
        journal: Journal | None,
        site: str,
        actions: Collection[str] = frozenset(),
        session: Callable[[], str] = str,
    ) -> None:
        self._journal = journal
        self._site = site
        self._session = session
        self.actions = actions
        self._context = self._new_context()

    def context(self) -> Context:
        """Return the conversation so far."""
        return self._context

    def intended_command(self, command: str) -> str:
        """Return the only suggestion of the last refusal if `command` is "yes", else `command`."""
        last = self._context.turns[-1] if self._context.turns else None
        if last is None or len(last.did_you_mean) != 1 or not is_yes(command):
            return command
        return last.did_you_mean[0]

    def record_turn(self, outcome: Outcome, *, acted: bool = True, language: str = "") -> None:
        """Record a command and its outcome, unless it was only a courtesy such as "thanks".

        Args:
            outcome: The outcome.
            acted: Whether a skill that changes something was started.
            language: Language of the outcome's message; the command's language if empty.
        """
        if not outcome.command or outcome.reason_code in REPLIES:
            return
        turn = Turn(
            outcome.command,
            outcome.status,
            outcome.reason_code,
            outcome.message,
            outcome.did_you_mean,
            acted,
            datetime.now().astimezone() - timedelta(seconds=outcome.wall_seconds),
            outcome.sim_seconds,
            outcome.decisive_failure,
            language,
            outcome.state,
            outcome.ages,
        )
        self._context = self._context.with_turn(turn)

    def correct_last(self, at: datetime, *, interrupted: bool) -> None:
        """Correct the last turn, which is a rerun, so that it matches the recorded mission.

        Args:
            at: Recorded start of the mission.
            interrupted: Whether its process ended before the mission did.
        """
        if not self._context.turns:
            return
        *before, last = self._context.turns
        last = replace(last, at=at)
        if interrupted:
            last = replace(last, status="interrupted", code="", message="", failure=None)
        self._context = replace(self._context, turns=(*before, last))

    def forget(self) -> None:
        """Clear references to objects and actions of a world that was reset."""
        context = self._context
        acted = tuple(one for one in (*context.dropped, *context.turns) if one.acted)
        self._context = self._new_context((*context.earlier, *(acted or context.turns[-1:])))

    def _new_context(self, earlier: tuple[Turn, ...] = ()) -> Context:
        return Context(
            earlier=earlier, recall=self._earlier_missions if self._journal is not None else None
        )

    def _earlier_missions(self) -> tuple[Turn, ...]:
        """Return the missions of today that started an action.

        If there are none, return only the last earlier mission that did, or else the last mission.
        """
        assert self._journal is not None
        own, today = self._session(), datetime.now().astimezone().date()
        read = partial(self._journal.missions_with_actions, self._site, self.actions, without=own)
        if acted := read(day=today) or read(limit=1):
            return tuple(_turn_of_mission(line) for line in reversed(acted))
        for line in self._journal.missions(_EARLIER, site=self._site):
            if line.ended_at is not None and line.reason_code not in REPLIES:
                return (_turn_of_mission(line, acted=False),)
        return ()


def _turn_of_mission(line: MissionSummary, *, acted: bool = True) -> Turn:
    return Turn(
        *(line.command, line.shown_status, line.reason_code, line.message),
        acted=acted,
        at=line.started_at,
        seconds=line.seconds or 0.0,
        failure=line.failure,
        language=line.language,
        state=line.state,
        ages=line.ages,
    )
