"""Rows of the part ``replies``: refused or answered commands, with the frames at that time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from bt_exec_labeler.clips import RECENT, cut
from bt_exec_labeler.datasets.rows import clip_columns
from bt_exec_labeler.episode import Episode, Frame
from bt_exec_labeler.splits import Split

__all__ = ["reply_rows", "reply_strata"]


def reply_strata(episodes: Iterable[Episode]) -> list[dict[str, str]]:
    """Return a line for each episode with a reply, so that splits are stratified by its kind."""
    return [
        {"episode": episode.id, "mid_step_id": f"{episode.reply.kind} {episode.reply.code}"}
        for episode in episodes
        if episode.reply is not None
    ]


def reply_rows(
    episodes: Iterable[Episode], splits: Mapping[str, Split], keep: Callable[[Frame], Any]
) -> Iterator[dict[str, Any]]:
    """Return a row for each command without actions.

    Args:
        episodes: The recordings.
        splits: Split of each episode.
        keep: Function that returns a frame in the format of a row.
    """
    for episode in episodes:
        reply = episode.reply
        if reply is None or episode.id not in splits:
            continue
        yield {
            "id": f"reply:{episode.id}",
            "episode": episode.id,
            "split": splits[episode.id],
            "command": episode.command,
            "language": episode.language,
            "kind": reply.kind,
            "code": reply.code,
            "reply": reply.text,
            "missing": list(reply.missing),
            "suggestions": list(reply.suggestions),
            "checks": list(reply.checks),
            "facts": json.dumps(dict(episode.start_facts), ensure_ascii=False),
            "flaws": [flaw.message for flaw in episode.flaws],
            **clip_columns(cut(episode, reply.t, RECENT), keep),
        }
