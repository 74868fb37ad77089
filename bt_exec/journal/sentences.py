"""Messages about problems of the record, in the mission's language."""

from __future__ import annotations

import functools
import sys

from bt_exec.language.messages import OWN_MESSAGES, Messages

__all__ = ["said", "tell_stderr"]


def said(code: str, language: str, **facts: object) -> str:
    """Return the sentence for `code` from the executive's own messages."""
    return _sentences().say(code, language, **facts)


def tell_stderr(message: str) -> None:
    """Print a message about the journal to stderr."""
    print(f"journal: {message}", file=sys.stderr)


@functools.cache
def _sentences() -> Messages:
    return Messages.load([OWN_MESSAGES])
