"""``bt-exec --help`` over bare Python: processor seconds, best of several, as a ratio."""

from __future__ import annotations

import resource
import subprocess
import sys


def cpu_seconds(*command: str, times: int = 7) -> float:
    """Return the least user and system time of several runs of `command` [s]."""
    best = float("inf")
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return best


def main() -> None:
    """Print the figures."""
    bare = cpu_seconds(sys.executable, "-c", "pass")
    shown = cpu_seconds(sys.executable, "-m", "bt_exec", "--help")
    print(f"bare Python {bare * 1e3:.0f} ms, bt-exec --help {shown * 1e3:.0f} ms of CPU (aim: 300)")
    print(f"ratio {shown / bare:.1f}")


if __name__ == "__main__":
    main()
