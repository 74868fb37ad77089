"""Where things go: data on standard output, everything for people beside it."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

from bt_exec.tui.paint import Painter

__all__ = ["emit", "for_people", "to_json"]


def to_json(data: Any, *, file: TextIO | None = None, indent: int | None = None) -> str:
    """Return data as JSON that `file` can hold: escaped where its encoding lacks signs."""
    encoding = (getattr(file or sys.stdout, "encoding", None) or "ascii").lower()

    def text_of(plain: Any) -> str:
        return json.dumps(
            plain,
            ensure_ascii=not encoding.replace("-", "").startswith("utf"),
            indent=indent,
            separators=None if indent else (",", ":"),
            allow_nan=False,
        )

    try:
        return text_of(data)
    except (TypeError, ValueError):  # evidence of a skill: arrays, NaN, whatever it measured
        from bt_exec.journal.plain import to_json as whatever_it_is

        return text_of(json.loads(whatever_it_is(data)))


def emit(data: Any) -> None:
    """Write one object on standard output: indented on a terminal, one line elsewhere."""
    indent = 2 if sys.stdout.isatty() else None
    sys.stdout.write(to_json(data, indent=indent) + "\n")
    sys.stdout.flush()


def for_people(*, beside: bool = False) -> Painter:
    """Return who writes for people: on standard error where standard output carries data."""
    return Painter(sys.stderr if beside else sys.stdout)
