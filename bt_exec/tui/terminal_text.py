"""Safe text for terminals, with its width in cells; Hangul characters are two cells wide.

A `Line` is a tuple of spans; a span is a text with the name of its style (`bt_exec.tui.paint`). All
views are built from lines, so that tests can read them as plain text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size

from bt_exec.language.sanitize import printable

__all__ = [
    "ASCII",
    "COLOURS",
    "UNICODE",
    "WORDS",
    "Entry",
    "Glyphs",
    "Line",
    "Span",
    "crop",
    "entry_lines",
    "fit",
    "line_width",
    "pad",
    "safe_line",
    "without_code",
    "without_cursor_moves",
    "without_styles",
    "wrap",
]


@dataclass(frozen=True)
class Glyphs:
    """Signs that views use, for one character set."""

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
        """Return `text` with unsupported characters replaced by similar ones or question marks."""
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
        "unmet": "◇",
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
        "unmet": "o",
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
    "unmet": "no",
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
    "unmet": "yellow",
}
"""Styles by name, in rich's syntax."""

_PLAIN = {"…": "...", "·": "-", "→": "->", "—": "-", "–": "-", "✓": "+", "✗": "x", "°": " deg"}

Span: TypeAlias = tuple[str, str]
Line: TypeAlias = tuple[Span, ...]

_SPACES = re.compile(r"[\s\u2028\u2029]+")


def safe_line(text: object) -> str:
    """Return external text as one line without control characters, with composed Hangul."""
    line = _SPACES.sub(" ", str(text))
    return unicodedata.normalize("NFC", printable(line)).strip()


def without_code(problem: str) -> str:
    """Return the text of a plan's problem without the code in brackets at its end."""
    return problem.rpartition(" [")[0] or problem


def without_cursor_moves(text: str) -> str:
    """Return one line without characters that move the cursor; spaces are kept."""
    return printable(text.replace("\t", "    ")).replace("\n", "")


def fit(text: str, cells: int, ellipsis: str = "…") -> str:
    """Return `text` shortened to at most `cells`, ending in `ellipsis` if it was shortened.

    The text is cut after a separator or a word if that wastes little space.
    """
    if cell_len(text) <= cells:
        return text
    dots = cell_len(ellipsis)
    if cells <= dots:
        return set_cell_size(text, max(cells, 0)).rstrip()
    head = set_cell_size(text, cells - dots).rstrip()
    whole = text[len(head)] == " "  # whether the cut is at the end of a word
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
    """Return `text` as lines of at most `cells`, broken at spaces or, if needed, inside words."""
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
    """Return a line cut to at most `cells`; a line that fits is returned unchanged."""
    if line_width(line) <= cells:
        return line
    spans: list[Span] = []
    for text, style in line:
        spans.append((fit(text, cells, ""), style))
        cells -= cell_len(spans[-1][0])
    return tuple(spans)


def without_styles(lines: Iterable[Line]) -> str:
    """Return lines as text without styles, for files, pipes and tests."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


@dataclass(frozen=True)
class Entry:
    """One entry of a displayed list.

    Attributes:
        title: Name of the entry.
        about: Text next to the title.
        remark: Text at the right edge.
        summary: A sentence below the title.
        facts: Names and texts of further lines; lines with empty texts are left out.
        style: Style of the title.
        sign: A glyph before the title.
    """

    title: str
    about: str = ""
    remark: str = ""
    summary: str = ""
    facts: Sequence[tuple[str, str]] = ()
    style: str = "strong"
    sign: str = ""


def entry_lines(entries: Iterable[Entry], width: int, glyphs: Glyphs) -> list[Line]:
    """Return entries as lines of at most `width` cells."""
    lines: list[Line] = []
    for entry in entries:
        lines += _entry(entry, max(width, 24), glyphs)
    return lines


def _entry(entry: Entry, width: int, glyphs: Glyphs) -> list[Line]:
    remark = fit(glyphs.text(entry.remark), width // 3, glyphs.dots)
    sign = f"{entry.sign} " if entry.sign else ""
    space = width - 2 - cell_len(sign) - (cell_len(remark) + 2 if remark else 0)
    title = fit(glyphs.text(safe_line(entry.title)), space, glyphs.dots)
    about = fit(glyphs.text(safe_line(entry.about)), space - cell_len(title) - 2, glyphs.dots)
    about = f"  {about}" if about else ""
    filler = " " * (space - cell_len(title) - cell_len(about) + 2) if remark else ""
    lines: list[Line] = [
        (
            (f" {sign}", entry.style),
            (title, entry.style),
            (about, ""),
            (filler, ""),
            (remark, "dim"),
        )
    ]
    if entry.summary:
        text = glyphs.text(safe_line(entry.summary))
        lines += [((f"   {line}", ""),) for line in wrap(text, width - 4)]
    column = max((cell_len(name) for name, text in entry.facts if text), default=0) + 2
    if column > width // 3:
        return [*lines, *_facts_below_names(entry.facts, width, glyphs)]
    for name, text in entry.facts:
        for index, line in enumerate(wrap(glyphs.text(safe_line(text)), width - 4 - column)):
            if line:
                head = pad(name if index == 0 else "", column)
                lines.append((("   " + head, "dim"), (line, "")))
    return lines


def _facts_below_names(
    facts: Iterable[tuple[str, str]], width: int, glyphs: Glyphs
) -> Iterator[Line]:
    """Yield the facts of an entry, each below its name, for lines that are too short for both."""
    for name, text in facts:
        if text:
            yield ((f"   {fit(name, width - 4, glyphs.dots)}", "dim"),)
        for line in wrap(glyphs.text(safe_line(text)), width - 6):
            if line:
                yield ((f"     {line}", ""),)
