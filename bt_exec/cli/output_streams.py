"""Output streams of a command, kept apart from the output of other code.

Packs, drivers and libraries may print, also from C and in child processes. With ``--json`` their
text goes to standard error, so that standard output contains only data. On a terminal, control and
invisible characters are removed from that text; colours are kept.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TextIO, cast

from bt_exec.language.sanitize import printable
from bt_exec.tui.paint import Painter

__all__ = [
    "localized",
    "operator_painter",
    "program_stream",
    "progress_bar",
    "reader_language",
    "separate_streams",
    "to_json",
    "use_language_of",
    "write_data",
    "write_json",
    "write_result",
]


_STDOUT, _STDERR = 1, 2
_COLOUR = re.compile("(\x1b\\[[0-9;]*m)")


class StrayText:
    """Stream for the output of code outside bt-exec, in place of a standard stream.

    Args:
        to: Destination of the text.
        own: The stream that bt-exec itself uses.
    """

    def __init__(self, to: TextIO, own: TextIO) -> None:
        self.to = to
        self.own = own

    def write(self, text: str) -> int:
        """Write text; on a terminal, control characters other than colours are removed."""
        if self.to.isatty():
            parts = _COLOUR.split(text)
            shown = (part if number % 2 else printable(part) for number, part in enumerate(parts))
            self.to.write("".join(shown))
        else:
            self.to.write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write strings one after the other."""
        self.write("".join(lines))

    def close(self) -> None:
        """Leave the stream open: it belongs to the program."""

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the destination stream."""
        return getattr(self.to, name)


def program_stream(stream: TextIO | None) -> TextIO:
    """Return the stream for bt-exec's own output in place of `stream`."""
    own = getattr(stream, "own", stream) or sys.__stderr__
    return cast("TextIO", own)


def write_data(text: str) -> None:
    """Write data to standard output; on a terminal, control characters are removed."""
    out = program_stream(sys.stdout)
    out.write(printable(text) if out.isatty() else text)


@contextlib.contextmanager
def separate_streams(*, data: bool) -> Iterator[None]:
    """Replace the standard streams while a command runs. Contexts may be nested.

    Args:
        data: Whether standard output carries data; output of other code then goes to standard
            error.
    """
    before = sys.stdout, sys.stderr
    out, err = program_stream(sys.stdout), program_stream(sys.stderr)
    with _separate_output_of_c_code(out) if data else contextlib.nullcontext(out) as own:
        sys.stdout = cast("TextIO", StrayText(err if data else out, own))
        sys.stderr = cast("TextIO", StrayText(err, err))
        try:
            yield
            for stream in (err if data else out, own):
                stream.flush()
        finally:
            sys.stdout, sys.stderr = before


@contextlib.contextmanager
def _separate_output_of_c_code(out: TextIO) -> Iterator[TextIO]:
    """Redirect descriptor 1, to which C code prints, to standard error; yield a data stream."""
    try:
        apart = out.fileno() == _STDOUT
        os.fstat(_STDERR)
    except (OSError, ValueError, AttributeError):
        apart = False
    if not apart:  # not the standard output of the process, for instance in tests
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
        with contextlib.suppress(OSError, ValueError):  # a closed pipe has already been reported
            own.close()
        os.close(number)


_HIDDEN = re.compile(
    "[\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters that are valid in JSON but control a terminal or are invisible."""


def to_json(data: Any, *, file: TextIO | None = None, indent: int | None = None) -> str:
    """Return data as JSON that `file` can encode; unsupported characters are escaped."""
    encoding = (getattr(file or program_stream(sys.stdout), "encoding", None) or "ascii").lower()

    def text_of(plain: Any) -> str:
        text = json.dumps(
            plain,
            ensure_ascii=not encoding.replace("-", "").startswith("utf"),
            indent=indent,
            separators=None if indent else (",", ":"),
            allow_nan=False,
        )
        return _HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], text)

    try:
        return text_of(data)
    except (TypeError, ValueError):  # evidence of a skill may contain arrays or NaN
        from bt_exec.journal.json_text import to_json as to_journal_json

        return text_of(json.loads(to_journal_json(data)))


_typed: ContextVar[str] = ContextVar("typed", default="")


@contextlib.contextmanager
def use_language_of(language: str) -> Iterator[None]:
    """Set the reader's language within a context; "" selects the language of the locale."""
    before = _typed.set(language)
    try:
        yield
    finally:
        _typed.reset(before)


def reader_language() -> str:
    """Return the reader's language, ``ko`` or ``en``, set by `use_language_of` or the locale."""
    if typed := _typed.get():
        return typed
    names = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return "ko" if next(filter(None, names), "").lower().startswith("ko") else "en"


def localized(text: str) -> str:
    """Return a text of the command line in the reader's language; the English text is the key."""
    if reader_language() != "ko":
        return text
    from bt_exec.language.korean_errors import korean_error

    return korean_error(text)


def write_json(data: Any, *, lines: bool = False) -> None:
    """Write one object on standard output: indented on a terminal, otherwise on one line.

    Args:
        data: Plain data.
        lines: Whether it is one of several objects, which are written one per line.
    """
    out = program_stream(sys.stdout)
    indent = 2 if out.isatty() and not lines else None
    write_data(to_json(data, indent=indent) + "\n")
    out.flush()


def write_result(data: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """Write a result on standard output: its data as JSON, or lines of text."""
    if as_json:
        write_json(data)
        return
    for line in lines:
        write_data(f"{line}\n")


def operator_painter(*, beside: bool = False) -> Painter:
    """Return the painter for texts to the operator.

    Args:
        beside: Whether it paints on stderr, because stdout carries data.
    """
    return Painter(program_stream(sys.stderr if beside else sys.stdout))


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[..., None]]:
    """Show a progress bar with count, rate and remaining time on a terminal.

    Args:
        title: Name of the counted items.
        total: Number of items.

    Yields:
        Function that updates the bar. It takes the count, an optional text and a changed total.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[beside]}"),
    )
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=total, beside="")

        def update(done: int, beside: str = "", of: int | None = None) -> None:
            progress.update(task, completed=done, beside=beside, total=of)

        yield update
