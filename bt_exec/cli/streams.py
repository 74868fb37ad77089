"""Standard streams of a command: the program's output apart from prints of other code.

Packs, drivers and libraries may print, also from C and in child processes. With ``--json`` their
text goes to standard error, so that standard output contains only data. On a terminal, control and
invisible characters are removed from it; colours are kept.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO, cast

from bt_exec.language.sanitize import printable

__all__ = ["own_stream", "streams_apart", "write"]

_STDOUT, _STDERR = 1, 2
_COLOUR = re.compile("(\x1b\\[[0-9;]*m)")


class StrayText:
    """Stream that other code prints to.

    Args:
        to: Destination of the text.
        own: The stream that the program itself uses instead.
    """

    def __init__(self, to: TextIO, own: TextIO) -> None:
        self.to = to
        self.own = own

    def write(self, text: str) -> int:
        """Write text without terminal control characters."""
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

    def close(self) -> None:
        """Leave the stream open: it belongs to the program."""

    def __getattr__(self, name: str) -> Any:
        """Return other attributes of the stream."""
        return getattr(self.to, name)


def own_stream(stream: TextIO | None) -> TextIO:
    """Return the stream that the program itself uses instead of `stream`."""
    own = getattr(stream, "own", stream) or sys.__stderr__
    return cast("TextIO", own)


def write(text: str) -> None:
    """Write data on standard output; on a terminal without control characters."""
    out = own_stream(sys.stdout)
    out.write(printable(text) if out.isatty() else text)


@contextlib.contextmanager
def streams_apart(*, data: bool) -> Iterator[None]:
    """Replace the standard streams while a command runs.

    Args:
        data: Whether standard output carries data; prints of other code then go to standard error.
    """
    before = out, err = sys.stdout, sys.stderr
    with _separate_from_c(out) if data else contextlib.nullcontext(out) as own:
        sys.stdout = cast("TextIO", StrayText(err if data else out, own))
        sys.stderr = cast("TextIO", StrayText(err, err))
        try:
            yield
            for stream in (err if data else out, own):
                stream.flush()
        finally:
            sys.stdout, sys.stderr = before


@contextlib.contextmanager
def _separate_from_c(out: TextIO) -> Iterator[TextIO]:
    """Redirect descriptor 1 to standard error; yield a stream for data."""
    try:
        apart = out.fileno() == _STDOUT
        os.fstat(_STDERR)
    except (OSError, ValueError, AttributeError):
        apart = False
    if not apart:  # not a stream of the process, as in tests
        yield out
        return
    out.flush()
    number = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    own = open(number, "w", encoding=out.encoding, errors=out.errors, closefd=False)  # noqa: SIM115
    try:
        yield own
    finally:
        ctypes = importlib.import_module("ctypes")
        ctypes.CDLL(None).fflush(None)  # flush C buffers
        with contextlib.suppress(OSError):  # no descriptors available: the program is ending anyway
            os.dup2(number, _STDOUT)
        with contextlib.suppress(OSError, ValueError):  # a closed pipe was reported before
            own.close()
        os.close(number)
