"""Output of styled lines to a terminal, pipe or file, with or without colours."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style

from bt_exec.tui.terminal_text import (
    ASCII,
    COLOURS,
    UNICODE,
    Glyphs,
    Line,
    without_cursor_moves,
    wrap,
)

__all__ = ["Painter"]

_MARK = "\0"
_MOST_STYLES = 10_000  # maximum number of cached styles


class Painter:
    """Writer of lines to one stream.

    Args:
        file: The stream; standard output by default.

    Attributes:
        file: The stream.
        glyphs: Signs that the stream's encoding supports.
        console: rich's `Console` for the stream, which provides size and colours.
    """

    def __init__(self, file: TextIO | None = None) -> None:
        self.file = file if file is not None else sys.stdout
        self.console = Console(
            file=self.file, highlight=False, markup=False, emoji=False, legacy_windows=False
        )
        self.glyphs: Glyphs = UNICODE if _has_unicode(self.file) else ASCII
        self._codes = {name: self._code(COLOURS[name]) for name in COLOURS}

    @property
    def is_ascii_only(self) -> bool:
        """Whether the stream supports only ASCII signs."""
        return self.glyphs is ASCII

    @property
    def has_colours(self) -> bool:
        """Whether the stream shows colours."""
        return self.console.color_system is not None and not self.console.no_color

    @property
    def width(self) -> int:
        """Current width [cells]."""
        return self.console.size.width

    @property
    def can_redraw(self) -> bool:
        """Whether lines can be redrawn, because the stream is a capable terminal."""
        dumb = os.environ.get("TERM", "").lower() in ("", "dumb", "unknown")
        return _is_terminal(self.file) and not dumb and self.width >= 20

    def paint(self, line: Line) -> str:
        """Return a line as written to the stream, with colour codes if supported."""
        painted = []
        for text, style in line:
            before, after = self._codes.get(style) or self._colour_codes(style)
            painted.append(f"{before}{text}{after}" if text else "")
        return "".join(painted).rstrip(" ")

    def write_lines(self, lines: Iterable[Line]) -> None:
        """Write lines to the stream."""
        text = "".join(self.paint(line) + "\n" for line in lines)
        self.file.write(text)
        self.file.flush()

    def write_text(self, text: str, style: str = "") -> None:
        """Write a text; on a terminal, long lines are wrapped at spaces."""
        for line in text.split("\n"):
            body = self.glyphs.text(without_cursor_moves(line))
            indent = body[: len(body) - len(body.lstrip(" "))]
            if _is_terminal(self.file) and cell_len(body) >= self.width:
                pieces = [indent + piece for piece in wrap(body, self.width - len(indent) - 1)]
            else:
                pieces = [body]
            self.write_lines(((piece, style),) for piece in pieces)

    def _colour_codes(self, style: str) -> tuple[str, str]:
        """Return the terminal codes that start and end a style, such as that of a picture cell."""
        if len(self._codes) > _MOST_STYLES:
            self._codes = {name: self._code(COLOURS[name]) for name in COLOURS}
        return self._codes.setdefault(style, self._code(style))

    def _code(self, colours: str) -> tuple[str, str]:
        system = self.console.color_system
        if not colours or system is None:
            return "", ""
        style = Style.parse(colours)
        if self.console.no_color:
            style = style.without_color
        number = {"standard": 1, "256": 2, "truecolor": 3, "windows": 1}[system]
        before, _, after = style.render(_MARK, color_system=ColorSystem(number)).partition(_MARK)
        return before, after


def _is_terminal(file: TextIO) -> bool:
    try:
        return file.isatty()
    except ValueError:  # the file is closed
        return False


def _has_unicode(file: TextIO) -> bool:
    return (getattr(file, "encoding", None) or "ascii").lower().replace("-", "").startswith("utf")
