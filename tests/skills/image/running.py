"""Cache of program runs, shared by tests with the same program and picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bt_exec_skills.image.sandbox.process import Ran
from bt_exec_skills.image.sandbox.run import run_program

__all__ = ["run_once"]


def run_once(runs: dict[object, Ran]) -> Callable[..., Ran]:
    """Return a `run_program` that starts the sandbox only for runs that are not in `runs`.

    Args:
        runs: Results by program, picture and readable files.
    """

    def run(text: str, image: Path, readable: Sequence[Path] = (), *, trusted: bool = False) -> Ran:
        beside = tuple((one.name, one.read_bytes()) for one in readable)
        asked = (text, image.name, image.read_bytes(), beside, trusted)
        if asked not in runs:
            runs[asked] = run_program(text, image, readable, trusted=trusted)
        return runs[asked]

    return run
