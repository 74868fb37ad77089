"""Checks of labels for contradictions in a record and for near-duplicate clips."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import cv2
import numpy as np

from bt_exec_labeler.clips import RECENT, cut_clip, decode_frame
from bt_exec_labeler.episode import Episode, Image
from bt_exec_labeler.plan_record import Breach
from bt_exec_labeler.splits import Split
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = [
    "contradictions",
    "difference_hash",
    "duplicates",
    "facts_at",
    "split_leaks",
    "without_duplicates",
]


_SIDE = 8
_NEAR = 4  # maximum number of differing bits of 64 between similar pictures


def difference_hash(image: Image) -> int:
    """Return a 64-bit difference hash; a bit is set if one of 8 x 8 cells is darker than the next.

    N. Krawetz, Kind of Like That (2013), "dHash".
    """
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, (_SIDE + 1, _SIDE), interpolation=cv2.INTER_AREA)
    bits = np.asarray(small)[:, 1:] > np.asarray(small)[:, :-1]
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def duplicates(
    lines: Iterable[Mapping[str, Any]], episodes: Mapping[str, Episode]
) -> list[list[str]]:
    """Return groups of items from different episodes whose recent clips look the same.

    A clip is compared by its first, middle and last frame. Successive clips of one episode are
    always similar and are not reported.
    """
    alike: dict[tuple[int, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for line, looks in _hashed_records(lines, episodes):
        alike[looks].append(line)
    groups = (group for group in alike.values() if len({one["episode"] for one in group}) > 1)
    return [[line["item"] for line in group] for group in groups]


def without_duplicates(
    lines: Sequence[dict[str, Any]], episodes: Mapping[str, Episode]
) -> list[dict[str, Any]]:
    """Return the records without those whose clip is nearly the same as an earlier record's.

    Only records with the same mid step, short goal and kind are compared. Two clips are nearly the
    same if the difference hashes of three compared frames differ in at most 4 of 64 bits.
    """
    known: dict[str, list[tuple[int, ...]]] = defaultdict(list)
    repeated: set[str] = set()
    for line, looks in _hashed_records(lines, episodes):
        said = [line["mid_step_id"], line.get("kind"), line["record"]["short_goal_dsl"]]
        others = known[json.dumps(said, sort_keys=True)]
        if any(_look_alike(looks, other) for other in others):
            repeated.add(line["item"])
        else:
            others.append(looks)
    return [line for line in lines if line["item"] not in repeated]


def _hashed_records(
    lines: Iterable[Mapping[str, Any]], episodes: Mapping[str, Episode]
) -> Iterator[tuple[Mapping[str, Any], tuple[int, ...]]]:
    """Yield records with the hashes of their clips; those without a readable clip are left out."""
    for line in lines:
        episode = episodes.get(line["episode"])
        frames = (
            ()
            if episode is None
            else cut_clip(episode, line["t"], RECENT).without_damaged_frames().frames
        )
        if frames:
            shown = (frames[0], frames[len(frames) // 2], frames[-1])
            yield line, (len(frames), *(difference_hash(decode_frame(frame)) for frame in shown))


def _look_alike(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return True if two clips of the same length look nearly the same."""
    bits = ((a ^ b).bit_count() for a, b in zip(one[1:], other[1:], strict=True))
    return one[0] == other[0] and all(count <= _NEAR for count in bits)


def split_leaks(
    groups: Iterable[Iterable[str]], episode_of: Mapping[str, str], splits: Mapping[str, Split]
) -> list[list[str]]:
    """Return the groups whose items are in more than one split."""
    return [
        list(group) for group in groups if len({splits.get(episode_of[item]) for item in group}) > 1
    ]


def contradictions(
    line: Mapping[str, Any], vocabulary: Vocabulary, episode: Episode | None
) -> tuple[Breach, ...]:
    """Return the contradictions of one record.

    Args:
        line: A line of ``records.jsonl``.
        vocabulary: Vocabulary of the run.
        episode: Episode of the record, or None to check only the record itself.
    """
    record, t = line["record"], float(line["t"])
    found: list[Breach] = []
    ops = [goal["op"] for goal in record["short_goal_dsl"]]
    for word in record["fallback_if_failed"]:
        if ops == [word]:
            message = f"{word} has failed; repeating it is not an alternative"
            found.append(Breach("FALLBACK_IS_GOAL", "fallback_if_failed", message))
    if episode is None:
        return tuple(found)
    known = facts_at(episode, t)
    held = [w for w in record["done_evidence"] if w in {f"{k}={v}" for k, v in known.items()}]
    if held and len(held) == len(record["done_evidence"]):
        message = f"{', '.join(held)} holds already at {t:g} s"
        found.append(Breach("EVIDENCE_HOLDS_ALREADY", "done_evidence", message))
    until = t + record["horizon_steps"] * vocabulary.limits.step_s
    if until > episode.duration_s + vocabulary.limits.step_s:
        message = f"reaches {until:g} s; the episode ends at {episode.duration_s:g} s"
        found.append(Breach("HORIZON_BEYOND_EPISODE", "horizon_steps", message))
    return tuple(found)


def facts_at(episode: Episode, t: float) -> dict[str, str]:
    """Return the known facts at a moment: the initial ones, changed by the actions so far."""
    facts = dict(episode.start_facts)
    done: Iterable[Any] = (a for a in episode.actions if a.end is not None and a.end <= t)
    for action in sorted(done, key=lambda a: a.end):
        facts.update(action.facts)
    return facts
