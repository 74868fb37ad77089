"""Items of a labeler: one moment of an episode, in one of two forms.

The item of a planner has the recent clip and the summary clip; that of a controller has only the
recent clip. They are separate types, so that a controller's item cannot contain a summary clip.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Literal, Self, TypeAlias

from bt_exec_labeler.clips import RECENT, SUMMARY, Clip, cut
from bt_exec_labeler.episode import Episode, stamp
from bt_exec_labeler.spans import Span, spans_of
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = [
    "ControllerItem",
    "Item",
    "PlannerItem",
    "Role",
    "cache_key",
    "content_key",
    "count_of",
    "flaws_of",
    "item_at",
    "items_of",
    "moments",
    "shown_until",
]

Role: TypeAlias = Literal["planner", "controller"]


@dataclass(frozen=True)
class ControllerItem:
    """Moment for a controller.

    Attributes:
        episode: The episode.
        t: The moment [s since the episode began].
        mid_step_id: The step that is under way.
        recent: Clip of the last seconds.
        span: Recorded span of actions, if any; models are not shown it.
        constraints: Forbidden actions, as text.
        events: Known events, as text; may be empty.
        state_summary: Known state, as text; may be empty.
    """

    episode: Episode
    t: float
    mid_step_id: str
    recent: Clip
    span: Span | None = None
    constraints: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    state_summary: str = ""

    @property
    def role(self) -> Role:
        """Role of the item."""
        return "controller"

    @property
    def clips(self) -> tuple[Clip, ...]:
        """Clips of the item, by name."""
        return (self.recent,)

    @property
    def id(self) -> str:
        """Identifier of the item, unique per role within its source."""
        return f"{self.role}:{self.episode.id}:{stamp(self.t)}:{self.mid_step_id}"

    def readable(self) -> Self:
        """Return the item without undecodable frames, which are listed in its clips."""
        return replace(self, recent=self.recent.readable())

    @cached_property
    def clip_hash(self) -> str:
        """Digest of all clips.

        Raises:
            ValueError: If a frame is damaged.
            OSError: If a frame cannot be read.
        """
        shown = " ".join(clip.digest() for clip in self.clips)
        return hashlib.sha256(shown.encode()).hexdigest()


@dataclass(frozen=True)
class PlannerItem(ControllerItem):
    """Moment for a planner.

    Attributes:
        summary: Clip of the last minute.
    """

    summary: Clip = field(kw_only=True)

    @property
    def role(self) -> Role:
        """Role of the item."""
        return "planner"

    @property
    def clips(self) -> tuple[Clip, ...]:
        """Clips of the item, by name."""
        return (self.recent, self.summary)

    def readable(self) -> Self:
        """Implement `ControllerItem.readable`."""
        return replace(self, recent=self.recent.readable(), summary=self.summary.readable())


Item: TypeAlias = ControllerItem | PlannerItem


def cache_key(item: Item, vocabulary: Vocabulary) -> str:
    """Return the cache key of an item: clip hash, mid step, schema version.

    Other fields of the item are included if they are not empty.
    """
    about = (item.episode.command, item.state_summary, *item.events, *item.constraints)
    said = hashlib.sha256("\0".join(about).encode("utf-8", "replace")).hexdigest()[:16]
    context = f"/{said}" if any(about) else ""
    return f"{item.role}/{item.clip_hash}/{item.mid_step_id}/{vocabulary.version}{context}"


def item_at(
    episode: Episode,
    t: float,
    mid_step_id: str,
    role: Role,
    vocabulary: Vocabulary,
    span: Span | None = None,
) -> Item:
    """Return the item of one moment of an episode."""
    about = (episode, t, mid_step_id, cut(episode, t, RECENT), span, vocabulary.constraints)
    if role == "controller":
        return ControllerItem(*about)
    return PlannerItem(*about, summary=cut(episode, t, SUMMARY))


def content_key(item: Item) -> str:
    """Return the digest of all data that a record of a moment depends on.

    Two moments of a recording never have the same key. Frames are compared in encoded form; an
    unreadable one counts as a different picture.
    """
    span = item.span
    acts = () if span is None else (*span.actions, span.before, span.after)
    content = {
        "item": item.id,
        "clips": [clip.content() for clip in item.clips],
        "actions": [act and asdict(act) for act in acts],
        "command": item.episode.command,
        "constraints": item.constraints,
        "events": item.events,
        "state": item.state_summary,
    }
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def flaws_of(item: Item) -> list[dict[str, str]]:
    """Return the recording flaws at a moment as plain data.

    Args:
        item: The moment; without a call of `readable`, damaged frames are not detected.
    """
    found = [("DAMAGED_FRAME", c.form.name, why) for c in item.clips for why in c.damaged]
    begin = min(clip.begin for clip in item.clips)
    found += [
        (doubt.kind.upper(), doubt.where, doubt.message)
        for doubt in item.episode.doubts
        if doubt.t <= item.t and doubt.end >= begin
    ]
    return [{"code": code, "where": where, "message": why} for code, where, why in found]


def items_of(
    episode: Episode, vocabulary: Vocabulary, role: Role, *, stride_s: float = 0.5
) -> Iterator[Item]:
    """Return the labelled moments of an episode, in order of time.

    Every span of actions has a moment at its start and after each stride, as long as it lasts. If
    two attempts at the same step overlap, the later one is used. An action that no mid step of the
    vocabulary lists has no items.

    Args:
        episode: The episode.
        vocabulary: Source of the mid steps.
        role: Role that the items are for.
        stride_s: Time between two moments of a span [s].
    """
    spans = spans_of(episode, vocabulary)
    until = shown_until(episode, stride_s)
    times = [moments(span, stride_s, until) for span in spans]
    latest = {(s.mid_step_id, t): n for n, s in enumerate(spans) for t in times[n]}
    for number, span in enumerate(spans):
        for t in times[number]:
            if latest[span.mid_step_id, t] != number:
                continue
            item = item_at(episode, t, span.mid_step_id, role, vocabulary, span)
            if item.recent.frames:
                yield item


def shown_until(episode: Episode, stride_s: float) -> float:
    """Return a time after which no clip has a frame, whatever the ends of actions [s]."""
    return max(episode.times, default=0.0) + RECENT.count * RECENT.step_s + stride_s


def moments(span: Span, stride_s: float, until: float) -> Sequence[float]:
    """Return the times of a span's moments, up to `until` [s]."""
    return [round(span.t + stride_s * k, 6) for k in range(count_of(span, stride_s, until))]


def count_of(span: Span, stride_s: float, until: float = float("inf")) -> int:
    """Return the number of moments of a span before `until` [s]; at least one."""
    return max(1, int((min(span.end, until) - span.t) / stride_s + 1e-9))
