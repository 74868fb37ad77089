"""What a labeler is asked: one moment of an episode, in one of two forms.

A planner sees what just happened and the last minute; a controller sees only what just happened.
The two are types of their own: a controller's item has no place for a summary clip.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from bt_exec_labeler.clips import RECENT, SUMMARY, Clip, cut
from bt_exec_labeler.episode import Episode, stamp
from bt_exec_labeler.spans import Span, spans_of
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["ControllerItem", "Item", "PlannerItem", "Role", "cache_key", "items_of"]

Role: TypeAlias = Literal["planner", "controller"]


@dataclass(frozen=True)
class ControllerItem:
    """A moment as a controller sees it.

    Attributes:
        episode: The episode.
        t: The moment [s since the episode began].
        mid_step_id: The step that is under way.
        recent: What just happened.
        span: What is being done, where the recording says so; models are not shown it.
        constraints: What must not be done.
        events: What is known to have happened, in words; may be empty.
    """

    episode: Episode
    t: float
    mid_step_id: str
    recent: Clip
    span: Span | None = None
    constraints: tuple[str, ...] = ()
    events: tuple[str, ...] = ()

    @property
    def role(self) -> Role:
        """Whom it is for."""
        return "controller"

    @property
    def clips(self) -> tuple[Clip, ...]:
        """What it shows."""
        return (self.recent,)

    @property
    def id(self) -> str:
        """Its name within a source: no two moments of a role share it."""
        return f"{self.role}:{self.episode.id}:{stamp(self.t)}:{self.mid_step_id}"

    @cached_property
    def clip_hash(self) -> str:
        """The digest of everything it shows.

        Raises:
            ValueError: If a frame is damaged.
            OSError: If a frame cannot be read.
        """
        shown = " ".join(clip.digest() for clip in self.clips)
        return hashlib.sha256(shown.encode()).hexdigest()


@dataclass(frozen=True)
class PlannerItem(ControllerItem):
    """A moment as a planner sees it.

    Attributes:
        summary: The last minute.
    """

    summary: Clip = field(kw_only=True)

    @property
    def role(self) -> Role:
        """Whom it is for."""
        return "planner"

    @property
    def clips(self) -> tuple[Clip, ...]:
        """What it shows."""
        return (self.recent, self.summary)


Item: TypeAlias = ControllerItem | PlannerItem


def cache_key(item: Item, vocabulary: Vocabulary) -> str:
    """Return what an answer to an item is kept under: clip hash, mid step, schema version."""
    return f"{item.role}/{item.clip_hash}/{item.mid_step_id}/{vocabulary.version}"


def items_of(
    episode: Episode, vocabulary: Vocabulary, role: Role, *, stride_s: float = 0.5
) -> Iterator[Item]:
    """Return the moments of an episode that are labelled, by time.

    Every span of actions is looked at from its beginning on, once each stride, as long as it
    lasts. An action that no mid step of the vocabulary lists has no items; nor has an attempt that
    failed at once, at a moment when the next attempt at the same step began.

    Args:
        episode: The episode.
        vocabulary: Which mid steps there are.
        role: For whom.
        stride_s: Time between two moments of a span [s].
    """
    spans = spans_of(episode, vocabulary)
    for number, span in enumerate(spans):
        again = spans[number + 1] if number + 1 < len(spans) else None
        for t in moments(span, stride_s):
            if again and (again.mid_step_id, round(again.t, 6)) == (span.mid_step_id, t):
                continue
            recent = cut(episode, t, RECENT)
            if not recent.frames:
                continue
            about = (episode, t, span.mid_step_id, recent, span, vocabulary.constraints)
            if role == "controller":
                yield ControllerItem(*about)
            else:
                yield PlannerItem(*about, summary=cut(episode, t, SUMMARY))


def moments(span: Span, stride_s: float) -> Sequence[float]:
    """Return the times at which a span is looked at [s]."""
    count = max(1, int((span.end - span.t) / stride_s + 1e-9))
    return [round(span.t + stride_s * k, 6) for k in range(count)]
