"""Sentences of the pack in either language, from ``messages.yaml`` and ``phrasing.yaml``."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from bt_exec.language.messages import OWN_MESSAGES, Messages

__all__ = ["say", "sentences"]

_HERE = Path(__file__).parent


@lru_cache(maxsize=1)
def sentences() -> Messages:
    """Return the catalogue."""
    return Messages.load([OWN_MESSAGES, _HERE.parent / "messages.yaml", _HERE / "phrasing.yaml"])


def say(key: str, language: str, **facts: Any) -> str:
    """Return a sentence of the pack."""
    return sentences().say(key, language, **facts)
