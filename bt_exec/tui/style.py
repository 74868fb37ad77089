"""Glyphs and colours of states. Every state has both a glyph and a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["ASCII", "COLOURS", "UNICODE", "WORDS", "Glyphs"]


@dataclass(frozen=True)
class Glyphs:
    """The signs of one character set."""

    states: Mapping[str, str]
    full: str
    empty: str
    elbow: str
    rule: str
    dots: str
    dot: str
    arrow: str
    cursor: str

    def text(self, text: str) -> str:
        """Return `text` in this character set; unsupported characters become question marks."""
        if self is UNICODE:
            return text
        for sign, plain in _PLAIN.items():
            text = text.replace(sign, plain)
        return text.encode("ascii", "replace").decode()


UNICODE = Glyphs(
    {
        "": "·",
        "running": "▸",
        "done": "✓",
        "failed": "✗",
        "skipped": "↷",
        "kept": "≡",
        "stopped": "■",
    },
    "▰",
    "▱",
    "└",
    "─",
    "…",
    "·",
    "→",
    "❯",
)
ASCII = Glyphs(
    {
        "": ".",
        "running": ">",
        "done": "+",
        "failed": "x",
        "skipped": "~",
        "kept": "=",
        "stopped": "#",
    },
    "#",
    "-",
    "-",
    "-",
    "...",
    "-",
    "->",
    "*",
)

WORDS: Mapping[str, str] = {
    "": "waiting",
    "running": "running",
    "done": "done",
    "failed": "failed",
    "skipped": "skipped",
    "kept": "kept",
    "stopped": "stopped",
}

COLOURS: Mapping[str, str] = {
    "": "",
    "dim": "dim",
    "strong": "bold",
    "cursor": "reverse",
    "running": "cyan",
    "done": "green",
    "failed": "bold red",
    "skipped": "yellow",
    "kept": "blue",
    "stopped": "magenta",
}
"""Style names and their colours, as rich writes them."""

_PLAIN = {"…": "...", "·": "-", "→": "->", "—": "-", "–": "-", "✓": "+", "✗": "x", "°": " deg"}
