"""Text in terminal cells: Hangul is two cells wide, control characters are removed.

A `Line` is a tuple of spans; a span is a text with the name of its style (`bt_exec.tui.style`). All
views are built from lines, so that tests can read them as plain text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size

from bt_exec.language.sanitize import printable

__all__ = ["Line", "Span", "clean", "crop", "fit", "line_width", "pad", "plain", "safe", "wrap"]

Span: TypeAlias = tuple[str, str]
Line: TypeAlias = tuple[Span, ...]

_SPACES = re.compile(r"[\s\u2028\u2029]+")


def clean(text: object) -> str:
    """Return text from outside as one safe line: no control characters, composed Hangul."""
    line = _SPACES.sub(" ", str(text))
    return unicodedata.normalize("NFC", printable(line)).strip()


def safe(text: str) -> str:
    """Return one line without characters that move the cursor; spaces are kept."""
    return printable(text.replace("\t", "    ")).replace("\n", "")


def fit(text: str, cells: int, ellipsis: str = "…") -> str:
    """Return `text` cut to at most `cells`, ending in `ellipsis` if it was cut.

    It is cut between parts or words if that does not waste much room.
    """
    if cell_len(text) <= cells:
        return text
    dots = cell_len(ellipsis)
    if cells <= dots:
        return set_cell_size(text, max(cells, 0)).rstrip()
    head = set_cell_size(text, cells - dots).rstrip()
    whole = text[len(head)] == " "  # the cut is at the end of a word
    for mark, least in ((" · ", 0.6), (" - ", 0.6), (", ", 0.6), (" ", 1.0 if whole else 0.7)):
        end = head.rfind(mark)
        if end > 0 and cell_len(head[:end]) >= least * cells:
            head = head[:end]
            break
    return head.rstrip(" ·,-") + ellipsis


def pad(text: str, cells: int) -> str:
    """Return `text` padded with spaces to `cells`; longer text is unchanged."""
    return text + " " * (cells - cell_len(text))


def wrap(text: str, cells: int) -> list[str]:
    """Return `text` in lines of at most `cells`, broken at spaces or, if needed, inside words."""
    cells = max(cells, 4)
    lines: list[str] = []
    line = ""
    for word in text.split():
        while cell_len(word) > cells:
            if line:
                lines.append(line)
                line = ""
            head = set_cell_size(word, cells).rstrip()
            lines.append(head)
            word = word[len(head) :]
        if line and cell_len(line) + 1 + cell_len(word) > cells:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line] if line or not lines else lines


def line_width(line: Line) -> int:
    """Return the width of a line [cells]."""
    return sum(cell_len(text) for text, _ in line)


def crop(line: Line, cells: int) -> Line:
    """Return a line cut to `cells`; one that fits is returned as it is."""
    if line_width(line) <= cells:
        return line
    spans: list[Span] = []
    for text, style in line:
        spans.append((fit(text, cells, ""), style))
        cells -= cell_len(spans[-1][0])
    return tuple(spans)


def plain(lines: Iterable[Line]) -> str:
    """Return lines as text without styles, for files, pipes and tests."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
