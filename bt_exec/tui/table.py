"""Lists for any width: a title with a remark at the right, a sentence, named facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from bt_exec.tui.style import Glyphs
from bt_exec.tui.text import Line, clean, fit, pad, wrap

__all__ = ["Entry", "entry_lines"]


@dataclass(frozen=True)
class Entry:
    """One item of a list.

    Attributes:
        title: Its name.
        about: Text next to the name.
        remark: Text at the right.
        summary: A sentence.
        facts: Named facts; empty ones are left out.
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
    title = fit(glyphs.text(clean(entry.title)), space, glyphs.dots)
    about = fit(glyphs.text(clean(entry.about)), space - cell_len(title) - 2, glyphs.dots)
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
        text = glyphs.text(clean(entry.summary))
        lines += [((f"   {line}", ""),) for line in wrap(text, width - 4)]
    column = max((cell_len(name) for name, text in entry.facts if text), default=0) + 2
    column = min(column, width // 2)
    for name, text in entry.facts:
        name = fit(name, column - 1, glyphs.dots)
        for index, line in enumerate(wrap(glyphs.text(clean(text)), width - 4 - column)):
            if line:
                head = pad(name if index == 0 else "", column)
                lines.append((("   " + head, "dim"), (line, "")))
    return lines
