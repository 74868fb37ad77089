"""Standard streams of a command: the program's output apart from prints of other code.

Packs, drivers and libraries print. With ``--json`` their text goes to standard error, so that
standard output is data alone. On a terminal, characters that a terminal obeys or does not show are
removed from it; colours stay.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from bt_exec.language.sanitize import printable

__all__ = ["own_stream", "streams_apart", "write"]

_COLOUR = re.compile("(\x1b\\[[0-9;]*m)")


class StrayText:
    """Stream that other code prints to.

    Args:
        to: Where its text goes.
        own: The stream that the program itself writes to in its place.
    """

    def __init__(self, to: TextIO, own: TextIO) -> None:
        self.to = to
        self.own = own

    def write(self, text: str) -> int:
        """Write text without what a terminal obeys."""
        if self.to.isatty():
            parts = _COLOUR.split(text)
            shown = (part if number % 2 else printable(part) for number, part in enumerate(parts))
            self.to.write("".join(shown))
        else:
            self.to.write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after the other."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        """Return whatever else the stream has."""
        return getattr(self.to, name)


def own_stream(stream: TextIO) -> TextIO:
    """Return the stream that the program itself writes to in place of `stream`."""
    own: TextIO = getattr(stream, "own", stream)
    return own


def write(text: str) -> None:
    """Write data on standard output; on a terminal without what it obeys."""
    out = own_stream(sys.stdout)
    out.write(printable(text) if out.isatty() else text)


@contextmanager
def streams_apart(*, data: bool) -> Iterator[None]:
    """Replace the standard streams while a command runs.

    Args:
        data: Whether standard output carries data: what other code prints goes to standard error.
    """
    before = out, err = sys.stdout, sys.stderr
    if data or out.isatty():
        sys.stdout = cast("TextIO", StrayText(err if data else out, out))
    if err.isatty():
        sys.stderr = cast("TextIO", StrayText(err, err))
    try:
        yield
        if sys.stdout is not out:
            sys.stdout.flush()
    finally:
        sys.stdout, sys.stderr = before
