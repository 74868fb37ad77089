"""Sanitizing of text from outside (a model, a server, a picture, a file) for display."""

from __future__ import annotations

import re

__all__ = ["one_line", "printable"]

_DOUBTFUL = re.compile("[^\n\t\x20-\x7e\u2500-\u259f\uac00-\ud7a3]")
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Invisible characters, and characters that can carry hidden text."""


def printable(text: str) -> str:
    """Return text without characters that control a terminal or are invisible.

    Control and format characters, lone surrogates, private and unassigned characters are removed;
    line breaks and tabs are kept.
    """
    if text.isascii() and text.isprintable():
        return text
    return _DOUBTFUL.sub(_visible_form, text)


def _visible_form(match: re.Match[str]) -> str:
    char = match[0]
    return char if char.isprintable() and not _INVISIBLE.match(char) else ""


def one_line(text: str, longest: int) -> str:
    """Return text as one line without invisible or control characters.

    Args:
        text: Text from outside; only its beginning is processed.
        longest: Maximum length [characters]; longer text ends with "…".
    """
    start = "".join(printable(char) or " " for char in text[: 4 * longest])
    line = " ".join(start.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
