"""Live view of a mission, which redraws changed lines at most ten times a second.

It draws on a separate thread, so that a blocked tick loop does not freeze the display, and a
blocked terminal does not delay the ticks. Other output of the program appears above the view, or
after the end of the view if it fills the screen. Keys change the display, never the mission.
"""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from types import TracebackType
from typing import TextIO

from bt_exec.tui.keys import Keys
from bt_exec.tui.paint import Painter
from bt_exec.tui.terminal_text import Line, line_width
from bt_exec.tui.view_commands import perform_key
from bt_exec.tui.view_drawing import draw
from bt_exec.tui.view_model import ViewModel
from bt_exec.tui.view_state import Display

__all__ = ["PERIOD_S", "LiveView"]

PERIOD_S = 0.1
"""Minimum time between two frames [s]."""

_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"
_CLEAR_LINE, _CLEAR_DOWN = "\x1b[K", "\x1b[J"
_TOP, _OWN_SCREEN, _MAIN_SCREEN = "\x1b[H", "\x1b[?1049h", "\x1b[?1049l"


class LiveView:
    """Live display of a model; use it as a context manager.

    Args:
        model: The model, which the caller updates.
        painter: The output; its stream must be a terminal.
        keys: Whether to read keys; if False, they remain in standard input.
        full: Whether to fill the screen, using the terminal's alternate screen.
    """

    def __init__(
        self, model: ViewModel, painter: Painter, *, keys: bool = False, full: bool = False
    ) -> None:
        self.model = model
        self.painter = painter
        self.display = Display(full=full, page="node" if full else "", colours=painter.has_colours)
        self.frames = 0
        self._enter = _OWN_SCREEN + _TOP + _CLEAR_DOWN if full else ""
        self._leave = _SHOW + (_MAIN_SCREEN if full else "")
        # other output of the program, printed when a view that fills the screen ends
        self._kept: list[tuple[TextIO, str]] = []
        self._held = False
        self._shown: list[Line] = []
        self._size = (0, 0)
        self._now = 0.0
        self._io = threading.RLock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="live view", daemon=True)
        self._streams: tuple[TextIO, TextIO] | None = None
        self._keys = Keys(read=keys)

    def __enter__(self) -> LiveView:
        """Start drawing."""
        self._keys.begin()
        self._streams = sys.stdout, sys.stderr
        sys.stdout = _Above(self, sys.stdout)
        sys.stderr = _Above(self, sys.stderr)
        with contextlib.suppress(OSError, ValueError):
            self._write(self._enter)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop drawing, erase the view and restore the streams."""
        self._stop.set()
        self._thread.join(2.0)
        assert self._streams is not None
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, _Above):
                stream.finish()
        sys.stdout, sys.stderr = self._streams
        with self._io, contextlib.suppress(OSError, ValueError):
            self._write(self._erase() + self._leave)
            for stream, text in self._kept:
                stream.write(text)
        self._keys.end()

    def draw_if_changed(self) -> None:
        """Draw a frame now, and write the lines that changed."""
        size = self.painter.console.size
        with self.model.lock:
            self._now = max(self.model.now(), self._now if self.model.outcome is None else 0.0)
            lines = draw(
                self.model,
                size.width,
                size.height - 1,
                ascii=self.painter.is_ascii_only,
                verbose=self.model.verbose,
                now=self._now,
                display=self.display,
                keys=self._keys.is_available,
            )
        with self._io:
            before = self._erase() if tuple(size) != self._size else ""
            self._size = (size.width, size.height)
            change = self._difference(lines)
            if before or change:
                self._write(before + _HIDE + _NO_WRAP + change + _WRAP)

    def handle_key(self, key: str) -> None:
        """Perform the action of a key; a paused view is redrawn once."""
        with self.model.lock:
            perform_key(self.display, self.model, key, self.painter.console.size.width)
        if self.display.paused:
            self.draw_if_changed()

    def show_model(self, model: ViewModel) -> None:
        """Show another model from the next frame on, even if its time is earlier."""
        model.verbose = self.model.verbose
        self.model, self._now = model, 0.0

    def suspend_drawing(self) -> None:
        """Erase the view and draw nothing until `redraw`, while other output needs the screen."""
        self._held = True
        with self._io, contextlib.suppress(OSError, ValueError):
            self._write(self._erase() + self._leave)
            self._keys.end()

    def redraw(self) -> None:
        """Redraw everything at the next frame, because the screen has changed."""
        self._held = False
        with self._io, contextlib.suppress(OSError, ValueError):
            self._shown = []
            self._keys.begin()
            self._write(self._enter)

    def pause(self) -> None:
        """Restore the terminal while the program is suspended."""
        # RuntimeError occurs if the signal interrupted a write to the same stream
        with self._io, contextlib.suppress(OSError, ValueError, RuntimeError):
            self._write(self._leave)
            self._keys.end()

    def print_above(self, stream: TextIO, text: str) -> None:
        """Print complete lines above the view, or after its end if it fills the screen."""
        with self._io:
            if self.display.full and not self._held:
                self._kept.append((stream, text))
                self.display.notice = text.strip().rpartition("\n")[2]
                return
            self._write(self._erase())
            stream.write(text)
            stream.flush()

    def _run(self) -> None:
        try:
            while not self._stop.wait(PERIOD_S):
                if self._held:
                    continue
                while key := self._keys.read(0.0):
                    self.handle_key(key)
                self.display.paused &= not (self.model.stopping or self.model.outcome)
                if not self.display.paused:
                    self.draw_if_changed()
        except (OSError, ValueError):
            return  # the terminal was closed; the mission continues

    def _difference(self, lines: list[Line]) -> str:
        """Return the terminal output that changes the shown lines to `lines`.

        The cursor is on the line below the view before and after.
        """
        shown = self._shown
        if lines == shown:
            return ""
        self.frames += 1
        parts = [f"\x1b[{len(shown)}A" if shown else ""]
        for index, line in enumerate(lines):
            if index >= len(shown) or shown[index] != line:
                parts.append("\r" + self.painter.paint(line) + _CLEAR_LINE)
            parts.append("\r\n")
        parts.append(_CLEAR_DOWN if len(lines) < len(shown) else "")
        self._shown = lines
        return "".join(parts)

    def _erase(self) -> str:
        """Return the terminal output that erases the view, even if a resize has wrapped rows."""
        if self.display.full:
            self._shown = []
            return _TOP + _CLEAR_DOWN
        width, height = self.painter.console.size
        rows = sum(max(1, -(-line_width(line) // max(width, 1))) for line in self._shown)
        rows = min(rows, height - 1)
        self._shown = []
        return f"\x1b[{rows}A\r{_CLEAR_DOWN}" if rows > 0 else ""

    def _write(self, text: str) -> None:
        self.painter.file.write(text)
        self.painter.file.flush()


class _Above(io.TextIOBase):
    """Replacement of an output stream, which prints complete lines above the view."""

    def __init__(self, view: LiveView, stream: TextIO) -> None:
        self._view = view
        self._stream = stream
        self._rest = ""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not self._stream.isatty():
            return self._stream.write(text)
        lines, newline, self._rest = (self._rest + text).rpartition("\n")
        if newline:
            self._view.print_above(self._stream, lines + newline)
        return len(text)

    def flush(self) -> None:
        if not self._stream.isatty():
            self._stream.flush()

    def finish(self) -> None:
        """Print the last line if it has no line end."""
        if self._rest:
            self.write("\n")
