"""Runs pytest in forks of a process with all heavy third-party imports.

A fork takes milliseconds instead of seconds for the imports. The parent reads the deadline of the
running test from shared memory, so a hanging mutant is ended soon.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import mmap
import os
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from _pytest.assertion.rewrite import AssertionRewritingHook

__all__ = ["Deadlines", "Job", "run_all", "warm_up"]

INSIDE = Path(__file__).parent / "inside"
_HEAVY = (
    "numpy", "scipy.optimize", "mujoco", "daqp", "cv2", "onnxruntime", "anthropic",
    "pydantic", "py_trees", "yaml", "rich.live", "typer.testing", "hypothesis.strategies",
    "jsonschema", "pytest", "sqlite3", "http.server", "email.mime.text",
)  # fmt: skip
_START_S = 90.0  # startup and collection of pytest on a busy machine


def warm_up() -> None:
    """Import the installed third-party packages of the tests."""
    for name in _HEAVY:
        try:
            importlib.import_module(name)
        except ImportError:
            continue


class Deadlines:
    """A pytest plugin that writes the deadline of the running test to shared memory.

    Args:
        cell: Eight bytes shared with the parent.
        seconds: Duration of each test without a mutant [s].
    """

    def __init__(self, cell: mmap.mmap, seconds: dict[str, float]) -> None:
        self._cell = cell
        self._seconds = seconds

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        limit = 8.0 + 8.0 * self._seconds.get(nodeid, 60.0)
        self._cell[:8] = struct.pack("d", time.monotonic() + limit)


class Job:
    """One run of pytest in a fork.

    Args:
        name: Identifier for the caller.
        arguments: Arguments of pytest.
        plugins: Function that creates the plugins, called in the fork.
        seconds: Duration of each test without a mutant [s].
        mutant: Path of the replaced module and the mutant's text, if any.
    """

    def __init__(
        self,
        name: Any,
        arguments: list[str],
        plugins: Callable[[], list[Any]],
        seconds: dict[str, float],
        mutant: tuple[Path, str] | None = None,
    ) -> None:
        self.name = name
        self.code: int | str = 0
        self.said = ""
        self._folder = Path(tempfile.mkdtemp(prefix="mutant-"))
        (self._folder / "said").touch()
        self._cell = mmap.mmap(-1, 8)
        self._cell[:8] = struct.pack("d", time.monotonic() + _START_S)
        self._pid = os.fork()
        if not self._pid:
            self._work(arguments, plugins, seconds, mutant)

    def over(self) -> bool:
        """End the run if its deadline has passed; return True if it has ended, with `code` set."""
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if pid:
            self.code = os.waitstatus_to_exitcode(status)
        elif time.monotonic() > struct.unpack("d", self._cell[:8])[0]:
            self.code = "timeout"
        else:
            return False
        with contextlib.suppress(ProcessLookupError):  # the process group may be empty
            os.killpg(self._pid, signal.SIGKILL)
        if not pid:
            os.waitpid(self._pid, 0)
        self.said = (self._folder / "said").read_text(encoding="utf-8", errors="replace")
        shutil.rmtree(self._folder, ignore_errors=True)
        return True

    def _work(self, arguments: list[str], plugins: Any, seconds: Any, mutant: Any) -> None:
        code = 70
        try:
            os.setsid()
            said = os.open(self._folder / "said", os.O_WRONLY)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(said, 1)
            os.dup2(said, 2)
            if mutant is not None:
                self._replace(*mutant)
            code = self._pytest(arguments, [*plugins(), Deadlines(self._cell, seconds)])
        except BaseException:  # noqa: BLE001 - a fork must not go on as its parent
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _replace(self, path: Path, text: str) -> None:
        sys.path.insert(0, str(INSIDE))
        hook = importlib.import_module("sitecustomize")
        if Path(hook.__file__ or "").parent != INSIDE:  # another installed one
            del sys.modules["sitecustomize"]
            hook = importlib.import_module("sitecustomize")
        finder = hook.install(str(path), text)
        theirs = AssertionRewritingHook.find_spec

        def ours_first(self: Any, name: str, path: Any = None, target: Any = None) -> Any:
            """Leave the mutated module to `finder`; pytest's own finder comes before it."""
            return None if finder.find_spec(name, path) else theirs(self, name, path, target)

        AssertionRewritingHook.find_spec = ours_first  # type: ignore[method-assign]
        written = self._folder / "mutant.json"
        written.write_text(json.dumps({"path": str(path), "text": text}), encoding="utf-8")
        others = os.environ.get("PYTHONPATH", "")
        os.environ["PYTHONPATH"] = f"{INSIDE}:{others}" if others else str(INSIDE)
        os.environ[hook.VARIABLE] = str(written)

    def _pytest(self, arguments: list[str], plugins: list[Any]) -> int:
        import pytest
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)  # a counterexample need not be small
        settings.register_profile("mutants", database=None, derandomize=True, phases=phases)
        settings.load_profile("mutants")
        os.environ["BT_EXEC_ALL_TESTS"] = "1"
        fixed = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow", "--tb=line"]
        fixed += [
            "-W",
            "ignore::pytest.PytestAssertRewriteWarning",
        ]  # imported in the parent
        temp = f"--basetemp={self._folder / 'temp'}"
        return int(pytest.main([*fixed, temp, *arguments], plugins=plugins))


def run_all(jobs: Iterator[Callable[[], Job]], at_once: int) -> Iterator[Job]:
    """Run jobs, `at_once` at a time; yield each one when it has ended."""
    running: list[Job] = []
    left = True
    while left or running:
        while left and len(running) < at_once:
            start = next(jobs, None)
            if start is None:
                left = False
            else:
                running.append(start())
        for job in [job for job in running if job.over()]:
            running.remove(job)
            yield job
        time.sleep(0.01)
