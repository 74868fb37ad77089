"""Describes an exception of third-party code; its message may raise, too."""

from __future__ import annotations

import contextlib

__all__ = ["in_words"]


def in_words(error: BaseException) -> str:
    """Return ``ValueError: what it says``; only the type where it cannot say anything."""
    said = ""
    with contextlib.suppress(Exception):
        said = str(error)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
