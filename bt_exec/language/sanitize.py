"""Sanitizing of text from outside (a model, a server, a picture, a file) for display."""

from __future__ import annotations

import re

__all__ = ["one_line", "printable"]

_DOUBTFUL = re.compile("[^\n\t\x20-\x7e\u2500-\u259f\uac00-\ud7a3]")
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Characters of words that show nothing, or can carry hidden text."""


def printable(text: str) -> str:
    """Return text without what a terminal obeys or does not show; lines and tabs stay.

    Control and format characters, halves of characters, private and unassigned ones are removed.
    """
    if text.isascii() and text.isprintable():
        return text
    return _DOUBTFUL.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    char = match[0]
    return char if char.isprintable() and not _INVISIBLE.match(char) else ""


def one_line(text: str, longest: int) -> str:
    """Return text as one line that a terminal can show: nothing hidden, nothing that it obeys.

    Args:
        text: From outside; what is far behind the longest is not looked at.
        longest: Most characters; what is cut off shows as "…".
    """
    start = "".join(printable(char) or " " for char in text[: 4 * longest])
    line = " ".join(start.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
