"""Maps from lines to the tests that run them, one per test file, cached outside the repository.

Lines are counted from the start of their function, so the map stays valid when a function moves.
Code that runs on import belongs to no test.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

__all__ = ["Tracer", "kept_at", "read", "tests_of"]

CACHE = Path(tempfile.gettempdir()) / "bt-exec-mutants"


class Tracer:
    """A pytest plugin that records duration and executed lines of each passing test.

    Args:
        root: The repository.
        files: The traced modules, relative to the root.

    Attributes:
        seconds: Wall time of each test [s].
        costs: Processor time of each test [s].
        hits: By module and function: the executed lines as bits, and the numbers of the tests.
    """

    def __init__(self, root: Path, files: list[str]) -> None:
        self._files = {str(root / file): file for file in files}
        self._lines: set[tuple[CodeType, int]] = set()
        self._began = (0.0, 0.0)
        self.seconds: dict[str, float] = {}
        self.costs: dict[str, float] = {}
        self.hits: dict[str, dict[str, list[int]]] = defaultdict(dict)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._lines = set()
        self._began = (time.monotonic(), _worked())
        threading.settrace(self._call)
        sys.settrace(self._call)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            self.seconds[report.nodeid] = 0.0
        elif report.failed:
            self.seconds.pop(report.nodeid, None)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        if nodeid not in self.seconds:
            return
        self.seconds[nodeid] = round(time.monotonic() - self._began[0], 3)
        self.costs[nodeid] = round(_worked() - self._began[1], 3)
        number = list(self.seconds).index(nodeid)
        masks: dict[str, int] = defaultdict(int)
        for code, line in list(self._lines):
            name = f"{self._files[code.co_filename]}::{code.co_qualname}"
            masks[name] |= 1 << (line - code.co_firstlineno)
        for name, mask in masks.items():
            self.hits[name].setdefault(f"{mask:x}", []).append(number)

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self._line if frame.f_code.co_filename in self._files else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self._lines.add((frame.f_code, frame.f_lineno))
        return self._line


def _worked() -> float:
    """Return the processor time of this process and its children [s]."""
    return sum(os.times()[:4])


def kept_at(root: Path, test: Path, files: list[str]) -> Path:
    """Return the path of the map of a test file, keyed by its text, its conftests and the files."""
    folder = test.parent
    near = [place / "conftest.py" for place in (folder, *folder.parents) if root in place.parents]
    digest = hashlib.sha256(repr([test.relative_to(root), *files]).encode())
    for path in (test, *near):
        if path.exists():
            digest.update(path.read_bytes())
    return CACHE / f"{test.stem}-2-{digest.hexdigest()[:16]}.json"


def read(path: Path) -> dict[str, Any]:
    """Return a kept map."""
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return kept


def tests_of(source: str, file: str, line: int, last: int, maps: list[dict[str, Any]]) -> set[str]:
    """Return the tests that run a line, or its function or module if none is known."""
    codes = list(_codes(compile(source, file, "exec")))
    exact: set[str] = set()
    loose: set[str] = set()
    anywhere: set[str] = set()
    inside = [
        (
            code,
            {at - code.co_firstlineno for *_, at in code.co_lines() if at and line <= at <= last},
        )
        for code in codes
        if code.co_flags & inspect.CO_NEWLOCALS  # functions, not modules or classes
        and not _while_imported(code)
    ]
    wanted = {f"{file}::{code.co_qualname}": lines for code, lines in inside if lines}
    for kept in maps:
        names = list(kept["seconds"])
        for name, masks in kept["hits"].items():
            if not name.startswith(f"{file}::"):
                continue
            for mask, numbers in masks.items():
                tests = {names[number] for number in numbers}
                anywhere |= tests
                if name in wanted:
                    loose |= tests
                    bits = int(mask, 16)
                    if any(bits >> offset & 1 for offset in wanted[name]):
                        exact |= tests
    return exact or loose or anywhere


def _while_imported(code: CodeType) -> bool:
    """Return True if a code object runs on import: the module itself, or a comprehension in it."""
    outermost = code.co_qualname.partition(".")[0]
    return outermost.startswith("<") and outermost != "<lambda>"


def _codes(code: CodeType) -> list[CodeType]:
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += _codes(constant)
    return found
