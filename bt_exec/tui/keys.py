"""Reading of single keys from a terminal, without Enter."""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import select
import sys
from types import TracebackType
from typing import Any

__all__ = ["Keys"]

_NAMES = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[C": "right",
    "\x1b[D": "left",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x1bOC": "right",
    "\x1bOD": "left",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\t": "tab",
    "\x7f": "backspace",
    "\b": "backspace",
    "\x04": "q",
}
_KEY = re.compile(r"\x1b(?:\[[\d;]*[A-Za-z~]|O[A-Z])|.", re.DOTALL)


class Keys:
    """Reader of single keys from standard input; use it as a context manager.

    Without a terminal, no keys are read.

    Args:
        read: Whether to read keys. If False, typed keys are not echoed and remain in standard
            input.
    """

    def __init__(self, *, read: bool = True) -> None:
        self._reads = read
        self._before: list[Any] | None = None
        self._number = -1
        self._typed = ""  # keys that were pressed in quick succession
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def __enter__(self) -> Keys:
        """Prepare the terminal; see `begin`."""
        self.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the terminal."""
        self.end()

    def begin(self) -> None:
        """Switch off echo and, if keys are read, line editing."""
        with contextlib.suppress(OSError, ValueError, ImportError):
            number = -1 if sys.__stdin__ is None else sys.__stdin__.fileno()
            if os.isatty(number):
                import termios

                now = termios.tcgetattr(number)
                self._before = self._before or [*now]
                now[3] &= ~(termios.ECHO | (termios.ICANON if self._reads else 0))
                termios.tcsetattr(number, termios.TCSANOW, now)
                self._number = number

    def end(self) -> None:
        """Restore the terminal."""
        if self._before is not None:
            import termios

            with contextlib.suppress(OSError, ValueError, termios.error):
                termios.tcsetattr(self._number, termios.TCSANOW, self._before)
            self._before = None

    @property
    def is_available(self) -> bool:
        """Whether there is a terminal to read keys from."""
        return self._reads and self._before is not None

    def read(self, wait_s: float) -> str:
        """Return the next key, arrows by name; empty if none is pressed within `wait_s` [s]."""
        if not self.is_available:
            if wait_s > 0:
                select.select([], [], [], wait_s)
            return ""
        if not self._typed:
            ready, _, _ = select.select([self._number], [], [], wait_s)
            if not ready:
                return ""
            data = os.read(self._number, 64)
            if not data:
                return "q"  # the terminal was closed
            self._typed = self._decoder.decode(data)  # may be empty in the middle of a character
        if not self._typed:
            return ""
        key = _KEY.match(self._typed)
        assert key is not None
        self._typed = self._typed[key.end() :]
        return _NAMES.get(key[0], key[0][:1])
