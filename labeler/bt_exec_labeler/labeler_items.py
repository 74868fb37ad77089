"""Items for a labeler: moments of episodes, for a planner or for a controller.

A planner's item has the recent clip and the summary clip; a controller's item has only the recent
clip. They are separate types, so that a controller's item cannot contain a summary clip.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Literal, Self, TypeAlias

from bt_exec_labeler.clips import RECENT, SUMMARY, Clip, cut_clip
from bt_exec_labeler.episode import Episode, time_text
from bt_exec_labeler.mid_step_spans import Span, spans_of
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = [
    "ControllerItem",
    "Item",
    "PlannerItem",
    "Role",
    "cache_key",
    "clips_end_s",
    "content_key",
    "count_moments",
    "flaws_of",
    "item_at",
    "items_of",
    "moment_times",
]

Role: TypeAlias = Literal["planner", "controller"]


@dataclass(frozen=True)
class ControllerItem:
    """Moment of an episode, as a controller sees it.

    Attributes:
        episode: Episode of the moment.
        t: The moment [s since the episode began].
        mid_step_id: Current mid step.
        recent: Clip of the last seconds.
        span: Recorded span of actions, if any; not shown to models.
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
        """Clips that the controller sees."""
        return (self.recent,)

    @property
    def id(self) -> str:
        """Identifier of the item, unique per role within its source."""
        return f"{self.role}:{self.episode.id}:{time_text(self.t)}:{self.mid_step_id}"

    def without_damaged_frames(self) -> Self:
        """Return the item without undecodable frames; its clips list their errors."""
        return replace(self, recent=self.recent.without_damaged_frames())

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
    """Moment of an episode, as a planner sees it.

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
        """Clips that the planner sees: recent, then summary."""
        return (self.recent, self.summary)

    def without_damaged_frames(self) -> Self:
        """Implement `ControllerItem.without_damaged_frames`."""
        return replace(
            self,
            recent=self.recent.without_damaged_frames(),
            summary=self.summary.without_damaged_frames(),
        )


Item: TypeAlias = ControllerItem | PlannerItem


def cache_key(item: Item, vocabulary: Vocabulary) -> str:
    """Return the cache key of an item: role, digest of the clips, mid step and schema version.

    The key also contains a digest of command, state, events and constraints, unless all are empty.
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
    about = (episode, t, mid_step_id, cut_clip(episode, t, RECENT), span, vocabulary.constraints)
    if role == "controller":
        return ControllerItem(*about)
    return PlannerItem(*about, summary=cut_clip(episode, t, SUMMARY))


def content_key(item: Item) -> str:
    """Return the digest of all data that a record of a moment depends on.

    Two moments of a recording never have the same key. The digest uses the encoded frames; an
    unreadable frame counts as a different picture.
    """
    span = item.span
    acts = () if span is None else (*span.actions, span.before, span.after)
    content = {
        "item": item.id,
        "clips": [clip.frame_digests() for clip in item.clips],
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
        item: Item returned by `ControllerItem.without_damaged_frames`; otherwise, damaged frames
            are not detected.
    """
    found = [("DAMAGED_FRAME", c.form.name, why) for c in item.clips for why in c.damaged]
    begin = min(clip.start_s for clip in item.clips)
    found += [
        (doubt.kind.upper(), doubt.where, doubt.message)
        for doubt in item.episode.doubts
        if doubt.t <= item.t and doubt.end >= begin
    ]
    return [{"code": code, "where": where, "message": why} for code, where, why in found]


def items_of(
    episode: Episode, vocabulary: Vocabulary, role: Role, *, stride_s: float = 0.5
) -> Iterator[Item]:
    """Yield an item for each moment of an episode that is to be labelled, in chronological order.

    Every span of actions has a moment at its start and after each further stride until its end. If
    two attempts at the same mid step overlap, the later one is used. An action that belongs to no
    mid step of the vocabulary has no moments.

    Args:
        episode: The episode.
        vocabulary: Vocabulary with the mid steps.
        role: Role that the items are for.
        stride_s: Time between two moments of a span [s].
    """
    spans = spans_of(episode, vocabulary)
    until = clips_end_s(episode, stride_s)
    times = [moment_times(span, stride_s, until) for span in spans]
    latest = {(s.mid_step_id, t): n for n, s in enumerate(spans) for t in times[n]}
    for number, span in enumerate(spans):
        for t in times[number]:
            if latest[span.mid_step_id, t] != number:
                continue
            item = item_at(episode, t, span.mid_step_id, role, vocabulary, span)
            if item.recent.frames:
                yield item


def clips_end_s(episode: Episode, stride_s: float) -> float:
    """Return a time after which no clip has a frame [s], even if actions end later."""
    return max(episode.times, default=0.0) + RECENT.count * RECENT.step_s + stride_s


def moment_times(span: Span, stride_s: float, until: float) -> Sequence[float]:
    """Return the times of a span's moments, up to `until` [s]."""
    return [round(span.t + stride_s * k, 6) for k in range(count_moments(span, stride_s, until))]


def count_moments(span: Span, stride_s: float, until: float = float("inf")) -> int:
    """Return the number of moments of a span before `until` [s]; at least one."""
    return max(1, int((min(span.end, until) - span.t) / stride_s + 1e-9))
