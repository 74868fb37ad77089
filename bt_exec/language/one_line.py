"""Text from outside (a model, a server, a picture, a file) as people may see it."""

from __future__ import annotations

__all__ = ["one_line"]


def one_line(text: str, longest: int) -> str:
    """Return text as one line that a terminal can show: nothing hidden, nothing that it obeys.

    Args:
        text: From outside; what is far behind the longest is not looked at.
        longest: Most characters; what is cut off shows as "…".
    """
    start = "".join(char if char.isprintable() else " " for char in text[: 4 * longest])
    line = " ".join(start.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
