"""Identity of the process that runs a mission, to detect missions whose process has died."""

from __future__ import annotations

import os
import platform
from pathlib import Path

__all__ = ["is_gone", "this_process"]


def this_process() -> str:
    """Return an identifier of this process: host, process number and start time.

    Process numbers are reused; start times (available on Linux) are not.
    """
    return f"{platform.node()} {os.getpid()} {_start_time_of(os.getpid())}"


def is_gone(process: str | None) -> bool:
    """Return True if the process with an identifier of `this_process` has ended.

    A process on another host counts as running. None, in old records, counts as ended.
    """
    if process is None:
        return True
    host, _, rest = process.partition(" ")
    number, _, started = rest.partition(" ")
    if host != platform.node() or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False  # it exists and belongs to another user
    return _start_time_of(int(number)) != started


def _start_time_of(number: int) -> str:
    """Return the start time of a process in ticks since boot; "" where it is not available."""
    try:
        text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[19]  # field 22; the name may contain spaces, brackets
