"""Output streams: data on standard output, text for the operator on standard error."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any, TextIO

from bt_exec.cli.streams import own_stream, write
from bt_exec.tui.paint import Painter

__all__ = ["emit", "for_people", "reader_language", "to_json"]

_HIDDEN = re.compile(
    "[\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters that are valid in JSON but control a terminal or are invisible."""


def to_json(data: Any, *, file: TextIO | None = None, indent: int | None = None) -> str:
    """Return data as JSON that `file` can encode; unsupported characters are escaped."""
    encoding = (getattr(file or own_stream(sys.stdout), "encoding", None) or "ascii").lower()

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
        from bt_exec.journal.json_text import to_json as whatever_it_is

        return text_of(json.loads(whatever_it_is(data)))


def reader_language() -> str:
    """Return the reader's language by the locale: ``ko`` or ``en``."""
    names = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return "ko" if next(filter(None, names), "").lower().startswith("ko") else "en"


def emit(data: Any, *, lines: bool = False) -> None:
    """Write one object on standard output: indented on a terminal, otherwise on one line.

    Args:
        data: Plain data.
        lines: Whether it is one of several, a line each.
    """
    out = own_stream(sys.stdout)
    indent = 2 if out.isatty() and not lines else None
    write(to_json(data, indent=indent) + "\n")
    out.flush()


def for_people(*, beside: bool = False) -> Painter:
    """Return the painter for the operator: stderr if standard output carries data."""
    return Painter(own_stream(sys.stderr if beside else sys.stdout))
