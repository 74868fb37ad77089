"""Runs each benchmark in a separate process: ``python -m tests.benchmarks [--small] [NAME…]``.

If a benchmark fails, the others still run and the exit code is 1. ``--small`` checks in a few
minutes that all of them run, on every core at once. ``--results`` writes the output to
``RESULTS.md``, with the commit and the machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
SMALL: dict[str, tuple[str, ...]] = {
    "calibration": ("2",),
    "door_angles": ("1.0", "1", "oracle", "0", "1"),
    "fetch": ("2",),
    "guard": ("--small",),
    "history": ("50",),
    "journal": (),
    "labels": ("8",),
    "labels_rate": ("200",),
    "labels_ray": ("64",),
    "large": ("400", "1000", "50"),
    "live_view": (),
    "pictures": (),
    "planners": ("--small",),
    "reading": (),
    "serve": ("--small",),
    "sorting": ("10",),
    "start": ("1",),
    "tables": ("4",),
    "tick": ("--small",),
    "understanding": ("--small",),
}
"""Arguments of each benchmark for a short run."""
TIMED = ("pictures",)
"""Benchmarks that fail if they take too long, which run alone."""


def machine() -> str:
    """Return the processor, the number of cores and the version of Python."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def commit() -> str:
    """Return the commit of the working tree, marked if files differ from it."""
    words = ["git", "-C", str(HERE), "describe", "--always", "--dirty", "--abbrev=10"]
    found = subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()
    return found or "unknown commit"


def run(name: str, arguments: tuple[str, ...], *, alone: bool) -> tuple[int, str]:
    """Run one benchmark; return its exit code and its output.

    Args:
        name: Name of the benchmark.
        arguments: Arguments of the benchmark.
        alone: Whether no other benchmark runs, so that each line is printed at once.
    """
    words = [sys.executable, str(HERE / f"bench_{name}.py"), *arguments]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    if not alone:
        output, _ = process.communicate()
        print(f"\n=== {name}\n{output}", end="", flush=True)
        return process.returncode, output
    print(f"\n=== {name}", flush=True)
    lines = []
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    return process.wait(), "".join(lines)


def section(name: str, arguments: tuple[str, ...], output: str) -> str:
    """Return the section of ``RESULTS.md`` about one benchmark."""
    call = " ".join((f"bench_{name}.py", *arguments))
    when = time.strftime("%Y-%m-%d", time.gmtime())
    place = f"`{call}`, commit {commit()}, {when}. {machine()}, load {os.getloadavg()[0]:.1f}."
    return f"## {name}\n\n{place}\n\n```text\n{output.strip()}\n```\n"


def write_results(sections: dict[str, str]) -> None:
    """Write sections to ``RESULTS.md``; keep those of other benchmarks."""
    head = "# Results of the benchmarks\n\nWritten by `python -m tests.benchmarks --results`.\n"
    known: dict[str, str] = {}
    if RESULTS.is_file():
        first, *rest = RESULTS.read_text(encoding="utf-8").split("\n## ")
        head = first.rstrip() + "\n"
        known = {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in rest}
    known.update(sections)
    RESULTS.write_text("\n".join((head, *(known[name] for name in sorted(known)))), "utf-8")


def main() -> int:
    """Run the benchmarks; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(SMALL)}")
    parser.add_argument("--small", action="store_true", help="small sizes, to check that they run")
    parser.add_argument("--results", action="store_true", help="write RESULTS.md")
    given = parser.parse_args()
    unknown = set(given.names) - SMALL.keys()
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; allowed: {', '.join(SMALL)}")
    failed, sections = [], {}
    names = given.names or [*SMALL]
    arguments_of = {name: SMALL[name] if given.small else () for name in names}
    alone = TIMED if given.small and not given.results else tuple(SMALL)
    ran = {name: run(name, arguments_of[name], alone=True) for name in names if name in alone}
    others = [name for name in names if name not in alone]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ends = pool.map(lambda name: run(name, arguments_of[name], alone=False), others)
        ran |= dict(zip(others, ends, strict=True))
    for name, (code, output) in ran.items():
        arguments = arguments_of[name]
        if code or not output.strip():
            failed.append(f"{name} (exit code {code})" if code else f"{name} (printed nothing)")
        else:
            sections[name] = section(name, arguments, output)
    if given.results:
        write_results(sections)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
