"""Keys of a terminal, read one at a time without Enter; arrows have names."""

from __future__ import annotations

import contextlib
import os
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
    "\x04": "q",
}


class Keys:
    """Reader of single keys from standard input; use it as a context manager.

    Without a terminal no key is ever pressed.
    """

    def __init__(self) -> None:
        self._before: list[Any] | None = None
        self._number = -1

    def __enter__(self) -> Keys:
        """Switch line editing and echo off."""
        with contextlib.suppress(OSError, ValueError, ImportError):
            number = -1 if sys.__stdin__ is None else sys.__stdin__.fileno()
            if os.isatty(number):
                import termios

                self._before = termios.tcgetattr(number)
                now = termios.tcgetattr(number)
                now[3] &= ~(termios.ECHO | termios.ICANON)
                termios.tcsetattr(number, termios.TCSANOW, now)
                self._number = number
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the terminal."""
        if self._before is not None:
            import termios

            with contextlib.suppress(OSError, ValueError, termios.error):
                termios.tcsetattr(self._number, termios.TCSANOW, self._before)
            self._before = None

    @property
    def there(self) -> bool:
        """Whether there is a terminal to press keys at."""
        return self._before is not None

    def read(self, wait_s: float) -> str:
        """Return the next key; empty if none is pressed within `wait_s` [s]."""
        if self._before is None:
            if wait_s > 0:
                select.select([], [], [], wait_s)
            return ""
        ready, _, _ = select.select([self._number], [], [], wait_s)
        if not ready:
            return ""
        text = os.read(self._number, 16).decode("utf-8", "replace")
        if not text:
            return "q"  # the terminal is gone
        return _NAMES.get(text, text[:1])
