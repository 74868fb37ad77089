"""Clips that show the same: within a run they add nothing, between splits they leak."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import cv2
import numpy as np

from bt_exec_labeler.clips import RECENT, cut
from bt_exec_labeler.episode import Episode, Image
from bt_exec_labeler.splits import split_of

__all__ = ["difference_hash", "duplicates", "leaks"]

_SIDE = 8


def difference_hash(image: Image) -> int:
    """Return 64 bits of what a picture looks like: is each of 8 x 8 places darker than the next?

    N. Krawetz, Kind of Like That (2013), "dHash".
    """
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, (_SIDE + 1, _SIDE), interpolation=cv2.INTER_AREA)
    bits = np.asarray(small)[:, 1:] > np.asarray(small)[:, :-1]
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def duplicates(
    lines: Iterable[Mapping[str, Any]], episodes: Mapping[str, Episode]
) -> list[list[str]]:
    """Return groups of items of different episodes whose recent clips look the same.

    A clip is compared by the first, the middle and the last of its frames. Clips of one episode
    that follow each other are alike by nature and are not told.
    """
    alike: dict[tuple[int, ...], list[str]] = defaultdict(list)
    where: dict[str, str] = {}
    for line in lines:
        episode = episodes.get(line["episode"])
        frames = () if episode is None else cut(episode, line["t"], RECENT).frames
        if frames:
            shown = (frames[0], frames[len(frames) // 2], frames[-1])
            key = (len(frames), *(difference_hash(frame.image()) for frame in shown))
            alike[key].append(line["item"])
            where[line["item"]] = line["episode"]
    groups = alike.values()
    return [group for group in groups if len({where[item] for item in group}) > 1]


def leaks(groups: Iterable[Iterable[str]], episode_of: Mapping[str, str]) -> list[list[str]]:
    """Return the groups whose items lie in different splits."""
    return [
        list(group) for group in groups if len({split_of(episode_of[item]) for item in group}) > 1
    ]
