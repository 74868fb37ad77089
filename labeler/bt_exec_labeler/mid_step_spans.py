"""Spans: successive actions of a recording that belong to the same mid step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bt_exec_labeler.episode import Action, Episode
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["Kind", "Span", "spans_of"]

Kind: TypeAlias = Literal["step", "failure", "recovery"]

_FAILED = ("failed", "stopped")


@dataclass(frozen=True, slots=True)
class Span:
    """Successive actions of one mid step.

    Attributes:
        mid_step_id: Mid step of the actions.
        actions: At least one action, in chronological order.
        first: Index of the first action in the episode.
        after: Action after the span, or None at the end of the episode.
        before: Action before the span, or None at the start of the episode.
    """

    mid_step_id: str
    actions: tuple[Action, ...]
    first: int
    after: Action | None = None
    before: Action | None = None

    @property
    def kind(self) -> Kind:
        """``failure`` if an action failed, ``recovery`` if `before` failed, otherwise ``step``."""
        if any(action.state in _FAILED for action in self.actions):
            return "failure"
        return "recovery" if self.before and self.before.state in _FAILED else "step"

    @property
    def failure_code(self) -> str:
        """Code of the span's failure, or of the failure that it recovers from."""
        failed = [a for a in (*self.actions, self.before) if a and a.state in _FAILED]
        return (failed[0].code or failed[0].state) if failed else ""

    @property
    def t(self) -> float:
        """Start of the span [s]."""
        return self.actions[0].t

    @property
    def end(self) -> float:
        """End of the span [s]; if it is not recorded, the start of the next action."""
        last = self.actions[-1]
        if last.end is not None:
            return last.end
        return self.after.t if self.after is not None else last.t


def spans_of(episode: Episode, vocabulary: Vocabulary) -> tuple[Span, ...]:
    """Return the spans of an episode, without actions that belong to no mid step.

    A failed or stopped action ends its span, and the next action is another attempt.
    """
    spans: list[Span] = []
    row: list[Action] = []
    for number, action in enumerate(episode.actions):
        step = vocabulary.step_of(action.op, action.args)
        row.append(action)
        after = episode.actions[number + 1] if number + 1 < len(episode.actions) else None
        goes_on = (
            after is not None
            and action.state in ("done", "unknown")
            and vocabulary.step_of(after.op, after.args) == step
            and after.t >= (action.end if action.end is not None else action.t)
        )
        if not goes_on:
            if step:
                first = number + 1 - len(row)
                before = episode.actions[first - 1] if first else None
                spans.append(Span(step, tuple(row), first, after, before))
            row = []
    return tuple(spans)
