"""Identity of the process that runs a mission, to detect missions whose process has died."""

from __future__ import annotations

import os
import platform
from pathlib import Path

__all__ = ["is_gone", "this_process"]


def this_process() -> str:
    """Return what names this process for as long as it lives: host, number, moment of its start.

    Numbers are given again; the moment (where Linux tells it) is not.
    """
    return f"{platform.node()} {os.getpid()} {_started(os.getpid())}"


def is_gone(process: str | None) -> bool:
    """Whether the process that `this_process` named is gone; that of another host may be there.

    One that is not known (None: the record is older than the question) is gone.
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
        return False  # it is there and is somebody else's
    return _started(int(number)) != started


def _started(number: int) -> str:
    """Return when a process started, in ticks since the machine did; "" where nobody tells."""
    try:
        text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[19]  # field 22; a name may hold spaces and brackets
