"""Memory and time of short commands: ``python tests/benchmarks/bench_start.py [TIMES]``.

Each command runs in a separate process, as from a shell. It prints peak resident memory,
processor time and wall time, the minimum of several runs. "first" has an empty cache folder,
"again" a filled one. Modules are compiled before, as by an installation. First motion is the time
until the first skill starts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

RUN = ("run", "--fast", "--no-journal")
CASES: tuple[tuple[tuple[str, ...], int | None], ...] = (
    (("--help",), None),
    (("compile", "get the material"), None),
    (("compile", "문 안의 자재를 가져와"), 200),
    (("compile", "문 안의 자재를 얼른 가져와"), 200),
    (("check", "trees/door/get_material.yaml"), 120),
    ((*RUN, "dance the tango"), None),
    ((*RUN, "춤을 춰"), None),
    ((*RUN, "is the door open?"), 250),
    ((*RUN, "문이 열려 있어?"), 250),
)
"""Arguments of a command, and its target memory [MB]."""
FIRST_MOTION = ("run", "--no-journal", "--plain", "open the door")
MOTION = " running "


class Cost(NamedTuple):
    """Memory [MB], processor time [s] and wall time [s] of a process."""

    memory: float
    cpu: float
    wall: float


def cost(environment: dict[str, str], *command: str) -> Cost:
    """Run a command and return its cost."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = 0  # os.wait4 has reaped the process
    return Cost(used.ru_maxrss / 1024, used.ru_utime + used.ru_stime, wall)


def least(costs: list[Cost]) -> Cost:
    """Return the minimum of each figure."""
    return Cost(*map(min, zip(*costs, strict=True)))


def first_motion_s(environment: dict[str, str], *command: str) -> float:
    """Return the time until a command starts its first skill [s]."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    with process:
        for line in process.stdout:
            if MOTION in line:
                found = time.perf_counter() - began
                process.terminate()
                process.stdout.read()
                return found
    raise RuntimeError(f"no skill was started by: {' '.join(command)}")


def main(times: int = 5) -> None:
    """Print the table."""
    bt_exec = (sys.executable, "-m", "bt_exec")
    table = Table("command", "run", "memory [MB]", "aim", "CPU [s]", "wall [s]", box=None)
    with tempfile.TemporaryDirectory() as folder:
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        environment = {**os.environ, **compiled, "XDG_CACHE_HOME": folder}
        bare = least([cost(environment, sys.executable, "-c", "pass") for _ in range(times)])
        for arguments, aim in CASES:
            cost(environment, *bt_exec, *arguments)
            with tempfile.TemporaryDirectory() as empty:
                first = cost({**environment, "XDG_CACHE_HOME": empty}, *bt_exec, *arguments)
            again = least([cost(environment, *bt_exec, *arguments) for _ in range(times)])
            words = " ".join(word for word in arguments if word not in RUN[1:])
            for run, found in (("first", first), ("again", again)):
                figures = f"{found.memory:.0f}", str(aim or ""), f"{found.cpu:.2f}"
                table.add_row(words, run, *figures, f"{found.wall:.2f}")
        motion = min(first_motion_s(environment, *bt_exec, *FIRST_MOTION) for _ in range(times))
        shown = least([cost(environment, *bt_exec, "--help") for _ in range(times)])
    Console(width=100).print(table)
    print(f"bare Python: {bare.memory:.0f} MB, {bare.cpu * 1e3:.0f} ms of CPU")
    print(f"--help: {shown.cpu * 1e3:.0f} ms of CPU, {shown.cpu / bare.cpu:.0f} times bare Python")
    print(f"first motion after Enter, door, in real time: {motion:.1f} s (aim: 2.0)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
