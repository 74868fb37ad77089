"""Singular and plural of English nouns after a number; templates write ``{count} object(s)``."""

from __future__ import annotations

import re

__all__ = ["with_plurals"]

_MARK = re.compile(r"\b(?P<count>\d+)(?P<noun> [a-z -]*[a-z])\(s\)")


def with_plurals(text: str) -> str:
    """Return `text` with each ``(s)`` resolved by the number before its noun."""
    return _MARK.sub(lambda m: f"{m['count']}{m['noun']}{'s' if m['count'] != '1' else ''}", text)
