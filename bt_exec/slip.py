"""What is wrong with somebody's code that could not be run: what, what it may be, and where."""

from __future__ import annotations

import inspect
import re
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

from bt_exec.failure import BtExecError, nearest

__all__ = ["slip"]

_UNEXPECTED = re.compile(r"(\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(\w+)'")
_OWN = Path(__file__).parent


def slip(error: Exception) -> str:
    """Return what an exception of code outside bt-exec says, and the line that raised it.

    An argument that a function of ours does not take is told with those that it takes.
    """
    known = isinstance(error, ImportError | BtExecError)
    said = str(error) if known else f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):  # says where by itself
        return said
    return f"{said}{_allowed(error)}{_place(error.__traceback__)}"


def _allowed(error: Exception) -> str:
    """Return ``; did you mean 'summary'?`` for an argument that one of our functions lacks."""
    import bt_exec

    found = _UNEXPECTED.search(str(error)) if isinstance(error, TypeError) else None
    ours: Any = getattr(bt_exec, found[1], None) if found else None
    ours = getattr(ours, found[1], ours) if found else None  # `skill` is a module, too
    if found is None or not callable(ours):
        return ""
    takes = [one.name for one in inspect.signature(ours).parameters.values() if one.kind != 0]
    near = nearest(found[2], takes, count=1)
    return f"; did you mean {near[0]!r}?" if near else f"; allowed: {', '.join(takes)}"


def _place(raised: TracebackType | None) -> str:
    """Return `` (pack.py, line 7)`` for the last line outside bt-exec; empty if it has none."""
    for frame in reversed(traceback.extract_tb(raised)):
        path = Path(frame.filename)
        if path.is_file() and _OWN not in path.parents and "importlib" not in path.parts:
            return f" ({path.name}, line {frame.lineno})"
    return ""
