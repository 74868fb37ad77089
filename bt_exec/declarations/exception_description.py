"""Descriptions of errors in code outside bt-exec: likely cause, source line, missing package."""

from __future__ import annotations

import inspect
import re
import sys
import traceback
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

from bt_exec.early_interrupt import is_command_line
from bt_exec.failure import BtExecError, Interrupted, nearest_names

__all__ = [
    "declared_requirements",
    "describe_error",
    "extra_hint",
    "is_interrupt",
    "source_line",
    "source_place_text",
]

_UNEXPECTED = re.compile(r"(\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(\w+)'")
_OWN = Path(__file__).parents[1]
_DISTRIBUTIONS = {
    "PIL": "pillow",
    "cv2": "opencv-python-headless",
    "ruamel": "ruamel-yaml",
    "zmq": "pyzmq",
}
"""Names of distributions by module, where the two differ."""
_BUNDLES = ("all", "dev")
"""Extras that repeat the packages of other extras."""


def is_interrupt(error: BaseException) -> bool:
    """Return True if an exception is a Ctrl-C of the operator.

    In the command line, a Ctrl-C raises `Interrupted`, and any other `KeyboardInterrupt` comes from
    the code of a pack. In other programs, every `KeyboardInterrupt` counts as a Ctrl-C.
    """
    return isinstance(error, Interrupted if is_command_line() else KeyboardInterrupt)


def describe_error(error: BaseException) -> str:
    """Return the message of an exception in code outside bt-exec, and the line that raised it.

    For an unexpected keyword argument of one of our functions, the allowed arguments are added.
    `sys.exit` is reported as a mistake: only the operator ends the program.
    """
    if isinstance(error, SystemExit):
        where = source_place_text(error)
        return f"SystemExit: {error.code}{where}; sys.exit must not be called here"
    if hint := extra_hint(error):
        return hint
    known = isinstance(error, ImportError | BtExecError)
    said = str(error) if known else f"{type(error).__name__}: {error}".removesuffix(": ")
    if isinstance(error, SyntaxError):  # its message already includes the place
        return said
    return f"{said}{_argument_suggestion(error)}{source_place_text(error)}"


def extra_hint(error: BaseException) -> str:
    """Return the command that installs the extra for a module that cannot be imported.

    Returns:
        "mujoco is not installed: pip install 'bt-exec[sim]' (or 'bt-exec[all]')"; empty for other
        errors and for modules that no extra provides.
    """
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return ""
    module = error.name.partition(".")[0]
    wanted = _DISTRIBUTIONS.get(module, module)
    extras = [extra for name, extra in declared_requirements() if name == wanted and extra]
    if not extras:
        return ""
    return f"{wanted} is not installed: pip install 'bt-exec[{extras[0]}]' (or 'bt-exec[all]')"


def declared_requirements() -> list[tuple[str, str]]:
    """Return the packages that bt-exec declares, each with the smallest extra that includes it.

    Returns:
        Pairs of distribution and extra, in the order of the metadata; the extra is empty for
        packages that are always installed. Packages for development are left out.
    """
    members: defaultdict[str, list[str]] = defaultdict(list)
    for name, extra in _requirements():
        members[extra].append(name)
    found: dict[str, str] = {}
    for extra in sorted(members, key=lambda extra: (bool(extra), len(members[extra]), extra)):
        for name in members[extra]:
            found.setdefault(name, extra)
    return list(found.items())


def _requirements() -> Iterator[tuple[str, str]]:
    """Yield each distribution that the metadata names, with its extra."""
    try:
        declared = requires("bt-exec") or []
    except PackageNotFoundError:  # bt-exec runs from a checkout that is not installed
        return
    for requirement in declared:
        name = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", requirement)
        if name is not None and (extra is None or extra[1] not in _BUNDLES):
            yield name[0], extra[1] if extra else ""


def _argument_suggestion(error: BaseException) -> str:
    """Return ``; did you mean 'summary'?`` for an unexpected argument of one of our functions."""
    found = _UNEXPECTED.search(str(error)) if isinstance(error, TypeError) else None
    public = sys.modules["bt_exec"]
    ours: Any = getattr(public, found[1], None) if found else None
    ours = getattr(ours, found[1], ours) if found else None  # `skill` is also a module
    if found is None or not callable(ours):
        return ""
    takes = [one.name for one in inspect.signature(ours).parameters.values() if one.kind != 0]
    near = nearest_names(found[2], takes, count=1)
    return f"; did you mean {near[0]!r}?" if near else f"; allowed: {', '.join(takes)}"


def source_place_text(error: BaseException) -> str:
    """Return the last line outside bt-exec as `` (pack.py, line 7)``; empty if there is none."""
    found = source_line(error)
    return f" ({found[0].name}, line {found[1]})" if found else ""


def source_line(error: BaseException) -> tuple[Path, int] | None:
    """Return file and number of the last line outside bt-exec in a traceback; None without one.

    For a syntax error, it is the line that contains the error.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return Path(error.filename), error.lineno
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_file() and _OWN not in path.parents and "importlib" not in path.parts:
            return path, frame.lineno or 1
    return None
