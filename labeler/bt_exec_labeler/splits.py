"""Which split an episode belongs to: decided by its name alone, so that it never changes."""

from __future__ import annotations

import hashlib
from typing import Literal, TypeAlias

__all__ = ["Split", "share_of", "split_of"]

Split: TypeAlias = Literal["train", "val", "test"]


def split_of(episode: str) -> Split:
    """Return the split of an episode and all its clips: 8 of 10 train, 1 val, 1 test."""
    share = share_of(episode)
    return "train" if share < 0.8 else "val" if share < 0.9 else "test"


def share_of(text: str) -> float:
    """Return a number from 0 to 1 that a text always has: for samples that stay the same."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64
